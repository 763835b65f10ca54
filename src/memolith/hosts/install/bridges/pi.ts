{hook.ts}

export default function (pi) {
  let pending = ""

  const about = (ctx) => {
    const file = ctx.sessionManager?.getSessionFile?.()
    const id = ctx.sessionManager?.getSessionId?.() ?? file ?? ""
    return { session_id: id, cwd: ctx.cwd, ...(file ? { transcript_path: file } : {}) }
  }

  pi.on("session_start", async (event, ctx) => {
    const source = event?.reason === "resume" ? "resume" : "startup"
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
