// Stands in for a client: loads its plugin as that client does, plays one scene with it, and prints what came of it.
//
//   node client.mjs <client> <plugin file> <scene>     scene: JSON {prompt, answer, session, folder, how}
//   how: "" | "error" | "aborted" | "child" | "broken" (the client's own interface throws)
// Prints {injected, threw, milliseconds}: the text that would reach the model, and how long the prompt was held up.
// It ends at once when the scene is over, as a client in print mode does.

import { pathToFileURL } from "node:url"

const [client, file, scene] = [process.argv[2], process.argv[3], JSON.parse(process.argv[4])]
const { prompt, answer, session = "s1", folder = process.cwd(), how = "" } = scene
const plugin = await import(pathToFileURL(file).href)
const told = { injected: "", threw: "", milliseconds: 0 }

async function timed(act) {
  const begun = performance.now()
  const found = await act()
  told.milliseconds = Math.round(performance.now() - begun)
  return found
}

function listeners() {
  const held = new Map()
  const on = (name, act) => held.set(name, [...(held.get(name) ?? []), act])
  const emit = async (name, ...given) => {
    let last
    for (const act of held.get(name) ?? []) last = (await act(...given)) ?? last
    return last
  }
  return { on, emit }
}

const clients = {
  async opencode() {
    const info = { id: session, directory: folder, ...(how === "child" ? { parentID: "s0" } : {}) }
    const error = how === "error" ? { name: "APIError", data: { message: "no such model" } } : undefined
    const messages = [
      { info: { id: "m1", role: "user" }, parts: [{ type: "text", text: prompt }] },
      { info: { id: "m2", role: "assistant", parentID: "m1" }, parts: [{ type: "tool", tool: "bash" }] },
      { info: { id: "m3", role: "assistant", parentID: "m1", error }, parts: [{ type: "text", text: answer }] },
    ]
    const given = async (data) => {
      if (how === "broken") throw new Error("the client broke")
      return { data }
    }
    const api = { session: { get: () => given(info), messages: () => given(messages) } }
    const exported = Object.values(plugin)
    if (exported.length !== 1) throw new Error("OpenCode calls every export")
    const hooks = await exported[0]({ client: api, directory: folder, worktree: folder })
    if (how !== "broken") {
      await hooks.event({ event: { type: "session.created", properties: { sessionID: session, info } } })
    }
    const parts = [{ id: "prt_5", type: "text", text: prompt, messageID: "m1", sessionID: session }]
    const output = { message: { id: "m1", role: "user", sessionID: session }, parts }
    await timed(() => hooks["chat.message"]({ sessionID: session }, output))
    parts.sort((one, other) => (one.id < other.id ? -1 : 1))
    if (parts.length > 1) {
      const [first] = parts
      if (!first.synthetic || first.messageID !== "m1" || !/^prt_\w{20,}$/.test(first.id)) throw new Error("an odd part")
      told.injected = first.text
    }
    await hooks.event({ event: { type: "session.idle", properties: { sessionID: session } } })
    await hooks.event({ event: { type: "session.idle", properties: { sessionID: session } } })
  },

  async pi() {
    const { on, emit } = listeners()
    plugin.default({ on })
    const sessionManager = { getSessionId: () => session, getSessionFile: () => undefined }
    const ctx = how === "broken" ? null : { cwd: folder, sessionManager }
    await emit("session_start", { reason: "startup" }, ctx)
    const messageType = how === "child" ? "custom" : "user"
    const found = await timed(() => emit("before_agent_start", { messageType, prompt }, ctx))
    if (found) {
      if (found.message.display !== false || found.message.customType !== "memkit") throw new Error("an odd message")
      told.injected = found.message.content
    }
    const stopReason = { error: "error", aborted: "aborted" }[how] ?? "stop"
    const messages = [
      { role: "user", content: "an older prompt" },
      { role: "assistant", content: [{ type: "text", text: "an older answer" }], stopReason: "stop" },
      { role: "user", content: [{ type: "text", text: prompt }] },
      { role: "custom", customType: "memkit", content: told.injected },
      { role: "assistant", content: [{ type: "toolCall", name: "bash" }], stopReason: "toolUse" },
      { role: "assistant", content: [{ type: "text", text: answer }], stopReason, errorMessage: "no such model" },
    ]
    await emit("agent_end", { messages }, ctx)
    await emit("agent_settled", { aborted: how === "aborted" }, ctx)
    await emit("session_shutdown", { reason: "quit" }, ctx)
  },

  async openclaw() {
    const { on, emit } = listeners()
    plugin.default.register({ on })
    const trigger = how === "child" ? "cron" : "user"
    const ctx = how === "broken" ? null : { sessionKey: session, runId: "r1", trigger, workspaceDir: folder }
    const found = await timed(() => emit("before_prompt_build", { prompt, messages: [] }, ctx))
    told.injected = found?.prependContext ?? ""
    const messages = [
      { role: "user", content: prompt },
      { role: "assistant", content: [{ type: "text", text: answer }] },
    ]
    const failed = how === "error"
    await emit("agent_end", { messages, success: !failed, error: failed ? new Error("no such model") : undefined }, ctx)
  },

  async dsh() {
    const { on, emit } = listeners()
    if (!plugin.name || !plugin.inject.includes("agents")) throw new Error("an odd plugin")
    plugin.apply({ on })
    const header = { id: session, cwd: folder, ...(how === "child" ? { parentSession: "s0" } : {}) }
    const agent = how === "broken" ? null : { session: { id: session, header } }
    const held = agent?.session ?? null
    const block = (text) => [{ type: "text", text }]
    const typed = Object.freeze({ id: "u1", role: "user", at: 1, content: block(prompt), source: { kind: "user" } })
    await emit("agent/session-start", { source: "startup", agent })
    const step = { messages: [typed], turn: 1, step: 1, agent }
    const next = async () => ({ kind: "enter", messages: [typed] })
    const found = await timed(() => emit("agent/pre-step", step, next))
    if (found.messages[0] !== typed) throw new Error("the person's message is not first")
    if (found.messages.length > 1) {
      const { id, role, at, source, content } = found.messages[1]
      if (id === "u1" || role !== "user" || at !== 1 || source.kind !== "plugin") throw new Error("an odd message")
      told.injected = content[0].text
    }
    await emit("session/event", held, { type: "assistant/message", data: { message: { content: block("looking") } } })
    const later = await emit("agent/pre-step", { messages: [], turn: 1, step: 2, agent }, next)
    if (later.messages.length > 1) throw new Error("injected at a later step")
    await emit("session/event", held, { type: "assistant/message", data: { message: { content: block(answer) } } })
    if (!how) await emit("agent/turn-stopping", { turn: 1, signal: { aborted: false }, agent })
    const reason = { kind: { error: "error", aborted: "aborted" }[how] ?? "completed", message: "no such model" }
    const done = emit("session/event", held, { type: "turn/end", data: { turn: 1, reason } })
    if (how) await done // without an end that is waited for, the rest may be cut off
  },
}

try {
  await clients[client]()
} catch (error) {
  told.threw = String(error?.stack ?? error)
}
process.stdout.write(JSON.stringify(told) + "\n", () => process.exit(0))
