// The memory kit in DeepSeek Harness. Laid by `memkit hooks install dsh`; `memkit hooks uninstall dsh` takes it out.
//
// Law: whatever goes wrong here, DeepSeek Harness goes on as if this file were not there.

// The paths of this machine, filled in when the file is laid; in a checkout the neighbours are used.
const KIT = null

let asking
async function ask(event, payload, folder) {
  try {
    const there = KIT?.link ?? new URL("../node/link.mjs", import.meta.url).href
    asking ??= import(there).then((link) => link.open("dsh", KIT))
    return (await (await asking)(event, payload, folder)) || ""
  } catch {
    return "" // the kit is gone: silence
  }
}

export const name = "memkit"
export const inject = ["agents", "sessions"]

const textOf = (content) =>
  (content ?? []).filter((block) => block?.type === "text").map((block) => block.text).join("\n\n")

// It imports nothing of dsh: a message is made by copying the person's.
const messageLike = (other, text) => {
  const { id, ...rest } = other
  const source = { kind: "plugin", plugin: name }
  return Object.freeze({ ...rest, id: crypto.randomUUID(), content: [{ type: "text", text }], source })
}

export function apply(ctx) {
  const said = new Map() // the texts of the running turn, by session

  const aboutOf = (session) => {
    const header = session?.header ?? {}
    const about = { id: session?.id ?? header.id, cwd: header.cwd }
    return header.parentSession ? { ...about, parentSession: header.parentSession } : about
  }
  const ended = (session, turn, reason) => {
    const about = aboutOf(session)
    const messages = (said.get(about.id) ?? []).map((text) => ({ role: "assistant", text }))
    return ask("answer", { event: "session/event", type: "turn/end", ...about, turn, reason, messages }, about.cwd)
  }
  const on = (event, act) =>
    ctx.on(event, async (...given) => {
      try {
        await act(...given)
      } catch {
        // silence
      }
    })

  on("agent/session-start", ({ source, agent }) => {
    const about = aboutOf(agent?.session)
    return ask("start", { event: "agent/session-start", ...about, source }, about.cwd)
  })

  ctx.on("agent/pre-step", async (step, next) => {
    let typed
    let text = ""
    try {
      typed = (step.messages ?? []).find((message) => message?.source?.kind === "user")
      const about = aboutOf(step.agent?.session)
      if (typed && !about.parentSession) {
        if (step.step === 1) said.set(about.id, [])
        const messages = step.messages.map(({ role, source, content }) => {
          return { role, source: { kind: source?.kind }, text: textOf(content) }
        })
        const asked = { event: "agent/pre-step", ...about, turn: step.turn, step: step.step, messages }
        text = await ask("prompt", asked, about.cwd)
      }
    } catch {
      text = ""
    }
    const decided = await next() // whatever is thrown here is not ours
    try {
      if (text && decided?.kind === "enter") {
        return { ...decided, messages: [...decided.messages, messageLike(typed, text)] }
      }
    } catch {
      // silence
    }
    return decided
  })

  on("session/event", (session, event) => {
    const { id, parentSession } = aboutOf(session)
    if (parentSession) return undefined
    if (event?.type === "assistant/message") {
      const text = textOf(event.data?.message?.content)
      if (text) said.set(id, [...(said.get(id) ?? []), text])
    } else if (event?.type === "turn/end") {
      const { turn, reason } = event.data ?? {}
      const message = reason?.message ?? reason?.error?.message
      const done = ended(session, turn, { kind: reason?.kind, message: message && String(message) })
      said.delete(id)
      return done
    }
    return undefined
  })

  // Waited for, unlike `turn/end`, after which a headless run ends at once; told twice is told once.
  on("agent/turn-stopping", ({ turn, signal, agent }) => {
    const { id, parentSession } = aboutOf(agent?.session)
    if (parentSession || signal?.aborted || !said.get(id)?.length) return undefined
    return ended(agent.session, turn, { kind: "completed" })
  })

  on("agent/disposed", ({ agent }) => {
    const about = aboutOf(agent?.session)
    said.delete(about.id)
    return about.parentSession ? undefined : ask("end", { event: "agent/disposed", ...about }, about.cwd)
  })
}
