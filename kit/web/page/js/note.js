// One note: what it says, what was said, where it leads and what leads to it.

import { get } from "./api.js";
import { h, show, tell, waiting } from "./dom.js";
import { markdown } from "./markdown.js";
import { chips, editedOf, form, marked, putAway, to, undo, weight } from "./memory.js";
import { t } from "./words.js";

const HIDDEN = new Set(["id", "kind", "tags", "event", "overview", "summary", "card", "cards", "sources", "synonym", "related", "loose", "turn", "learn", "title", "importance"]);
const BARE = /^!?\[\[([^\]|#^]+)[^\]]*\]\]$/;
const editable = (kind) => kind === "card" || kind === "fact" || kind === "summary";

export async function note(ref, alive) {
  show(waiting(2));
  const one = await get("note", { ref });
  if (!alive()) return;
  const again = () => note(ref, alive);
  const follow = (target) => {
    const found = one.links.find((link) => link.target === target);
    return found && found.path ? { href: to(found.id || found.path), title: found.title } : null;
  };
  const [first, ...rest] = one.body.trim().split(/\n/);
  const isSummed = editable(one.kind) && first && !/^[#>`|~-]/.test(first);
  const heading = one.kind === "event" || one.kind === "overview" ? one.title : isSummed ? first : one.title;
  const isHeaded = first === `# ${one.title}`;
  const body = isSummed || isHeaded ? rest.join("\n") : one.kind === "event" ? "" : one.body;
  const top = h("div", {}, h("h1", {}, marked(heading)), h("div", { class: "meta" }, weight(Number(one.front.importance) || 3), chips([one.front.tags || []].flat())));
  const paper = h("article", { class: "paper" }, top,
    body.trim() && h("div", { class: "prose part" }, markdown(body, follow)),
    one.kind === "event" && exchange(...sides(one.body), follow),
    one.overview && h("section", { class: "part" }, h("h2", {}, t("overview")), h("div", { class: "prose" }, markdown(one.overview, follow))),
    (one.said.user || one.said.agent) && exchange(one.said.user, one.said.agent, follow));
  if (editable(one.kind)) top.append(acts(one, top, again));
  show(
    h("div", { class: "crumb" }, h("a", { href: "#/", onclick: (event) => { if (history.length > 1) { event.preventDefault(); history.back(); } } }, `← ${t("back")}`), h("span", { class: "badge" }, t(`kind${one.kind}`)), h("span", {}, one.path)),
    paper, ways(one), links(one), properties(one));
}

function sides(body) {
  const [, user = "", agent = ""] = /^\s*## User\n([\s\S]*?)(?:\n## Agent\n([\s\S]*))?$/.exec(body.replace(/\r\n/g, "\n")) || [null, body];
  return [user.trim(), agent.trim()];
}

function exchange(user, agent, follow) {
  return h("section", { class: "part" }, h("h2", {}, t("said")),
    user && h("div", { class: "said" }, h("h3", {}, t("user")), h("div", { class: "prose" }, markdown(user, follow))),
    agent && h("div", { class: "said" }, h("h3", {}, t("agent")), h("div", { class: "prose" }, markdown(agent, follow))));
}

function acts(one, top, again) {
  const memory = editedOf(one);
  const edit = () => top.replaceChildren(form(memory, {
    cancel: again,
    done: async (kept) => {
      await again();
      if (kept.act) tell(t("saved"), t("undo"), () => undo([kept.act], again));
    },
  }));
  return h("div", { class: "below" },
    h("button", { class: "btn small", type: "button", onclick: () => { edit(); top.querySelector("textarea").focus(); } }, t("edit")),
    h("button", { class: "btn small bad", type: "button", onclick: () => putAway(memory, async () => { location.hash = "#/"; }) }, t("remove")));
}

function ways(one) {
  const slashed = one.file.replace(/\\/g, "/");
  const address = slashed.split("/").map(encodeURIComponent).join("/");
  return h("div", { class: "below" },
    h("a", { class: "btn small", href: `obsidian://open?path=${encodeURIComponent(one.file)}` }, t("obsidian")),
    h("a", { class: "btn small", href: `vscode://file${address.startsWith("/") ? "" : "/"}${address}` }, t("editor")),
    h("button", { class: "btn small", type: "button", onclick: async () => { try { await navigator.clipboard.writeText(one.file); tell(t("copied")); } catch { tell(one.file); } } }, t("path")));
}

function linkList(links) {
  return h("ul", { class: "linklist" }, links.map((link) => h("li", {}, link.path
    ? h("a", { href: to(link.id || link.path) }, h("span", { class: "kind" }, t(`kind${link.kind}`)), h("span", {}, link.title))
    : h("span", { class: "gone" }, `${link.target} (${t("gone")})`))));
}

function links(one) {
  const known = new Set(one.links.map((link) => link.path));
  const back = one.backlinks.filter((link) => !(known.has(link.path) && (link.kind === "event" || link.kind === "overview")));
  return [
    one.links.length > 0 && h("section", { class: "part" }, h("h2", {}, t("links")), linkList(one.links)),
    h("section", { class: "part" }, h("h2", {}, t("backlinks")), back.length ? linkList(back) : h("p", { class: "meta" }, t("nothingHere"))),
  ];
}

function properties(one) {
  const shown = Object.entries(one.front).filter(([key, value]) => !HIDDEN.has(key) && value.length && !BARE.test(String(value)));
  return h("section", { class: "part" },
    shown.length > 0 && h("details", { class: "fold" }, h("summary", {}, t("properties")), h("dl", { class: "facts-of" }, shown.map(([key, value]) => [h("dt", {}, key), h("dd", {}, [value].flat().join(", "))]))),
    h("details", { class: "fold" }, h("summary", {}, t("rawShow")), h("pre", { class: "raw", tabindex: "0" }, one.raw)));
}
