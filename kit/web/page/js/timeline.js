// The first view: what was remembered, day by day.

import { get } from "./api.js";
import { empty, h, show, waiting } from "./dom.js";
import { row, trouble } from "./memory.js";
import { day, month, number, t } from "./words.js";

/** Group entries by day, below those that are shown already. */
function lay(list, entries) {
  for (const one of entries) {
    let last = list.lastElementChild;
    if (!last || last.dataset.day !== one.day) {
      const [name, rest] = day(one.day);
      last = h("section", { class: "day", "data-day": one.day }, h("h2", {}, h("time", { datetime: one.day }, name), h("span", {}, rest)), h("div", {}));
      list.append(last);
    }
    last.lastElementChild.append(row(one));
  }
}

export async function timeline(given, alive) {
  const chosen = given.get("month") || "";
  const finished = given.get("finished") === "1";
  const here = (month, done) => `#/?${new URLSearchParams({ ...(month && { month }), ...(done && { finished: "1" }) })}`.replace(/\?$/, "");
  const head = h("div", { class: "head" }, h("h1", {}, t("timeTitle")), h("p", {}, t("timeSays")));
  head.append(h("a", { class: "btn small", href: here(chosen, !finished), "aria-current": finished ? "true" : null }, t("onlyDone")));
  const months = h("div", { class: "months", role: "group", "aria-label": t("time") });
  const list = h("div", {}, waiting());
  const more = h("div", { class: "more" });
  show(head, months, list, more);
  const asked = { month: chosen, finished, limit: 30 };
  const [page, stats] = await Promise.all([get("memory/list", asked), get("memory/stats")]);
  if (!alive()) return;
  const choice = (value, name, count) => h("a", { class: "btn small", href: here(value, finished), "aria-current": value === chosen ? "true" : null }, name, " ", h("small", {}, number(count)));
  const known = Object.entries(stats.months);
  if (known.length > 1) months.replaceChildren(choice("", t("all"), stats.total), ...known.map(([value, count]) => choice(value, month(value), count)));
  list.replaceChildren();
  if (!page.entries.length) {
    more.replaceChildren();
    list.append(chosen ? empty("time", t("noneHere"), t("noneHereSays")) : empty("time", t("timeEmpty"), t("timeEmptySays"), [t("timeEmptyHow"), " ", h("code", {}, "memkit hooks install --all")]));
    return;
  }
  lay(list, page.entries);
  const further = (cursor) => {
    if (!cursor) return more.replaceChildren();
    const button = h("button", { class: "btn", type: "button", onclick: load }, t("earlier"));
    async function load() {
      button.disabled = true;
      button.textContent = t("loading");
      try {
        const next = await get("memory/list", { ...asked, cursor });
        if (!alive()) return;
        lay(list, next.entries);
        further(next.next);
      } catch (error) {
        trouble(error);
        further(cursor);
      }
    }
    more.replaceChildren(button);
    if ("IntersectionObserver" in window) {
      const eye = new IntersectionObserver(([seen]) => { if (seen.isIntersecting) { eye.disconnect(); load(); } }, { rootMargin: "600px" });
      eye.observe(button);
    }
    return undefined;
  };
  further(page.next);
}
