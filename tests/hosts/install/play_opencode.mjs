import { Memolith } from "./bridge.mjs"
const messages = [{ info: { summary: true }, parts: [{ type: "text", text: "what was done" }] }]
const client = { session: { messages: async () => ({ data: messages }) } }
const plugin = await Memolith({ client, directory: "/w" })
const system = async () => {
  const output = { system: ["theirs"] }
  await plugin["experimental.chat.system.transform"]({ sessionID: "s1" }, output)
  return output.system
}
const parts = [{ type: "text", text: "fix it" }, { type: "file" }]
const title = system()
await plugin["chat.message"]({ sessionID: "s1" }, { parts })
await title
const first = await system()
await plugin.event({ event: { type: "session.idle", properties: { sessionID: "s1" } } })
await plugin.event({ event: { type: "session.compacted", properties: { sessionID: "s1" } } })
const second = await system()
await plugin.event({ event: { type: "session.deleted", properties: { info: { id: "s1" } } } })
await plugin["chat.message"]({ sessionID: "s1" }, { parts })
await plugin.dispose()
console.log(JSON.stringify([first, second]))
