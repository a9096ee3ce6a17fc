// Looking back: what agents were told, what was changed, what is to be mended.

import { get } from "./api.js";
import { empty, h, show, waiting } from "./dom.js";
import { marked, to, trouble, undo } from "./memory.js";
import { act, moment, number, occasion, reason, t } from "./words.js";

/** Show a list page by page; `ask(cursor)` gives {rows, next}. */
async function paged(head, ask, none, alive) {
  const list = h("div", {}, waiting());
  const more = h("div", { class: "more" });
  show(head, list, more);
  const load = async (cursor) => {
    const { rows, next } = await ask(cursor);
    if (!alive()) return;
    if (!cursor) list.replaceChildren(...(rows.length || next ? [] : [none]));
    list.append(...rows);
    more.replaceChildren(...(next ? [h("button", { class: "btn", type: "button", onclick: (event) => { event.target.disabled = true; load(next).catch(trouble); } }, t("earlier"))] : []));
  };
  await load("");
}

const heading = (name) => h("div", { class: "head" }, h("h1", {}, t(`${name}Title`)), h("p", {}, t(`${name}Says`)));

export function told(alive) {
  const ask = async (cursor) => {
    const page = await get("told", { cursor });
    const rows = page.told.map((line) => h("article", { class: "line" }, h("time", { datetime: line.at }, moment(line.at)),
      h("div", {}, h("p", { class: "quote" }, occasion(line.prompt)),
        h("ul", { class: "plain" }, line.memories.map((one) => h("li", {}, h("a", { href: to(one.id), "data-row": true }, marked(one.text))))),
        line.gone > 0 && h("p", { class: "meta" }, t("goneN", { n: line.gone }))),
      h("span", { class: "meta" }, line.tokens > 0 && t("tokens", { n: number(line.tokens) }))));
    return { rows, next: page.next };
  };
  return paged(heading("told"), ask, empty("told", t("toldEmpty"), t("toldEmptySays")), alive);
}

const name = (path) => path.split("/").pop().replace(/\.md$/, "").replace(/^\d{8}-\d{6}-\w{4} (.*)$/, (_, words) => words.replace(/-/g, " "));

function difference(change) {
  const label = change.moved ? `${change.path} → ${change.moved}` : change.path;
  return h("div", { class: "diff" }, label, change.old && h("del", {}, change.old), change.new && h("ins", {}, change.new));
}

export function changes(given, alive) {
  const only = given.get("acts") === "1";
  const head = heading("changes");
  head.append(h("a", { class: "btn small", href: only ? "#/changes" : "#/changes?acts=1", "aria-current": only ? "true" : null }, t("onlyActs")));
  const again = () => changes(given, alive);
  const ask = async (cursor) => {
    const page = await get("journal", { cursor, acts: only, limit: 40 });
    const rows = page.lines.filter((line) => line.who !== "recall" && line.what !== "compact").map((line) => h("article", { class: `line${line.undone ? " undone" : ""}`, "data-act": line.act }, h("time", { datetime: line.at }, moment(line.at)),
      h("div", {}, h("p", { class: "what" }, h("b", {}, t(line.who)), " ", act(line.what), line.note.endsWith(".md") && [" · ", h("a", { href: to(line.id || line.note), "data-row": true }, name(line.note))], line.files > 1 && ` · ${t("filesN", { n: number(line.files) })}`),
        line.why && h("p", { class: "why-said" }, reason(line.why, line.what)),
        line.changes.length > 0 && h("details", {}, h("summary", {}, t("showChange")), line.changes.map(difference))),
      line.undone ? h("span", { class: "badge warm" }, t("isUndone")) : line.act && h("button", { class: "btn small", type: "button", onclick: () => undo([line.act], again) }, t("takeBack"))));
    return { rows, next: page.next };
  };
  return paged(head, ask, empty("changes", t("changesEmpty"), t("changesEmptySays")), alive);
}

export async function problems(alive) {
  const list = h("div", {}, waiting(2));
  const deep = h("button", { class: "btn", type: "button", onclick: () => look(true).catch(trouble) }, t("deep"));
  show(heading("problems"), list, h("div", { class: "more" }, deep));
  const look = async (deeply) => {
    deep.disabled = deeply;
    deep.textContent = deeply ? t("deepBusy") : t("deep");
    try {
      const found = await get("problems", { deep: deeply });
      if (!alive()) return;
      list.replaceChildren(...(found.problems.length ? found.problems.map((one) => h("article", { class: "row" },
        h("p", { class: "what" }, one.what), one.mend && h("p", { class: "why-said" }, one.mend),
        h("div", { class: "meta" }, h("a", { href: to(one.path), "data-row": true }, one.path), one.line > 0 && h("span", {}, t("lineN", { n: one.line }))))) : [empty("well", t("allWell"), t("allWellSays"))]));
    } finally {
      deep.disabled = false;
      deep.textContent = t("deep");
    }
  };
  await look(false);
}
