// Made by `memolith init`; `memolith init --uninstall` removes it. Tells memolith what happens in a
// session, and gives the model what it answers. Whatever goes wrong, the session goes on without memory.
// No types: so it is the same file for whatever loads it.
import { spawn } from "node:child_process"

const MEMOLITH = "{command}"

function hook(event, payload) {
  return new Promise((resolve) => {
    try {
      const options = ["hook", "--host", "{host}", "--event", event]
      const child = spawn(MEMOLITH, options, { stdio: ["pipe", "pipe", "ignore"] })
      const timer = setTimeout(() => child.kill(), 10_000)
      let text = ""
      child.stdout.setEncoding("utf8")
      child.stdout.on("data", (part) => (text += part))
      child.on("error", () => resolve(""))
      child.on("close", (code) => {
        clearTimeout(timer)
        resolve(code === 0 ? text.trim() : "")
      })
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify({ hook_event_name: event, ...payload }))
    } catch {
      resolve("")
    }
  })
}
