// The memory kit in OpenCode. Laid by `memkit hooks install opencode`; `memkit hooks uninstall opencode` takes it out.
//
// Law: whatever goes wrong here, OpenCode goes on as if this file were not there.

// The paths of this machine, filled in when the file is laid; in a checkout the neighbours are used.
const KIT = null

let asking
async function ask(event, payload, folder) {
  try {
    const there = KIT?.link ?? new URL("../node/link.mjs", import.meta.url).href
    asking ??= import(there).then((link) => link.open("opencode", KIT))
    return (await (await asking)(event, payload, folder)) || ""
  } catch {
    return "" // the kit is gone: silence
  }
}

const textsOf = (parts) =>
  (parts ?? []).filter((part) => part?.type === "text").map(({ type, text, synthetic }) => ({ type, text, synthetic }))

// Parts are sorted by their id: this one comes before what the person typed.
const newPartId = () => "prt_000000000000" + crypto.randomUUID().replaceAll("-", "").slice(0, 14)

// OpenCode calls every export as a plugin: there is only one.
export const Memkit = async (ctx) => {
  const folder = ctx?.directory
  const parents = new Map()

  // A sub-agent's session has a parent; its prompts are not the person's.
  async function isChild(id) {
    if (!parents.has(id)) {
      const late = new Promise((resolve) => setTimeout(resolve, 500, null).unref?.())
      const found = await Promise.race([ctx.client.session.get({ path: { id } }), late]).catch(() => null)
      parents.set(id, (found?.data ?? found)?.parentID ?? "")
    }
    return parents.get(id) !== ""
  }

  // The last turn: the answers to the last message that has any.
  async function lastTurn(id) {
    const late = new Promise((resolve) => setTimeout(resolve, 5000, null).unref?.())
    const found = await Promise.race([ctx.client.session.messages({ path: { id } }), late])
    const rows = Array.isArray(found) ? found : (found?.data ?? [])
    const turn = rows.findLast((row) => row.info?.role === "assistant" && row.info.parentID)?.info.parentID
    return rows
      .filter((row) => row.info?.role === "assistant" && row.info.parentID === turn)
      .map(({ info: { id, role, parentID, error }, parts }) => ({ info: { id, role, parentID, error }, parts: textsOf(parts) }))
  }

  async function heard(event) {
    const told = event?.properties ?? {}
    const id = told.sessionID ?? told.info?.id
    const payload = { type: event?.type, properties: { sessionID: id }, directory: folder }
    switch (event?.type) {
      case "session.created": {
        parents.set(id, told.info?.parentID ?? "")
        if (told.info?.parentID) return
        return ask("start", payload, folder)
      }
      case "session.idle":
        if (await isChild(id)) return
        return ask("answer", { ...payload, messages: await lastTurn(id) }, folder)
      case "session.error":
        if (!id || (await isChild(id))) return
        return ask("failure", { ...payload, properties: { sessionID: id, error: told.error } }, folder)
      case "session.compacted":
        return ask("compact", payload, folder)
    }
  }

  return {
    "chat.message": async (input, output) => {
      try {
        const { message, parts } = output
        if (await isChild(input.sessionID)) return
        const said = { hook: "chat.message", input: { sessionID: input.sessionID }, directory: folder }
        const asked = { ...said, message: { id: message.id, role: message.role }, parts: textsOf(parts) }
        const text = await ask("prompt", asked, folder)
        if (!text) return
        const about = { id: newPartId(), sessionID: input.sessionID, messageID: message.id }
        parts.push({ ...about, type: "text", text, synthetic: true })
      } catch {
        // an exception here would cost the person the prompt
      }
    },
    event: async (input) => {
      try {
        await heard(input?.event)
      } catch {
        // silence
      }
    },
  }
}
