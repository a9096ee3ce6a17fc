// A small Markdown reader that builds nodes. Law: a note's text never becomes markup: what is not known stays text, and a
// link goes to a note, or to http(s) and mail, nowhere else.

import { h } from "./dom.js";

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*(\S*)/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const RULE = /^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/;
const ITEM = /^( *)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const QUOTE = /^ {0,3}> ?(.*)$/;
const ROW = /^\s*\|.*\|\s*$/;
const DASHES = /^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/;
const DEEPEST = 12;

/** Build the nodes of a Markdown text; `follow(target)` says where a [[link]] leads: {href, title}, or null. */
export function markdown(text, follow = () => null) {
  return blocks(text.replace(/\r\n?/g, "\n").split("\n"), follow, 0);
}

function blocks(lines, follow, depth) {
  const found = [];
  let at = 0;
  const inner = (part) => (depth >= DEEPEST ? [h("p", {}, part.join("\n"))] : blocks(part, follow, depth + 1));
  while (at < lines.length) {
    const line = lines[at];
    let match;
    if (!line.trim()) { at += 1; continue; }
    if ((match = FENCE.exec(line))) {
      const close = new RegExp(`^ {0,3}${match[1][0] === "`" ? "`" : "~"}{${match[1].length},}\\s*$`);
      const start = ++at;
      while (at < lines.length && !close.test(lines[at])) at += 1;
      found.push(h("pre", { tabindex: "0" }, h("code", {}, lines.slice(start, at).join("\n"))));
      at += 1;
    } else if ((match = HEADING.exec(line))) {
      found.push(h(`h${Math.min(6, match[1].length + 1)}`, {}, inline(match[2], follow)));
      at += 1;
    } else if (RULE.test(line)) {
      found.push(h("hr"));
      at += 1;
    } else if (QUOTE.test(line)) {
      const part = [];
      while (at < lines.length && (match = QUOTE.exec(lines[at]))) { part.push(match[1]); at += 1; }
      found.push(h("blockquote", {}, inner(part)));
    } else if (ROW.test(line) && DASHES.test(lines[at + 1] || "")) {
      const rows = [];
      while (at < lines.length && ROW.test(lines[at])) { rows.push(lines[at]); at += 1; }
      found.push(table(rows, follow));
    } else if ((match = ITEM.exec(line))) {
      const [list, next] = items(lines, at, inner);
      found.push(list);
      at = next;
    } else {
      const part = [];
      while (at < lines.length && lines[at].trim() && !starts(lines, at)) { part.push(lines[at].trim()); at += 1; }
      if (!part.length) { part.push(line.trim()); at += 1; }
      found.push(h("p", {}, inline(part.join("\n"), follow)));
    }
  }
  return found;
}

const starts = (lines, at) => [FENCE, HEADING, RULE, QUOTE, ITEM].some((sort) => sort.test(lines[at]));

function items(lines, at, inner) {
  const first = ITEM.exec(lines[at]);
  const ordered = /\d/.test(first[2]);
  const list = h(ordered ? "ol" : "ul", ordered && parseInt(first[2], 10) !== 1 ? { start: parseInt(first[2], 10) } : {});
  const indent = first[1].length;
  while (at < lines.length) {
    const match = ITEM.exec(lines[at]);
    if (!match || match[1].length !== indent || /\d/.test(match[2]) !== ordered) break;
    const part = [match[3]];
    at += 1;
    while (at < lines.length) {
      const next = ITEM.exec(lines[at]);
      if (next && next[1].length <= indent) break;
      const isBlank = !lines[at].trim();
      if (isBlank && !/^\s{2,}\S/.test(lines[at + 1] || "")) break;
      if (!isBlank && !/^\s/.test(lines[at]) && starts(lines, at)) break;
      part.push(lines[at].replace(new RegExp(`^ {1,${indent + 4}}`), ""));
      at += 1;
    }
    const box = /^\[([ xX])\]\s+/.exec(part[0]);
    if (box) part[0] = part[0].slice(box[0].length);
    const body = inner(part);
    const tight = body.length && body[0].tagName === "P" ? [...body[0].childNodes, ...body.slice(1)] : body;
    list.append(h("li", {}, box && h("input", { type: "checkbox", disabled: true, checked: box[1] !== " ", "aria-label": box[1] === " " ? "○" : "✓" }), tight));
    while (at < lines.length && !lines[at].trim() && ITEM.test(lines[at + 1] || "")) at += 1;
  }
  return [list, at];
}

