// A tool is a request to our server, which is started for it.
async function ask(method, params, cwd) {
  const line = await run(["mcp"], JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) + "\n", cwd)
  try {
    return JSON.parse(line).result
  } catch {
    return undefined
  }
}
