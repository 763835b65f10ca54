{hook.ts}

{ask.ts}

export const description = "Memory that outlives a thread: memolith gives the block, what is recalled for a prompt, and tools"

export default async function (amp) {
  const root = amp.system?.workspaceRoot
  const cwd = (root && amp.helpers.filePathFromURI(root)) || process.cwd()
  const begun = new Set()
  const about = (event) => ({ session_id: event.thread.id, cwd })

  // A prompt gets the block if it is a thread's first, and what is recalled for it.
  amp.on("agent.start", async (event) => {
    const texts = []
    if (!begun.has(event.thread.id)) {
      begun.add(event.thread.id)
      texts.push(await hook("SessionStart", { ...about(event), source: "resume" }))
    }
    const prompt = event.changesWorkflow ? "" : event.message
    texts.push(await hook("UserPromptSubmit", { ...about(event), prompt }))
    const content = texts.filter(Boolean).join("\n")
    if (content) return { message: { content, display: false } }
  })

  const options = { title: "show", category: "memory", description: "{about}" }
  amp.registerCommand("memolith", options, async (ctx) => {
    const words = (await ctx.ui.input?.({ title: "/memolith", helpText: "a verb, a note or a question" })) ?? ""
    const text = await hook("UserPromptSubmit", { session_id: "command", cwd, prompt: `/memory ${words}` })
    await ctx.ui.notify(text || "memolith does not answer")
  })

  for (const { name, description, inputSchema } of (await ask("tools/list", {}, cwd))?.tools ?? []) {
    const execute = async (given) => {
      const result = await ask("tools/call", { name, arguments: given ?? {} }, cwd)
      if (!result) throw new Error("memolith does not answer; nothing was done")
      if (result.isError) throw new Error(result.content[0].text)
      return result.content[0].text
    }
    amp.registerTool({ name: `memolith_${name}`, description, inputSchema, execute })
  }
}
