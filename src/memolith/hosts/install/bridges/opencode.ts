{hook.ts}

export const Memolith = async ({ client, directory }) => {
  const sessions = new Map()
  const words = (parts) => parts.map((part) => (part.type === "text" ? part.text : "")).join("\n")
  const about = (id) => ({ session_id: id, cwd: directory })

  async function messages(id) {
    const answer = await client.session.messages({ path: { id } }).catch(() => undefined)
    return answer?.data ?? []
  }
  const summaries = (past) => past.filter((each) => each.info?.summary === true)

  // What memory says is a part of the message it comes with, which stays as it is: in the system prompt it
  // would change, and with it all that a provider has cached. Only after a compaction, which may be in the
  // middle of a turn, the block is there, and stays the same until the next.
  async function begin(id, message) {
    const past = (await messages(id)).filter((each) => each.info?.id !== message)
    const source = summaries(past).length ? "compact" : past.length ? "resume" : "startup"
    const text = await hook("SessionStart", { ...about(id), source })
    return source === "compact" ? { system: text, fresh: "" } : { system: "", fresh: text }
  }

  async function compacted(id) {
    const summary = words(summaries(await messages(id)).at(-1)?.parts ?? [])
    await hook("PostCompact", { ...about(id), summary })
    return { system: await hook("SessionStart", { ...about(id), source: "compact" }), fresh: "" }
  }

  return {
    "chat.message": async (input, output) => {
      const { sessionID } = input
      const prompt = words(output.parts ?? [])
      if (!sessions.has(sessionID)) sessions.set(sessionID, begin(sessionID, output.message?.id))
      const session = await sessions.get(sessionID)
      const recalled = await hook("UserPromptSubmit", { ...about(sessionID), prompt })
      const text = [session.fresh, recalled].filter(Boolean).join("\n")
      session.fresh = ""
      const last = output.parts?.at(-1)
      if (text && last)
        output.parts.push({
          id: last.id + "m",
          sessionID,
          messageID: last.messageID,
          type: "text",
          text,
          synthetic: true,
        })
    },
    "experimental.chat.system.transform": async (input, output) => {
      const session = await sessions.get(input.sessionID)
      if (session?.system) output.system.push(session.system)
    },
    event: async ({ event }) => {
      const id = event.properties?.sessionID ?? event.properties?.info?.id
      if (!id) return
      if (event.type === "session.idle") await hook("Stop", about(id))
      if (event.type === "session.deleted") {
        sessions.delete(id)
        await hook("SessionEnd", about(id))
      }
      if (event.type === "session.compacted") {
        // Kept before it is answered: the next request does not wait for this.
        sessions.set(id, compacted(id))
        await sessions.get(id)
      }
    },
    // It tells of no end of a session but its own.
    dispose: async () => {
      await Promise.all([...sessions.keys()].map((id) => hook("SessionEnd", about(id))))
    },
  }
}
