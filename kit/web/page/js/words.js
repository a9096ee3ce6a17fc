// Every word the page says, in English and Chinese, and how dates are said.

const WORDS = {
  en: {
    skip: "Skip to the content", brand: "Memory", views: "Views", seekLabel: "Search your memory", seekHint: "Search, or ask as your agent would…",
    time: "Memories", known: "About you", tags: "Tags", told: "Told", changes: "Changes", problems: "Problems",
    light: "Light", dark: "Dark", language: "中文", theme: "Colours",
    timeTitle: "Memories", timeSays: "What was remembered, newest first. It all lies in your vault as plain notes.",
    all: "All", earlier: "Earlier", more: "Show more", loading: "Loading…",
    timeEmpty: "Nothing is remembered yet", timeEmptySays: "Work with your agent for a while: each turn worth keeping appears here.", timeEmptyHow: "Put the hooks into your agents with",
    noneHere: "Nothing fits here", noneHereSays: "Try another month or tag.",
    pending: "still being answered", interrupted: "cut short", failed: "failed", confirmed: "you confirmed it", rejected: "you rejected it", partial: "partly right", ignored: "you let it pass",
    transient: "in passing", semantic: "lasting", episodic: "a turn", session: "session", turns: "{n} turns", saidAgain: "said again {n}×", weightOf: "importance {n} of 5",
    found: "{n} found", foundNone: "Nothing found for “{q}”", foundNoneSays: "Try fewer or other words. A tag, a person or a project works as well.", readAs: "read as “{q}”",
    why: "Why this one", onlyLetters: "holds the letters you typed", score: "strength {n}",
    asAgent: "What your agent would be told", asAgentNone: "For this, your agent would be told nothing: nothing is well founded enough.", asAgentSays: "{n} tokens would go into its context:",
    leaf: "Note", back: "Back", said: "What was said", user: "You", agent: "Agent", overview: "Overview", links: "Leads to", backlinks: "Leads here", nothingHere: "No note leads here yet.", properties: "Properties", rawShow: "As it stands in the file",
    obsidian: "Open in Obsidian", editor: "Open in editor", path: "Copy path", copied: "The path is copied.", edit: "Edit", save: "Save", cancel: "Cancel", remove: "Put away", restore: "Bring back",
    kindcard: "turn", kindevent: "exchange", kindoverview: "overview", kindsummary: "session", kindfact: "lasting", kindtag: "tag", kindscene: "scene", kindnote: "note", kind: "note", gone: "no such note",
    knownTitle: "What it knows about you", knownSays: "Lasting facts and preferences. Your agent goes by them, so correct what is wrong.",
    knownEmpty: "It knows nothing lasting yet", knownEmptySays: "Tell it something, here or to your agent: “remember that I like short functions”.",
    preference: "Preferences", habit: "Habits", style: "Style", business: "Work", fact: "Facts", other: "Other",
    addFact: "Tell it something", addHint: "I like short functions with clear names", text: "What it says", category: "Sort", importance: "Importance", tagsField: "Tags, separated by commas", keep: "Keep",
    sure: "{n}% sure", saved: "Saved.", kept: "Kept.", keptAgain: "It knew that already, and is surer of it now.", superseded: "Kept. What it knew before is noted below it.", putAway: "Put away. Nothing is ever deleted.", undo: "Undo", undone: "Taken back.",
    refused: "Not taken: {n}",
    tagsTitle: "Tags and how they belong together", tagsSays: "These are the words your memories are found by. Asking for one also finds its neighbours.",
    synonym: "the same thing", related: "belongs together", loose: "touches it", aliases: "Also called", definitions: "What it means", cardsWith: "{n} memories", relate: "Relate it to", add: "Add", level: "How",
    active: "in use", unexamined: "new", deprecated: "resting", merged: "merged", rest: "Let it rest", wake: "Use it again", pickTag: "Pick a tag to see what it means and how it is related.", mostUsed: "Show the most used", round: "Show only its neighbours", leftOut: "{n} rarer tags are not drawn.", everyTag: "Every tag", tagsEmpty: "There are no tags yet", tagsEmptySays: "They appear with your first memories.", tagList: "Filter tags",
    toldTitle: "What your agent was told", toldSays: "For each prompt, the memories that were put into the agent's context.", toldEmpty: "Nothing was told yet", toldEmptySays: "When a prompt is answered with memories, you see here which ones.", tokens: "{n} tokens", goneN: "{n} put away since",
    changesTitle: "Changes", changesSays: "Everything that was done to your memory, by whom and why. What can be taken back says so.", changesEmpty: "Nothing was changed yet", changesEmptySays: "Edits, new tags and clean-ups appear here.", onlyActs: "Only what can be taken back", takeBack: "Take back", isUndone: "taken back", filesN: "{n} notes", showChange: "What changed", newNote: "new", movedTo: "moved to",
    person: "you", hook: "your agent", learn: "learning", maintain: "upkeep", recall: "recall",
    problemsTitle: "Problems", problemsSays: "Notes that need your hand. Nothing is ever mended behind your back.", allWell: "All is well", allWellSays: "Every note can be read.", deep: "Try every link, too", deepBusy: "Reading every note…", lineN: "line {n}",
    key: "This page needs its key", keySays: "Run this in a terminal and open the address it prints:", offline: "The server does not answer", offlineSays: "Start it again and open the address it prints:", failed2: "That did not work", retry: "Try again", conflict: "Somebody changed this note meanwhile. It is shown as it is now; your text is kept in the field.",
    start: "The start of a session", startIn: "The start of a session in {project}", onlyDone: "Only finished ones",
    day0: "Today", day1: "Yesterday", notFound: "There is no such page", skipTo: "",
  },
  zh: {
    skip: "跳到正文", brand: "记忆", views: "页面", seekLabel: "搜索你的记忆", seekHint: "搜索，或者像智能体那样提问……",
    time: "记忆", known: "关于你", tags: "标签", told: "告知", changes: "变更", problems: "问题",
    light: "浅色", dark: "深色", language: "English", theme: "配色",
    timeTitle: "记忆", timeSays: "记住的内容，最新的在前。它们都是记忆库里的普通笔记。",
    all: "全部", earlier: "更早", more: "显示更多", loading: "正在加载……",
    timeEmpty: "还没有记住什么", timeEmptySays: "和智能体一起工作一阵子：值得留下的每一轮对话都会出现在这里。", timeEmptyHow: "把钩子装进你的智能体：",
    noneHere: "这里没有符合的内容", noneHereSays: "换个月份或标签试试。",
    pending: "还在等回答", interrupted: "中断了", failed: "失败了", confirmed: "你确认过", rejected: "你否定过", partial: "部分正确", ignored: "你没有回应",
    transient: "一时的", semantic: "长期", episodic: "一轮对话", session: "会话", turns: "{n} 轮", saidAgain: "又说过 {n} 次", weightOf: "重要性 {n}/5",
    found: "找到 {n} 条", foundNone: "没有找到“{q}”", foundNoneSays: "少用几个词，或者换个说法。标签、人名、项目名也可以。", readAs: "理解为“{q}”",
    why: "为什么是这一条", onlyLetters: "含有你输入的文字", score: "强度 {n}",
    asAgent: "智能体会被告知什么", asAgentNone: "对于这句话，智能体什么也不会被告知：没有足够可靠的依据。", asAgentSays: "会有 {n} 个词元进入它的上下文：",
    leaf: "笔记", back: "返回", said: "当时说了什么", user: "你", agent: "智能体", overview: "概览", links: "链接到", backlinks: "被这些笔记链接", nothingHere: "还没有笔记链接到这里。", properties: "属性", rawShow: "文件原文",
    obsidian: "在 Obsidian 中打开", editor: "在编辑器中打开", path: "复制路径", copied: "路径已复制。", edit: "编辑", save: "保存", cancel: "取消", remove: "归档", restore: "取回",
    kindcard: "对话", kindevent: "原文", kindoverview: "概览", kindsummary: "会话", kindfact: "长期", kindtag: "标签", kindscene: "场景", kindnote: "笔记", kind: "笔记", gone: "没有这篇笔记",
    knownTitle: "它对你的了解", knownSays: "长期有效的事实和偏好。智能体会照着做，所以有错就改。",
    knownEmpty: "它还不了解你", knownEmptySays: "告诉它点什么，在这里或者对智能体说：“记住，我喜欢短小的函数”。",
    preference: "偏好", habit: "习惯", style: "风格", business: "工作", fact: "事实", other: "其他",
    addFact: "告诉它一件事", addHint: "我喜欢短小、命名清楚的函数", text: "内容", category: "类别", importance: "重要性", tagsField: "标签，用逗号分开", keep: "记住",
    sure: "把握 {n}%", saved: "已保存。", kept: "记住了。", keptAgain: "它本来就知道，现在更有把握了。", superseded: "记住了。原来的说法留在下面。", putAway: "已归档。什么都不会被删除。", undo: "撤销", undone: "已撤销。",
    refused: "没有采用：{n}",
    tagsTitle: "标签和它们的关系", tagsSays: "记忆就是靠这些词找到的。问到一个，也会找到它的邻居。",
    synonym: "近义", related: "关联", loose: "弱关联", aliases: "也叫", definitions: "含义", cardsWith: "{n} 条记忆", relate: "建立关系", add: "添加", level: "关系",
    active: "使用中", unexamined: "新的", deprecated: "停用", merged: "已合并", rest: "停用", wake: "重新使用", pickTag: "点一个标签，看它的含义和关系。", mostUsed: "显示最常用的", round: "只看它的邻居", leftOut: "还有 {n} 个较少用的标签没有画出来。", everyTag: "所有标签", tagsEmpty: "还没有标签", tagsEmptySays: "有了第一批记忆，标签就会出现。", tagList: "筛选标签",
    toldTitle: "智能体被告知了什么", toldSays: "每次提问时，放进智能体上下文的记忆。", toldEmpty: "还没有告知过什么", toldEmptySays: "提问时如果用到了记忆，就能在这里看到是哪几条。", tokens: "{n} 个词元", goneN: "其中 {n} 条后来归档了",
    changesTitle: "变更", changesSays: "对记忆做过的每件事：谁做的，为什么。能撤销的会标出来。", changesEmpty: "还没有变更", changesEmptySays: "编辑、新标签和整理都会出现在这里。", onlyActs: "只看能撤销的", takeBack: "撤销", isUndone: "已撤销", filesN: "{n} 篇笔记", showChange: "改了什么", newNote: "新建", movedTo: "移到",
    person: "你", hook: "智能体", learn: "学习", maintain: "维护", recall: "回忆",
    problemsTitle: "问题", problemsSays: "需要你动手的笔记。程序不会背着你修改。", allWell: "一切正常", allWellSays: "每篇笔记都能读取。", deep: "同时检查每个链接", deepBusy: "正在读取每篇笔记……", lineN: "第 {n} 行",
    key: "需要钥匙才能打开", keySays: "在终端里运行下面的命令，再打开它给出的地址：", offline: "服务没有回应", offlineSays: "重新启动，再打开它给出的地址：", failed2: "没有成功", retry: "再试一次", conflict: "这篇笔记刚刚被别处修改过。现在显示的是最新内容；你写的文字还留在输入框里。",
    start: "会话开始", startIn: "在 {project} 中开始会话", onlyDone: "只看已完成的",
    day0: "今天", day1: "昨天", notFound: "没有这个页面", skipTo: "",
  },
};

