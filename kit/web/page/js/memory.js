// A memory as a row, and the form in which it is changed.

import { Failure, get, post } from "./api.js";
import { h, tell } from "./dom.js";
import { clock, t } from "./words.js";

export const CATEGORIES = ["preference", "habit", "style", "business", "fact", "other"];
export const to = (ref) => `#/note/${encodeURIComponent(ref)}`;
export const toTag = (name) => `#/tags/${encodeURIComponent(name)}`;

export const chips = (tags) => tags.length ? h("ul", { class: "chips over" }, tags.map((tag) => h("li", {}, h("a", { class: "chip", href: toTag(tag) }, tag)))) : null;

export function weight(value) {
  return value === 3 ? null : h("span", { class: "weight", title: t("weightOf", { n: value }) }, h("span", { "aria-hidden": "true" }, "●".repeat(value), "○".repeat(5 - value)), h("span", { class: "hidden" }, t("weightOf", { n: value })));
}

function state(one) {
  if (one.status !== "completed") return h("span", { class: one.status === "failed" ? "badge bad" : "badge warm" }, t(one.status));
  if (one.feedback) return h("span", { class: one.feedback === "rejected" ? "badge bad" : "badge" }, t(one.feedback));
  return null;
}

/** Break a text where it holds one of the words, and mark those. */
export function marked(text, words = []) {
  const pieces = text.split(/`([^`]+)`/);
  if (pieces.length > 1) return pieces.map((piece, at) => (at % 2 ? h("code", {}, piece) : marked(piece, words)));
  const wanted = words.filter((word) => word.length > 1 || /[^\x00-\x7f]/.test(word)).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (!wanted.length) return text;
  return text.split(new RegExp(`(${wanted.join("|")})`, "gi")).map((part, at) => (at % 2 ? h("mark", {}, part) : part));
}

/** Show a memory; `more` comes below it, `words` are marked in it. */
export function row(one, { more = null, words = [], showTime = true, score = null } = {}) {
  const kind = one.kind === "fact" ? t("semantic") : one.kind === "summary" ? t("session") : one.layer === "transient" ? t("transient") : null;
  return h("article", { class: "row" },
    one.kind === "summary" && one.sessionTitle && h("p", { class: "topic" }, one.sessionTitle),
    h("p", { class: "says" }, h("a", { href: to(one.id), "data-row": true }, marked(one.text, words))),
    h("div", { class: "meta" },
      showTime && h("time", { datetime: new Date(one.at).toISOString() }, clock(one.at)),
      kind && h("span", {}, kind), state(one), one.project && h("span", {}, one.project), one.scene && h("span", {}, one.scene),
      one.kind === "summary" && one.messageCount > 0 && h("span", {}, t("turns", { n: one.messageCount })),
      weight(one.importance), chips(one.tags), score),
    more);
}

/** Say a failure beside the news. */
export function trouble(error) {
  if (error.name === "AbortError") return;
  tell(error instanceof Failure && error.message ? `${error.message} ${error.mend}` : t("offline"));
}

/** Take acts back, the newest first. */
export async function undo(acts, then) {
  try {
    for (const act of [...acts].reverse()) await post("undo", { act });
    await then();
    tell(t("undone"));
  } catch (error) { trouble(error); }
}

/** Take from a note what the form edits. */
export const editedOf = (one) => ({ id: one.id, etag: one.etag, kind: one.kind, text: one.says, category: one.front.category || "other", importance: Number(one.front.importance) || 3, tags: [one.front.tags || []].flat() });

const split = (value) => value.split(/[,，、]/).map((word) => word.trim()).filter(Boolean);

/** Build the form for a memory, or for a new fact when there is none. */
export function form(one, { done, cancel }) {
  const isFact = !one || one.kind === "fact";
  const onlyText = one && one.kind === "summary";
  let before = one;
  const field = (label, input) => h("label", {}, h("span", {}, t(label)), input);
  const text = h("textarea", { value: one ? one.text : "", required: true, maxlength: "4000", placeholder: t("addHint"), name: "text" });
  const sort = h("select", { name: "category" }, CATEGORIES.map((name) => h("option", { value: name, selected: name === (one ? one.category : "preference") }, t(name))));
  const heavy = h("input", { type: "number", min: "1", max: "5", value: one ? one.importance : 3, name: "importance" });
  const tags = h("input", { value: one ? one.tags.join(", ") : "", name: "tags" });
  const wrong = h("p", { class: "note-bad", role: "alert", hidden: true });
  const given = () => ({ text: text.value.trim(), ...(onlyText ? {} : { importance: Number(heavy.value) || 3, tags: split(tags.value) }), ...(isFact ? { category: sort.value } : {}) });
  /** Say what was changed here: the rest is left as it is by then. */
  const changed = () => Object.fromEntries(Object.entries(given()).filter(([name, value]) => String(value) !== String(before[name])));
  /** Go on from the note as it is now; what was changed here stays in the fields. */
  async function rebase() {
    const mine = changed();
    before = editedOf(await get("note", { ref: one.id }));
    for (const [name, input] of Object.entries({ text, category: sort, importance: heavy })) if (!(name in mine)) input.value = before[name];
    if (!("tags" in mine)) tags.value = before.tags.join(", ");
    return "text" in mine ? ` “${before.text}”` : "";
  }
  async function send(event) {
    event.preventDefault();
    try {
      const kept = one ? await post("memory/update", { id: one.id, patch: changed() }, before.etag) : await post("memory/add", { layer: "semantic", ...given() });
      if (kept.refused.length) tell(t("refused", { n: kept.refused.join(" ") }));
      await done(kept);
    } catch (error) {
      wrong.hidden = false;
      wrong.textContent = error.status === 412 ? t("conflict") : `${error.message || t("offline")} ${error.mend || ""}`;
      if (error.status === 412) wrong.append(await rebase());
    }
  }
  return h("form", { class: "edit over", onsubmit: send, onkeydown: (event) => { if (event.key === "Escape") { event.stopPropagation(); cancel(); } } },
    field("text", text),
    onlyText ? null : h("div", { class: "fields" }, isFact && field("category", sort), field("importance", heavy), field("tagsField", tags)),
    wrong,
    h("div", { class: "acts" }, h("button", { class: "btn main", type: "submit" }, t(one ? "save" : "keep")), h("button", { class: "btn", type: "button", onclick: cancel }, t("cancel"))));
}

/** Put a memory away, with a way back. */
export async function putAway(one, then) {
  try {
    const gone = await post("memory/remove", { id: one.id });
    await then();
    tell(t("putAway"), t("undo"), () => undo(gone.acts, then));
  } catch (error) { trouble(error); }
}
