// Searching as one types, with why; and what an agent would be told.

import { get } from "./api.js";
import { empty, h, show } from "./dom.js";
import { row, trouble } from "./memory.js";
import { bar, why } from "./why.js";
import { date, number, t } from "./words.js";

let running = null;

/** Words that stand everywhere, so that marking them shows nothing. */
const COMMON = /^(an?|the|of|to|in|on|at|is|are|was|do|does|did|i|my|me|we|our|you|your|it|for|and|or|what|how|的|了|吗|呢|是)$/i;
const FEW = 8;
const MANY = 50;

export async function search(query, alive, limit = FEW) {
  running?.abort();
  running = new AbortController();
  let found;
  try {
    found = await get("memory/search", { query, limit }, running.signal);
  } catch (error) {
    if (error.name === "AbortError") return;
    throw error;
  }
  if (!alive()) return;
  if (!found.count) {
    show(h("h1", { class: "hidden" }, t("seekLabel")), empty("seek", t("foundNone", { q: query }), t("foundNoneSays")));
    return;
  }
  const words = `${found.query} ${found.readAs}`.split(/\s+/).filter((word) => word && !COMMON.test(word));
  const rows = found.results.map((one, at) => row(one, {
    words, showTime: false, more: why(one.reasons, at === 0),
    score: h("span", { class: "score" }, h("time", { datetime: one.day }, date(one.day)), one.score > 0 && h("span", { title: t("score", { n: one.score.toFixed(2) }) }, bar(one.score, "+"))),
  }));
  show(
    h("div", { class: "head" }, h("h1", { class: "hidden" }, t("seekLabel")),
      h("p", { role: "status" }, t("found", { n: number(found.count) }), found.readAs && ` · ${t("readAs", { q: found.readAs })}`, found.remarks.map((said) => ` · ${said}`))),
    rows,
    limit === FEW && found.count === FEW && h("div", { class: "more" }, h("button", { class: "btn", type: "button", onclick: () => search(query, alive, MANY).catch(trouble) }, t("more"))),
    told(query, alive));
}

/** Fold what would be injected for this very question, and ask for it when it is opened. */
function told(query, alive) {
  const inside = h("div", {});
  const fold = h("details", { class: "part" }, h("summary", {}, t("asAgent")), inside);
  fold.addEventListener("toggle", async () => {
    if (!fold.open || inside.childNodes.length) return;
    inside.replaceChildren(h("p", { class: "meta" }, t("loading")));
    try {
      const found = await get("explain", { query });
      if (!alive()) return;
      inside.replaceChildren(...(found.context
        ? [h("p", { class: "meta" }, t("asAgentSays", { n: number(found.tokens) })), h("pre", { class: "injected", tabindex: "0" }, found.context)]
        : [h("p", { class: "meta" }, t("asAgentNone"))]));
    } catch (error) { trouble(error); }
  });
  return fold;
}
