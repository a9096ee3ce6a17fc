// Building what is seen, node by node. Law: text only ever becomes text; nothing is parsed as HTML (the page's own policy forbids it, too).

const SVG = "http://www.w3.org/2000/svg";

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, set] of Object.entries(value)) node.style.setProperty(key, set);
    else if (name === "value" || name === "checked") node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(4)) {
    if (child === undefined || child === null || child === false || child === "") continue;
    node.append(child instanceof Node ? child : String(child));
  }
  return node;
}

export const h = (tag, props, ...children) => fill(document.createElement(tag), props, children);
export const s = (tag, props, ...children) => fill(document.createElementNS(SVG, tag), props, children);

const PATHS = {
  time: "M12 7v5l3 2M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0z",
  known: "M12 20s-7.500-4.600-7.500-10A4.300 4.300 0 0 1 12 7.300 4.300 4.300 0 0 1 19.500 10c0 5.400-7.500 10-7.500 10z",
  tags: "M6 6.500a2.500 2.500 0 1 0 0 .1M18 8.500a2.500 2.500 0 1 0 0 .1M10 18a2.500 2.500 0 1 0 0 .1M8.300 7.500l7 1M6.800 9l2.300 6.700M16.400 10.600l-4.700 5.700",
  told: "M4 5.500h16v10.500H10.500L6 19.500v-3.500H4z M8 9.500h8 M8 12.500h5",
  changes: "M4.500 9.500h10a5 5 0 0 1 0 10H9 M8.500 5.500l-4 4 4 4",
  problems: "M12 4.500 21 19.500H3z M12 10.500v4 M12 17v.1",
  leaf: "M6.500 4h8l4 4v12h-12z M14 4v4.500h4.500 M9.500 13h5 M9.500 16h3.500",
  seek: "M16.500 16.500 21 21M18 11a7 7 0 1 1-14 0 7 7 0 0 1 14 0z",
  well: "M5 12.500l4.500 4.500L19 7.500",
};

export function icon(name, size = 20) {
  const path = s("path", { d: PATHS[name], fill: "none", stroke: "currentColor", "stroke-width": 1.7, "stroke-linecap": "round", "stroke-linejoin": "round" });
  return s("svg", { viewBox: "0 0 24 24", width: size, height: size, "aria-hidden": "true" }, path);
}

export function show(...nodes) {
  document.getElementById("main").replaceChildren(...nodes.flat().filter(Boolean));
}

export function empty(name, title, ...lines) {
  return h("div", { class: "empty" }, icon(name, 44), h("h2", {}, title), lines.map((line) => h("p", {}, line)));
}

export const waiting = (count = 4) => Array.from({ length: count }, () => h("div", { class: "wait", "aria-hidden": "true" }));

let fading = 0;

/** Say what happened, with one thing to do about it. */
export function tell(text, act, onAct) {
  clearTimeout(fading);
  const news = document.getElementById("news");
  const button = act && h("button", { type: "button", onclick: () => { news.replaceChildren(); onAct(); } }, act);
  news.replaceChildren(h("div", { class: "toast" }, h("span", {}, text), button));
  fading = setTimeout(() => news.replaceChildren(), act ? 12000 : 5000);
}
