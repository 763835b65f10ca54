// Made by `memolith init`; `memolith init --uninstall` removes it. Tells memolith what happens in a
// session, and gives the model what it answers. Whatever goes wrong, the session goes on without memory.
// No types: so it is the same file for whatever loads it.
import { spawn } from "node:child_process"

const MEMOLITH = "{command}"

function run(words, input, cwd) {
  return new Promise((resolve) => {
    try {
      const child = spawn(MEMOLITH, words, { stdio: ["pipe", "pipe", "ignore"], ...(cwd ? { cwd } : {}) })
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
      child.stdin.end(input)
    } catch {
      resolve("")
    }
  })
}

function hook(event, payload) {
  const words = ["hook", "--host", "{host}", "--event", event]
  return run(words, JSON.stringify({ hook_event_name: event, ...payload }))
}
