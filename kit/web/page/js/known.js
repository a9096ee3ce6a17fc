// What is lastingly known, to be read and corrected.

import { get } from "./api.js";
import { empty, h, show, tell, waiting } from "./dom.js";
import { CATEGORIES, chips, form, marked, putAway, to, trouble, undo, weight } from "./memory.js";
import { number, t } from "./words.js";

export async function known(alive) {
  const head = h("div", { class: "head" }, h("h1", {}, t("knownTitle")), h("p", {}, t("knownSays")));
  const asking = h("div", {});
  const list = h("div", {}, waiting());
  show(head, asking, list);
  const again = async () => {
    const page = await get("facts", { limit: 500 });
    if (!alive()) return;
    offer();
    list.replaceChildren(...(page.entries.length ? groups(page, again) : [empty("known", t("knownEmpty"), t("knownEmptySays"))]));
  };
  const offer = () => asking.replaceChildren(h("button", { class: "btn main", type: "button", onclick: ask }, `+ ${t("addFact")}`));
  const ask = () => {
    asking.replaceChildren(h("div", { class: "row" }, form(null, {
      cancel: offer,
      done: async (kept) => {
        await again();
        tell(t({ confirmed: "keptAgain", superseded: "superseded" }[kept.did] || "kept"));
      },
    })));
    asking.querySelector("textarea").focus();
  };
  await again();
}

function groups(page, again) {
  const found = CATEGORIES.map((name) => [name, page.entries.filter((one) => one.category === name)]).filter(([, some]) => some.length);
  const parts = found.map(([name, some]) => h("section", { "aria-label": t(name) },
    h("div", { class: "group" }, h("h2", {}, t(name)), h("span", {}, number(some.length))),
    some.sort((a, b) => b.importance - a.importance).map((one) => fact(one, again))));
  if (page.next) parts.push(h("p", { class: "more meta" }, `${number(page.count)} / ${number(page.total)}`));
  return parts;
}

function fact(one, again) {
  const box = h("article", { class: "row", "data-id": one.id });
  const read = () => box.replaceChildren(
    h("p", { class: "says" }, h("a", { href: to(one.id), "data-row": true }, marked(one.text))),
    h("div", { class: "meta" }, weight(one.importance), h("span", {}, t("sure", { n: Math.round(one.confidence * 100) })),
      one.hits > 0 && h("span", {}, t("saidAgain", { n: one.hits })), one.project && h("span", {}, one.project), chips(one.tags),
      h("span", { class: "acts over", style: { "margin-left": "auto" } },
        h("button", { class: "btn small", type: "button", onclick: change }, t("edit")),
        h("button", { class: "btn small bad", type: "button", onclick: () => putAway(one, again) }, t("remove")))));
  const change = () => {
    box.replaceChildren(form(one, {
      cancel: read,
      done: async (kept) => {
        await again();
        if (kept.act) tell(t("saved"), t("undo"), () => undo([kept.act], again).catch(trouble));
        document.querySelector(`[data-id="${CSS.escape(one.id)}"] a`)?.focus();
      },
    }));
    box.querySelector("textarea").focus();
  };
  read();
  return box;
}
