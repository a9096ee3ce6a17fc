// The tag pool as a picture, and one tag beside it.

import { get, post } from "./api.js";
import { empty, h, s, show, tell, waiting } from "./dom.js";
import { arrange } from "./force.js";
import { row, toTag, trouble, undo } from "./memory.js";
import { number, t } from "./words.js";

const LEVELS = ["synonym", "related", "loose"];

export async function tags(name, given, alive) {
  const centre = given.get("round") ? name : "";
  const head = h("div", { class: "head" }, h("h1", {}, t("tagsTitle")), h("p", {}, t("tagsSays")));
  show(head, waiting(2));
  const [graph, all] = await Promise.all([get("graph", { centre, limit: innerWidth < 760 ? 34 : 90 }), get("tags", { limit: 1000 })]);
  if (!alive()) return;
  if (!all.total) return show(head, empty("tags", t("tagsEmpty"), t("tagsEmptySays")));
  const aside = h("aside", { class: "aside", "aria-live": "polite", "aria-label": name || t("tags") }, h("p", { class: "meta" }, t("pickTag")));
  const canvas = picture(graph, name);
  show(head, h("div", { class: "pool" }, h("div", {}, canvas, centre && h("p", { class: "below" }, h("a", { class: "btn small", href: toTag(name) }, t("mostUsed")))), aside), every(all));
  if (name) await one(name, aside, alive);
  return undefined;
}

function picture(graph, picked) {
  const points = graph.points.map((point) => ({ ...point, r: 6 + Math.min(16, 3.2 * Math.sqrt(point.cards)) }));
  const byCode = new Map(points.map((point) => [point.code, point]));
  const lines = graph.lines.map((line) => ({ a: byCode.get(line.one), b: byCode.get(line.other), level: line.level })).filter((line) => line.a && line.b);
  const view = arrange(points, lines);
  const drawing = s("svg", { role: "group", "aria-label": t("tagsTitle"), preserveAspectRatio: "xMidYMid meet" });
  const look = () => drawing.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
  look();
  const drawn = lines.map((line) => ({ ...line, node: s("line", { class: line.level, x1: line.a.x, y1: line.a.y, x2: line.b.x, y2: line.b.y }) }));
  const go = (point) => { location.hash = toTag(point.name); };
  for (const point of points) {
    point.node = s("g", { class: `${point.status}${point.name === picked ? " picked" : ""}`, role: "link", tabindex: "0", "aria-label": `${point.name}: ${t("cardsWith", { n: point.cards })}`, transform: `translate(${point.x} ${point.y})`,
      onclick: () => go(point), onkeydown: (event) => { if (event.key === "Enter") go(point); }, onmouseenter: () => dim(point), onmouseleave: () => dim(null), onfocus: () => dim(point), onblur: () => dim(null) },
    s("circle", { r: point.r }), s("text", { y: point.r + 14 }, point.name));
  }
  const dim = (point) => {
    const near = new Set(point ? [point] : points);
    for (const line of drawn) {
      const touches = !point || line.a === point || line.b === point;
      line.node.classList.toggle("faded", !touches);
      if (point && touches) near.add(line.a).add(line.b);
    }
    for (const other of points) other.node.classList.toggle("faded", !near.has(other));
  };
  drawing.append(...drawn.map((line) => line.node), ...points.map((point) => point.node));
  move(drawing, view, look);
  return h("div", { class: "canvas" }, drawing, h("div", { class: "legend" },
    LEVELS.map((level) => h("span", {}, h("b", { class: level }), t(level))), graph.left_out > 0 && h("span", {}, t("leftOut", { n: number(graph.left_out) }))));
}

/** Drag to move, wheel with Ctrl (or a pinch) to come nearer. */
function move(drawing, view, look) {
  let from = null;
  drawing.addEventListener("pointerdown", (event) => { if (!event.target.closest("g[role]")) { from = [event.clientX, event.clientY]; drawing.setPointerCapture(event.pointerId); drawing.classList.add("held"); } });
  drawing.addEventListener("pointermove", (event) => {
    if (!from) return;
    const scale = Math.max(view.width / drawing.clientWidth, view.height / drawing.clientHeight);
    view.x -= (event.clientX - from[0]) * scale;
    view.y -= (event.clientY - from[1]) * scale;
    from = [event.clientX, event.clientY];
    look();
  });
  for (const end of ["pointerup", "pointercancel"]) drawing.addEventListener(end, () => { from = null; drawing.classList.remove("held"); });
  drawing.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const by = Math.min(1.25, Math.max(0.8, 1 + event.deltaY * 0.004));
    view.x += (view.width * (1 - by)) / 2;
    view.y += (view.height * (1 - by)) / 2;
    view.width *= by;
    view.height *= by;
    look();
  }, { passive: false });
}

