import plugin from "./bridge.mjs"
const on = {}, tools = {}, commands = {}, shown = []
await plugin({
  system: { workspaceRoot: "file:///w" },
  helpers: { filePathFromURI: () => process.cwd() },
  on: (name, handler) => (on[name] = handler),
  registerTool: (tool) => (tools[tool.name] = tool),
  registerCommand: (name, _options, handler) => (commands[name] = handler),
})
const start = (message) => on["agent.start"]({ thread: { id: "T-1" }, message, id: "1" })
const answers = [await start("fix it"), await start("go on")]
await commands.memolith({ ui: { input: async () => "list", notify: async (text) => shown.push(text) } })
console.log(JSON.stringify({ answers, names: Object.keys(tools), shown }))
