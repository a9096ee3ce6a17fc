// Which view is shown, and everything around the views: navigation, search field, keyboard, colours, language.

import { Failure, enter, get } from "./api.js";
import { empty, h, icon, show } from "./dom.js";
import { known } from "./known.js";
import { note } from "./note.js";
import { changes, problems, told } from "./pages.js";
import { search } from "./search.js";
import { tags } from "./tags.js";
import { timeline } from "./timeline.js";
import { language, number, speak, t } from "./words.js";

const VIEWS = [["", "time"], ["known", "known"], ["tags", "tags"], ["told", "told"], ["changes", "changes"], ["problems", "problems"]];
const main = document.getElementById("main");
const field = document.getElementById("query");
let turn = 0;
let stats = null;

function where() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [view = "", ...rest] = path.split("/");
  let ref = rest.join("/");
  try { ref = decodeURIComponent(ref); } catch { /* a broken address is shown as it is */ }
  return { view, ref, given: new URLSearchParams(query) };
}

async function render() {
  const mine = ++turn;
  const alive = () => mine === turn;
  const { view, ref, given } = where();
  paintNav(view);
  main.classList.toggle("wide", view === "tags");
  if (view !== "search" && document.activeElement !== field) field.value = "";
  try {
    if (view === "") await timeline(given, alive);
    else if (view === "search") { if (document.activeElement !== field) field.value = ref; await search(ref, alive); }
    else if (view === "note") await note(ref, alive);
    else if (view === "known") await known(alive);
    else if (view === "tags") await tags(ref, given, alive);
    else if (view === "told") await told(alive);
    else if (view === "changes") await changes(given, alive);
    else if (view === "problems") await problems(alive);
    else show(empty("leaf", t("notFound")));
    const title = main.querySelector("h1")?.textContent;
    document.title = title && title !== t("brand") ? `${title.slice(0, 60)} · ${t("brand")}` : t("brand");
    count();
  } catch (error) {
    if (alive()) fail(error);
  }
}

function fail(error) {
  if (error.status === 401) show(empty("leaf", t("key"), t("keySays"), h("code", {}, "memkit web")));
  else if (!(error instanceof Failure) || error.status) show(empty("problems", error.message || t("failed2"), error.mend || "", h("button", { class: "btn", type: "button", onclick: render }, t("retry"))));
  else show(empty("problems", t("offline"), t("offlineSays"), h("code", {}, "memkit web"), h("p", { class: "more" }, h("button", { class: "btn", type: "button", onclick: render }, t("retry")))));
  if (!(error instanceof Failure)) throw error;
}

// -- around the views

function paintNav(view) {
  const counts = stats ? { time: stats.total, known: stats.semantic, tags: stats.kinds.tag || 0, problems: stats.problems } : {};
  document.getElementById("nav").replaceChildren(h("ul", {}, VIEWS.map(([path, name]) => h("li", {}, h("a", { href: `#/${path}`, "aria-current": path === view ? "page" : null }, icon(name), h("span", {}, t(name)),
    counts[name] ? h("span", { class: `count${name === "problems" ? " bad" : ""}` }, number(counts[name])) : null)))));
}

async function count() {
  try {
    stats = await get("memory/stats");
    paintNav(where().view);
    document.querySelector(".foot .where")?.replaceChildren(stats.vault);
  } catch { /* the view says what is wrong */ }
}

function paintWords() {
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  for (const node of document.querySelectorAll("[data-word]")) node.textContent = t(node.dataset.word);
  field.placeholder = t("seekHint");
  document.getElementById("nav").setAttribute("aria-label", t("views"));
  const isDark = document.documentElement.dataset.theme === "dark";
  document.getElementById("foot").replaceChildren(
    h("div", { class: "pair" },
      h("button", { class: "btn small", type: "button", id: "language", lang: language === "zh" ? "en" : "zh-CN", onclick: () => { speak(language === "zh" ? "en" : "zh"); paintWords(); render(); document.getElementById("language").focus(); } }, t("language")),
      h("button", { class: "btn small", type: "button", id: "theme", onclick: () => { paintTheme(isDark ? "light" : "dark", true); paintWords(); document.getElementById("theme").focus(); } }, t(isDark ? "light" : "dark"))),
    h("div", { class: "where" }, stats ? stats.vault : ""));
}

const night = matchMedia("(prefers-color-scheme: dark)");
const chosen = () => { try { return localStorage.getItem("theme"); } catch { return null; } };

function paintTheme(theme, keep) {
  document.documentElement.dataset.theme = theme;
  if (keep) try { localStorage.setItem("theme", theme); } catch { /* a private window forgets */ }
}

night.addEventListener("change", () => { if (!chosen()) { paintTheme(night.matches ? "dark" : "light"); paintWords(); } });

// -- search field and keyboard

let pause = 0;
let before = "#/";

function typed() {
  clearTimeout(pause);
  pause = setTimeout(() => {
    const query = field.value.trim();
    const isSearch = where().view === "search";
    if (!isSearch) before = location.hash || "#/";
    const next = query ? `#/search/${encodeURIComponent(query)}` : before;
    if (next === location.hash) return;
    history[isSearch || !query ? "replaceState" : "pushState"](null, "", next);
    render();
  }, 70);
}

field.addEventListener("input", typed);
document.getElementById("seek").addEventListener("submit", (event) => { event.preventDefault(); typed(); });

const rows = () => [...main.querySelectorAll("[data-row]")];

function step(by) {
  const all = rows();
  const at = all.indexOf(document.activeElement);
  if (by < 0 && at <= 0) return field.focus();
  all[Math.min(all.length - 1, at + by)]?.focus();
  return all[Math.min(all.length - 1, at + by)]?.scrollIntoView({ block: "nearest" });
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const isTyping = event.target.closest("input, textarea, select");
  if (event.key === "/" && !isTyping) {
    event.preventDefault();
    field.focus();
    field.select();
  } else if (event.target === field && event.key === "ArrowDown") {
    event.preventDefault();
    step(1);
  } else if (event.target === field && event.key === "Escape") {
    field.value = "";
    typed();
    main.focus();
  } else if (!isTyping && (event.key === "ArrowDown" || event.key === "ArrowUp") && rows().includes(document.activeElement)) {
    event.preventDefault();
    step(event.key === "ArrowDown" ? 1 : -1);
  } else if (!isTyping && event.key === "Escape") {
    field.focus();
  }
});

window.addEventListener("hashchange", () => {
  const isMoved = document.activeElement !== field;
  enter().catch(() => undefined).then(render).then(() => { if (isMoved) { window.scrollTo(0, 0); main.focus({ preventScroll: true }); } });
});
document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });

paintTheme(chosen() || (night.matches ? "dark" : "light"));
paintWords();
paintNav(where().view);
enter().then(render, fail);