async function one(name, aside, alive) {
  let tag;
  let page;
  try {
    [tag, page] = await Promise.all([get("tag", { name }), get("memory/list", { tag: name, limit: 5 })]);
  } catch (error) {
    if (error.status !== 404) throw error;
    page = await get("memory/list", { tag: name, limit: 8 });
  }
  if (!alive()) return;
  if (!tag) {
    aside.replaceChildren(h("h2", {}, name), page.entries.length ? cards(page) : h("p", { class: "meta" }, t("noneHere")));
    return;
  }
  const again = () => one(name, aside, alive);
  const act = async (path, body) => {
    try {
      const done = await post(path, body);
      await again();
      if (done.act) tell(t("saved"), t("undo"), () => undo([done.act], again));
    } catch (error) { trouble(error); }
  };
  const isResting = tag.status === "deprecated";
  aside.replaceChildren(...[
    h("div", { class: "acts" }, h("h2", {}, tag.name), h("span", { class: isResting ? "badge warm" : "badge" }, t(tag.status))),
    tag.definitions.length > 0 && h("div", {}, h("h3", {}, t("definitions")), tag.definitions.map((said) => h("p", {}, said))),
    tag.aliases.length > 0 && h("div", {}, h("h3", {}, t("aliases")), h("ul", { class: "chips" }, tag.aliases.map((alias) => h("li", { class: "chip" }, alias)))),
    LEVELS.map((level) => tag[level].length > 0 && h("div", {}, h("h3", {}, t(level)), h("ul", { class: "chips" }, tag[level].map((other) => h("li", {}, h("a", { class: "chip", href: toTag(other) }, other)))))),
    relating(tag, act),
    h("div", { class: "acts" },
      tag.status !== "merged" && h("button", { class: "btn small", type: "button", onclick: () => act("tag/status", { name: tag.name, status: isResting ? "active" : "deprecated" }) }, t(isResting ? "wake" : "rest")),
      h("a", { class: "btn small", href: `${toTag(tag.name)}?round=1` }, t("round"))),
    cards(page)].flat().filter(Boolean));
}

function relating(tag, act) {
  const other = h("input", { name: "other", list: "tag-names", "aria-label": t("relate"), placeholder: t("relate"), required: true });
  const level = h("select", { name: "level", "aria-label": t("level") }, ["related", "synonym", "loose"].map((name) => h("option", { value: name }, t(name))));
  return h("form", { class: "edit", onsubmit: (event) => { event.preventDefault(); act("tag/relate", { one: tag.name, other: other.value.trim(), level: level.value }); } },
    h("div", { class: "fields" }, other, level), h("div", { class: "acts" }, h("button", { class: "btn small", type: "submit" }, t("add"))));
}

function cards(page) {
  return page.total > 0 && h("div", {}, h("h3", {}, t("cardsWith", { n: number(page.total) })), page.entries.map((entry) => row({ ...entry, tags: [] }, { showTime: false })));
}

function every(all) {
  const list = h("ul", { class: "every" });
  const fill = (asked) => list.replaceChildren(...all.tags
    .filter((tag) => [tag.name, ...tag.aliases].some((name) => name.toLowerCase().includes(asked)))
    .map((tag) => h("li", {}, h("a", { href: toTag(tag.name) }, tag.name), " ", h("small", {}, number(tag.cards)))));
  fill("");
  return h("section", { class: "part" }, h("h2", {}, `${t("everyTag")} · ${number(all.total)}`),
    h("div", { class: "edit" }, h("input", { type: "text", "aria-label": t("tagList"), placeholder: t("tagList"), oninput: (event) => fill(event.target.value.trim().toLowerCase()) })),
    list, h("datalist", { id: "tag-names" }, all.tags.map((tag) => h("option", { value: tag.name }))));
}
