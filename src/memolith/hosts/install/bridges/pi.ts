{hook.ts}

{ask.ts}

export default function (pi) {
  let pending = ""

  const about = (ctx) => {
    const file = ctx.sessionManager?.getSessionFile?.()
    const id = ctx.sessionManager?.getSessionId?.() ?? file ?? ""
    return { session_id: id, cwd: ctx.cwd, ...(file ? { transcript_path: file } : {}) }
  }

  let offered = false
  async function offer(cwd) {
    if (offered) return
    const answer = await ask("tools/list", {}, cwd)
    for (const { name, description, inputSchema } of answer?.tools ?? []) {
      offered = true
      const execute = async (_id, given, _signal, _update, ctx) => {
        const result = await ask("tools/call", { name, arguments: given ?? {} }, ctx?.cwd ?? cwd)
        if (!result) throw new Error("memolith does not answer; nothing was done")
        if (result.isError) throw new Error(result.content[0].text)
        return { content: result.content, details: undefined }
      }
      pi.registerTool({ name: `memolith_${name}`, label: name, description, parameters: inputSchema, execute })
    }
  }

  pi.registerCommand("memolith", {
    description: "{about}",
    handler: async (words, ctx) => {
      const text = await hook("UserPromptSubmit", { ...about(ctx), prompt: `/memory ${words ?? ""}` })
      if (ctx.hasUI) ctx.ui.notify(text || "memolith does not answer", "info")
      else console.log(text)
    },
  })

  pi.on("session_start", async (event, ctx) => {
    await offer(ctx.cwd)
    const past = ctx.sessionManager?.getEntries?.() ?? []
    const source = past.some((each) => each.type === "message") ? "resume" : "startup"
    pending = await hook("SessionStart", { ...about(ctx), source })
  })
  pi.on("before_agent_start", async (event, ctx) => {
    const recalled = await hook("UserPromptSubmit", { ...about(ctx), prompt: event.prompt ?? "" })
    const content = [pending, recalled].filter(Boolean).join("\n")
    pending = ""
    if (content) return { message: { customType: "memolith", content, display: false } }
  })
  pi.on("session_compact", async (event, ctx) => {
    await hook("PostCompact", { ...about(ctx), summary: event.compactionEntry?.summary ?? "" })
    pending = await hook("SessionStart", { ...about(ctx), source: "compact" })
  })
  pi.on("agent_end", async (_event, ctx) => {
    await hook("Stop", about(ctx))
  })
  pi.on("session_shutdown", async (_event, ctx) => {
    await hook("SessionEnd", about(ctx))
  })
}
