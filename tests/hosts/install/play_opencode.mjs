import { Memolith } from "./bridge.mjs"
let past = []
const client = { session: { messages: async () => ({ data: past }) } }
const plugin = await Memolith({ client, directory: "/w" })
const system = async () => {
  const output = { system: ["theirs"] }
  await plugin["experimental.chat.system.transform"]({ sessionID: "s1" }, output)
  return output.system
}
const ask = async () => {
  const about = { sessionID: "s1", messageID: "m1" }
  const parts = [{ id: "prt_1", ...about, type: "text", text: "fix it" }, { id: "prt_2", ...about, type: "file" }]
  await plugin["chat.message"]({ sessionID: "s1" }, { message: { id: "m1" }, parts })
  return [parts.slice(2), await system()]
}
const title = system()
const first = await ask()
await title
const later = await ask()
await plugin.event({ event: { type: "session.idle", properties: { sessionID: "s1" } } })
past = [{ info: { id: "m1" } }, { info: { id: "m2", summary: true }, parts: [{ type: "text", text: "what was done" }] }]
await plugin.event({ event: { type: "session.compacted", properties: { sessionID: "s1" } } })
const compacted = await system()
await plugin.event({ event: { type: "session.deleted", properties: { info: { id: "s1" } } } })
past = [{ info: { id: "m0" } }, { info: { id: "m1" } }]
const resumed = await ask()
await plugin.dispose()
console.log(JSON.stringify({ first, later, compacted, resumed }))