const kept = () => { try { return localStorage.getItem("language"); } catch { return null; } };
export let language = kept() || (navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en");

export function t(word, params = {}) {
  const said = WORDS[language][word] ?? WORDS.en[word] ?? word;
  return said.replace(/\{(\w+)\}/g, (_, name) => params[name] ?? "");
}

/** What the journal calls an act, and what people call it. */
const ACTS = {
  frame: ["took a prompt down", "记下一次提问"], complete: ["noted an answer", "记下一次回答"], remember: ["kept a fact", "记住一件事"], edit: ["edited", "修改了"],
  "put-away": ["put away", "归档了"], forget: ["put away", "归档了"], restore: ["brought back", "取回了"], "write-down": ["wrote down", "写下了"], undo: ["took back", "撤销了"],
  feedback: ["judged", "评价了"], tag: ["made a tag", "新建标签"], define: ["defined a tag", "定义标签"], status: ["changed whether a tag is used", "改变标签状态"], deprecate: ["let a tag rest", "停用标签"], activate: ["uses a tag again", "重新使用标签"],
  relate: ["related tags", "关联标签"], mirror: ["followed a relation", "同步关系"], rename: ["renamed a tag", "重命名标签"], merge: ["merged tags", "合并标签"], split: ["split a tag", "拆分标签"], align: ["completed a tag", "补全标签"],
  tags: ["chose tags", "选定标签"], replaced: ["took another answer", "换了回答"], import: ["imported", "导入了"], relink: ["wrote links anew", "更新链接"], end: ["ended a session", "会话结束"],
  abandoned: ["gave an act up", "放弃了一次操作"], recall: ["recalled", "回忆"], compact: ["shortened its context", "压缩了上下文"], "repair-summary": ["mended a summary", "修复摘要"],
  scene: ["set a scene", "设定场景"], clean: ["cleaned up", "整理了"], redact: ["took a secret out", "去掉了一处机密"], learn: ["learned from a turn", "从对话中学习"], commit: ["summed a session up", "总结了一次会话"],
  "keep-transient": ["left in passing", "当作一时的话"], learned: ["learned from a turn", "从对话中学习"], extract: ["learned a fact", "学到一件事"], supersede: ["replaced a fact", "更新了一件事"],
  promote: ["made lasting", "转为长期"], capture: ["caught in passing", "随手记下"], trim: ["put the lightest away", "归档了最次要的"], append: ["added to a turn", "补充了一轮对话"],
};
/** What the journal gives as a reason where that is a word of its own, and what people say. */
const REASONS = {
  new: ["new", "新的"], confirmed: ["said again", "再次确认"], superseded: ["replaces what held before", "取代了原来的说法"], updated: ["updated", "已更新"], unchanged: ["unchanged", "没有变化"],
  "by rules": ["by rules", "按规则"], "a relation stands on both notes": ["a relation stands on both notes", "关系要写在两边的笔记里"],
  "nothing to put away": ["nothing to put away", "没有需要归档的"], "the person changed the relations of this tag": ["you changed the relations of this tag", "你改了这个标签的关系"],
};
export const reason = (why, what) => (what === "undo" ? act(why) : REASONS[why] ? REASONS[why][language === "zh" ? 1 : 0] : why);

/** Say what a memory was told for: a prompt, or the start of a session. */
export function occasion(said) {
  const start = /^start of a session(?: in (.*))?$/.exec(said);
  if (!start) return said ? `“${said}”` : "…";
  return start[1] ? t("startIn", { project: start[1] }) : t("start");
}
export const act = (what) => (ACTS[what] ? ACTS[what][language === "zh" ? 1 : 0] : what.replace(/-/g, " "));

export function speak(other) {
  language = other;
  try { localStorage.setItem("language", other); } catch { /* a private window forgets */ }
}

const locale = () => (language === "zh" ? "zh-CN" : "en-GB");

/** Say a day, as the person's calendar has it. */
export function day(iso) {
  const at = new Date(`${iso}T12:00:00`);
  const days = Math.round((new Date(new Date().setHours(12, 0, 0, 0)) - at) / 86400000);
  const name = days === 0 || days === 1 ? t(`day${days}`) : at.toLocaleDateString(locale(), { day: "numeric", month: "short" });
  const rest = at.getFullYear() === new Date().getFullYear()
    ? at.toLocaleDateString(locale(), { weekday: "long" })
    : at.toLocaleDateString(locale(), { year: "numeric", ...(language === "zh" ? {} : { weekday: "short" }) });
  return [name, rest];
}

export const date = (iso) => new Date(`${iso}T12:00:00`).toLocaleDateString(locale(), { day: "numeric", month: "short", year: "numeric" });
export const month = (iso) => new Date(`${iso}-02T12:00:00`).toLocaleDateString(locale(), { month: language === "zh" ? "long" : "short", year: "numeric" });
export const clock = (ms) => new Date(ms).toLocaleTimeString(locale(), { hour: "2-digit", minute: "2-digit" });
export const moment = (said) => new Date(said).toLocaleString(locale(), { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
export const number = (value) => value.toLocaleString(locale());
