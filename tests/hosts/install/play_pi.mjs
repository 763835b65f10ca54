import extension from "./bridge.mjs"
const on = {}
extension({ on: (name, handler) => (on[name] = handler) })
const ctx = { cwd: "/w", sessionManager: { getSessionFile: () => "/s/1.jsonl", getSessionId: () => "s1" } }
await on.session_start({ reason: "startup" }, ctx)
const first = await on.before_agent_start({ prompt: "fix it" }, ctx)
await on.session_compact({ compactionEntry: { summary: "what was done" } }, ctx)
const second = await on.before_agent_start({ prompt: "go on" }, ctx)
await on.agent_end({}, ctx)
await on.session_shutdown({}, ctx)
console.log(JSON.stringify([first, second]))
