// The memory kit in Pi. Laid by `memkit hooks install pi`; `memkit hooks uninstall pi` takes it out.
//
// Law: whatever goes wrong here, Pi goes on as if this file were not there.

// The paths of this machine, filled in when the file is laid; in a checkout the neighbours are used.
const KIT = null

let asking
async function ask(event, payload, folder) {
  try {
    const there = KIT?.link ?? new URL("../node/link.mjs", import.meta.url).href
    asking ??= import(there).then((link) => link.open("pi", KIT))
    return (await (await asking)(event, payload, folder)) || ""
  } catch {
    return "" // the kit is gone: silence
  }
}

const textOf = (content) =>
  typeof content === "string"
    ? content
    : (content ?? []).filter((block) => block?.type === "text").map((block) => block.text).join("\n\n")

const lastRun = (messages) => {
  const begin = messages.findLastIndex((message) => message?.role === "user")
  return messages.slice(Math.max(begin, 0)).map(({ role, content, stopReason, errorMessage }) => {
    return { role, text: textOf(content), stopReason, errorMessage }
  })
}

export default function (pi) {
  let messages = []

  const on = (name, act) =>
    pi.on(name, async (event, ctx) => {
      try {
        const session = ctx?.sessionManager
        const about = { event: name, id: session?.getSessionId?.(), cwd: ctx?.cwd, file: session?.getSessionFile?.() }
        return await act(event ?? {}, about)
      } catch {
        return undefined
      }
    })

  on("session_start", async (event, about) => {
    await ask("start", { ...about, reason: event.reason }, about.cwd)
  })
  on("before_agent_start", async (event, about) => {
    const asked = { ...about, messageType: event.messageType, prompt: event.prompt }
    const content = await ask("prompt", asked, about.cwd)
    return content ? { message: { customType: "memkit", content, display: false } } : undefined
  })
  on("agent_end", async (event) => {
    messages = lastRun(event.messages ?? [])
  })
  on("agent_settled", async (event, about) => {
    await ask("answer", { ...about, aborted: event.aborted === true, messages }, about.cwd)
    messages = []
  })
  on("session_compact", async (event, about) => {
    await ask("compact", about, about.cwd)
  })
  on("session_shutdown", async (event, about) => {
    await ask("end", { ...about, reason: event.reason }, about.cwd)
  })
}
