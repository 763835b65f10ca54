{hook.ts}

export const Memolith = async ({ client, directory }) => {
  const sessions = new Map()
  const words = (parts) => parts.map((part) => (part.type === "text" ? part.text : "")).join("\n")
  const about = (id) => ({ session_id: id, cwd: directory })

  // Kept before it is answered: a title is asked for meanwhile, and who asks twice is told nothing.
  function known(id) {
    if (!sessions.has(id)) {
      const start = hook("SessionStart", { ...about(id), source: "startup" })
      sessions.set(id, { start, recalled: "" })
    }
    return sessions.get(id)
  }

  async function summary(id) {
    const answer = await client.session.messages({ path: { id } }).catch(() => undefined)
    const last = (answer?.data ?? []).filter((each) => each.info?.summary === true).at(-1)
    return words(last?.parts ?? [])
  }

  return {
    "chat.message": async (input, output) => {
      const prompt = words(output.parts ?? [])
      const session = known(input.sessionID)
      await session.start
      const text = await hook("UserPromptSubmit", { ...about(input.sessionID), prompt })
      if (text) session.recalled = session.recalled ? session.recalled + "\n" + text : text
    },
    "experimental.chat.system.transform": async (input, output) => {
      if (!input.sessionID) return
      const session = known(input.sessionID)
      for (const text of [await session.start, session.recalled]) if (text) output.system.push(text)
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
        await hook("PostCompact", { ...about(id), summary: await summary(id) })
        const start = hook("SessionStart", { ...about(id), source: "compact" })
        sessions.set(id, { start, recalled: "" })
        await start
      }
    },
    // It tells of no end of a session but its own.
    dispose: async () => {
      await Promise.all([...sessions.keys()].map((id) => hook("SessionEnd", about(id))))
    },
  }
}
