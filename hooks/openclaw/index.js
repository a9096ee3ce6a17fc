// The memory kit in OpenClaw. Laid by `memkit hooks install openclaw`; `memkit hooks uninstall openclaw` takes it out.
//
// Law: whatever goes wrong here, OpenClaw goes on as if this file were not there.

// The paths of this machine, filled in when the file is laid; in a checkout the neighbours are used.
const KIT = null

let asking
async function ask(event, payload, folder) {
  try {
    const there = KIT?.link ?? new URL("../node/link.mjs", import.meta.url).href
    asking ??= import(there).then((link) => link.open("openclaw", KIT))
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
  return messages.slice(Math.max(begin, 0)).map(({ role, content }) => ({ role, text: textOf(content) }))
}

const about = (hook, ctx, event) => ({
  hook,
  sessionKey: ctx?.sessionKey,
  runId: ctx?.runId ?? event?.runId,
  trigger: ctx?.trigger,
  workspaceDir: ctx?.workspaceDir,
})

export default {
  id: "memkit",
  name: "memory kit",
  description: "Remembers what was said, recalls what is useful: notes in your own vault",
  register(api) {
    api.on("before_prompt_build", async (event, ctx) => {
      try {
        const asked = { ...about("before_prompt_build", ctx, event), prompt: String(event?.prompt ?? "") }
        const prependContext = await ask("prompt", asked, ctx?.workspaceDir)
        return prependContext ? { prependContext } : undefined
      } catch {
        return undefined
      }
    })
    api.on("agent_end", async (event, ctx) => {
      try {
        const error = event?.error ? String(event.error?.message ?? event.error) : undefined
        const told = { success: event?.success, error, messages: lastRun(event?.messages ?? []) }
        await ask("answer", { ...about("agent_end", ctx, event), ...told }, ctx?.workspaceDir)
      } catch {
        // silence
      }
    })
  },
}