function table(rows, follow) {
  const cells = (row) => row.trim().slice(1, -1).split(/(?<!\\)\|/).map((cell) => inline(cell.trim().replace(/\\\|/g, "|"), follow));
  const [head, , ...rest] = rows;
  return h("table", {}, h("thead", {}, h("tr", {}, cells(head).map((cell) => h("th", {}, cell)))), h("tbody", {}, rest.map((row) => h("tr", {}, cells(row).map((cell) => h("td", {}, cell))))));
}

const MARKS = [
  [/^(`+)([^`]|[^`][\s\S]*?[^`])\1(?!`)/, (match) => h("code", {}, match[2])],
  [/^!?\[\[([^\]|#^\n]+)([#^][^\]|\n]*)?(?:\|([^\]\n]*))?\]\]/, (match, follow) => wiki(match, follow)],
  [/^!?\[([^\]\n]{0,400})\]\(\s*<?([^\s)>]{1,2000})>?(?:\s+"[^"]*")?\s*\)/, (match, follow, depth) => away(match[2], deeper(match[1], follow, depth))],
  [/^<(https?:\/\/[^\s<>]{1,2000})>/, (match) => away(match[1], match[1])],
  [/^https?:\/\/[^\s<>\u3000-\u303f\uff00-\uffef]{1,2000}[^\s<>.,:;!?'")\]\u3000-\u303f\uff00-\uffef]/, (match) => away(match[0], match[0])],
  [/^(\*\*|__)(?=\S)([\s\S]{1,2000}?\S)\1/, (match, follow, depth) => h("strong", {}, deeper(match[2], follow, depth))],
  [/^~~(?=\S)([\s\S]{1,2000}?\S)~~/, (match, follow, depth) => h("s", {}, deeper(match[1], follow, depth))],
  [/^==(?=\S)([\s\S]{1,2000}?\S)==/, (match, follow, depth) => h("mark", {}, deeper(match[1], follow, depth))],
  [/^\*(?=[^\s*])([^*\n]{1,2000}?)\*(?!\*)/, (match, follow, depth) => h("em", {}, deeper(match[1], follow, depth))],
  [/^_(?=[^\s_])([^_\n]{1,2000}?)_(?![\w])/, (match, follow, depth) => h("em", {}, deeper(match[1], follow, depth))],
  [/^\\([!-/:-@[-`{-~])/, (match) => match[1]],
  [/^ {2,}\n|^\\\n/, () => h("br")],
];
const MAY_BEGIN = /[`![<h*_~=\\ ]/g;

const deeper = (text, follow, depth) => (depth >= DEEPEST ? text : inline(text, follow, depth + 1));

function inline(text, follow, depth = 0) {
  const found = [];
  let plain = 0;
  let at = 0;
  while (at < text.length) {
    MAY_BEGIN.lastIndex = at;
    const next = MAY_BEGIN.exec(text);
    if (!next) break;
    at = next.index;
    const isInWord = /[\p{L}\p{N}_]/u.test(text[at - 1] || "") && /[h_]/.test(text[at]);
    const rest = isInWord ? "" : text.slice(at, at + 4200);
    const mark = rest && MARKS.map(([sort, build]) => [sort.exec(rest), build]).find(([match]) => match);
    if (!mark) { at += 1; continue; }
    if (at > plain) found.push(text.slice(plain, at));
    found.push(mark[1](mark[0], follow, depth));
    at += mark[0][0].length;
    plain = at;
  }
  if (plain < text.length) found.push(text.slice(plain));
  return found;
}

function wiki(match, follow) {
  const [, target, , shown] = match;
  const found = follow(target.trim().replace(/\.md$/, ""));
  const name = target.split("/").pop();
  const said = shown || (found && /^\d{8}-\d{6}-/.test(name) ? found.title : name); // an id tells people nothing
  return found ? h("a", { href: found.href }, said) : h("span", { class: "gone" }, said);
}

function away(href, children) {
  const isSafe = /^(https?:\/\/|mailto:)/i.test(href);
  return isSafe ? h("a", { href, target: "_blank", rel: "noopener noreferrer nofollow" }, children) : h("span", {}, children);
}
