import extension from "./bridge.mjs"
const on = {}
const tools = {}, commands = {}, shown = []
extension({
  on: (name, handler) => (on[name] = handler),
  registerTool: (tool) => (tools[tool.name] = tool),
  registerCommand: (name, command) => (commands[name] = command),
})
const ui = { notify: (text) => shown.push(text) }
const ctx = { cwd: process.cwd(), hasUI: true, ui, sessionManager: { getSessionFile: () => "/s/1.jsonl", getSessionId: () => "s1" } }
await on.session_start({ reason: "startup" }, ctx)
const first = await on.before_agent_start({ prompt: "fix it" }, ctx)
await on.session_compact({ compactionEntry: { summary: "what was done" } }, ctx)
const second = await on.before_agent_start({ prompt: "go on" }, ctx)
await on.agent_end({}, ctx)
await on.session_shutdown({}, ctx)
if (process.env.TOOLS) {
  const { execute, parameters } = tools.memolith_remember
  const said = await execute("1", { content: "Redis is on 6391." }, null, null, ctx)
  const failed = await tools.memolith_memory_read.execute("2", { target: "nowhere" }, null, null, ctx).catch(String)
  await commands.memolith.handler("list", ctx)
  console.log(JSON.stringify({ names: Object.keys(tools), needs: parameters.required, said, failed, shown }))
} else console.log(JSON.stringify([first, second]))
