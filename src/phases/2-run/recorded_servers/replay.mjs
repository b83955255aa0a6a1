/**
 * An MCP server on stdio that gives recorded answers. It is a program of its own, without imports of Whetstone, so that it runs wherever
 * the agent runs. Its one argument is the recording.
 */
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const recording = JSON.parse(readFileSync(process.argv[2], 'utf8'))

/** Which answers of equal calls have been given. */
const given = new Map()

/** The same text for the same value, whatever the order of its keys. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const keys = Object.keys(value).sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`
}

function answer({ name, arguments: args = {} }) {
  const key = `${name} ${canonical(args)}`
  const equal = recording.calls.filter((call) => `${call.tool} ${canonical(call.arguments)}` === key)
  if (equal.length === 0) {
    const text = `not in the recording of ${recording.server}: ${name} with ${JSON.stringify(args)}. This MCP server gives recorded answers only; no real server was asked.`
    return { content: [{ type: 'text', text }], isError: true }
  }
  const index = given.get(key) ?? 0
  given.set(key, index + 1)
  return equal[Math.min(index, equal.length - 1)].result
}

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: recording.server, version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: recording.tools }),
  'tools/call': answer,
}

createInterface({ input: process.stdin }).on('line', (line) => {
  let message
  try {
    message = JSON.parse(line)
  } catch {
    return
  }
  const { id, method, params } = message
  if (id === undefined || method === undefined) return
  const perform = Object.hasOwn(methods, method) ? methods[method] : null
  const reply =
    perform === null
      ? { error: { code: -32601, message: `${method}: not supported by a recording` } }
      : { result: perform(params ?? {}) }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...reply })}\n`)
})
