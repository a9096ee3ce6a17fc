// Why a memory was found: each effect on its score as a bar and a sentence.

import { h } from "./dom.js";
import { language, t } from "./words.js";

const NAMES = {
  direct: ["tag", "标签"], alias: ["other name", "别名"], merged: ["merged tag", "合并"], stem: ["word form", "词形"], part: ["part of a name", "名称的一部分"],
  synonym: ["synonym", "近义"], related: ["related", "相关"], time: ["time", "时间"], person: ["person", "人物"], place: ["place", "地点"], project: ["project", "项目"], key: ["subject", "主题"],
  text: ["words", "文字"], near: ["turns beside", "相邻对话"], topic: ["its topic", "同一话题"], "co-tag": ["shared tag", "共同标签"], decay: ["age", "时间远近"], importance: ["importance", "重要性"],
  layer: ["kind", "种类"], feedback: ["your verdict", "你的反馈"], scene: ["scene", "场景"], ground: ["ground", "依据"], duplicate: ["said twice", "重复"],
  words: ["shared words", "共同词"], coverage: ["coverage", "覆盖"], density: ["density", "密度"], tag: ["tag", "标签"],
};
const FIELDS = { summary: ["the summary", "摘要"], user: ["what you said", "你说的话"], agent: ["the answer", "回答"], overview: ["the overview", "概览"], tags: ["its tags", "标签"], facts: ["the fact", "事实"], body: ["your own words below", "正文"], title: ["the title", "标题"] };
const LAYERS = { semantic: ["Lasting knowledge weighs more", "长期知识更重要"], episodic: ["A turn of work", "一轮对话"], transient: ["Said in passing, so it weighs less", "一时的话，分量较轻"] };

const one = (pair) => (language === "zh" ? pair[1] : pair[0]);
const both = (en, zh) => (language === "zh" ? zh : en);

/** Each pattern of the engine's notes, and how it is said to people. */
const SENTENCES = [
  [/^tag '(.+)', merged from '(.+)'$/, (a, b) => both(`It bears “${a}”, into which “${b}” was merged`, `它带有“${a}”（“${b}”已并入）`)],
  [/^tag '(.+)'$/, (a) => both(`It bears the tag “${a}”`, `它带有标签“${a}”`)],
  [/^'(.+)' is an alias of tag '(.+)'$/, (a, b) => both(`“${a}” is another name of its tag “${b}”`, `“${a}”是它的标签“${b}”的别名`)],
  [/^'(.+)' has the stem of tag '(.+)'$/, (a, b) => both(`“${a}” is a form of its tag “${b}”`, `“${a}”是标签“${b}”的另一种词形`)],
  [/^'(.+)', a synonym of '(.+)' \(hop (\d+)\)$/, (a, b) => both(`Its tag “${a}” means the same as “${b}”`, `它的标签“${a}”与“${b}”同义`)],
  [/^'(.+)', related to '(.+)'$/, (a, b) => both(`Its tag “${a}” is related to “${b}”`, `它的标签“${a}”与“${b}”相关`)],
  [/^'(.+)' is part of '(.+)'$/, (a, b) => both(`“${a}” is part of “${b}”`, `“${a}”是“${b}”的一部分`)],
  [/^(person|place|project|key) '(.+)'$/, (a, b) => both(`It is about “${b}”`, `它和“${b}”有关`)],
  [/^from the time of '(.+)'$/, (a) => both(`It is from the time of “${a}”`, `它发生在“${a}”`)],
  [/^words found in (.+)$/, (a) => {
    const places = a.match(/[a-z]+(?= \d)/g);
    if (!places) return both("Your words stand close by", "附近有你用的词");
    const names = places.map((name) => one(FIELDS[name] || [name, name]));
    return both(`Your words stand in ${names.join(", ").replace(/, ([^,]*)$/, " and $1")}`, `你用的词出现在：${names.join("、")}`);
  }],
  [/^([\d.]+) days old$/, (a) => { const days = Math.round(a); return both(days < 1 ? "From today" : days === 1 ? "A day old" : `${days} days old; older ones fade`, days < 1 ? "今天的" : `${days} 天前，越早越淡`); }],
  [/^(?:importance )?(\d) of 5$/, (a) => both(`Importance ${a} of 5`, `重要性 ${a}/5`)],
  [/^(semantic|episodic|transient) memory$/, (a) => one(LAYERS[a])],
  [/^(\w+) by the person$/, (a) => t(a)],
  [/^same (sub-)?scene '(.+)'$/, (a, b) => both(`It happened in the same scene, “${b}”`, `同一场景：“${b}”`)],
  [/^founded on ([\d.]+) tags and ([\d.]+) words.*$/, (a, b) => both(`Founded on ${a} tags and ${b} words, counted by how rare they are`, `依据：${a} 个标签、${b} 个词（越少见越可靠）`)],
  [/^shares '(.+)' with a card found, round \d+$/, (a) => both(`It shares “${a}” with another one found`, `和找到的另一条共有“${a}”`)],
];

export function sentence(reason) {
  for (const [pattern, say] of SENTENCES) {
    const match = pattern.exec(reason.note);
    if (match) return say(...match.slice(1));
  }
  return reason.note;
}

export function bar(value, kind) {
  const part = h("i");
  if (kind === "×") {
    const far = Math.max(2, Math.min(50, Math.abs(Math.log2(Math.max(0.01, value))) * 50)); // a half and a double fill a side
    part.style.setProperty("left", `${value < 1 ? 50 - far : 50}%`);
    part.style.setProperty("width", `${far}%`);
    return h("span", { class: `bar times${value < 1 ? " down" : ""}`, "aria-hidden": "true" }, part);
  }
  part.style.setProperty("left", "0");
  part.style.setProperty("width", `${Math.max(1.5, Math.min(1, value) * 100)}%`);
  return h("span", { class: "bar", "aria-hidden": "true" }, part);
}

const said = (reason) => `${reason.kind === "×" ? "×" : "+"} ${reason.value.toFixed(2)}`;

/** Show the reasons of a hit, folded unless `open`. */
export function why(reasons, open) {
  if (!reasons.length) return h("p", { class: "meta" }, t("onlyLetters"));
  const factors = reasons.filter((reason) => reason.kind !== "=" || reason.factor === "duplicate").map((reason) => h("li", { class: "factor" },
    h("span", { class: "name" }, one(NAMES[reason.factor] || [reason.factor, reason.factor])),
    h("span", { title: said(reason) }, bar(reason.value, reason.kind), h("span", { class: "hidden" }, said(reason))),
    h("span", { class: "sentence" }, sentence(reason))));
  return h("details", { class: "why over", open }, h("summary", {}, open ? t("why") : sentence(reasons[0])), h("ul", { class: "factors" }, factors));
}
