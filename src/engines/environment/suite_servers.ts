/** Reads the suite's MCP servers from the .mcp.json of a run, for the engines whose agent does not read that file itself, and says which did not start. */
import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { activeNow } from '../../base/time/active_time.ts'
import type { EmittedEvent, EngineError, EngineTask } from '../engine.ts'

const texts = z.record(z.string(), z.string()).default({})
const config = z.looseObject({
  mcpServers: z.record(
    z.string(),
    z.looseObject({
      type: z.string().optional(),
      command: z.string().optional(),
      args: z.array(z.string()).default([]),
      env: texts,
      url: z.string().optional(),
      headers: texts,
    }),
  ),
})

/** A server with its variables replaced: a program that speaks over stdio, or an address. */
export type SuiteServer = { name: string } & (
  | { type: 'stdio'; command: string; args: string[]; env: Record<string, string> }
  | { type: 'http' | 'sse'; url: string; headers: Record<string, string> }
)

/** The servers of the task; none for a judge. */
export async function readSuiteServers({
  environment,
  env,
  tools,
}: Pick<EngineTask, 'environment' | 'env' | 'tools'>): Promise<SuiteServer[]> {
  if (!environment?.mcpConfig || tools !== 'all') return []
  const { mcpServers } = config.parse(JSON.parse(await readFile(environment.mcpConfig, 'utf8')))
  return Object.entries(mcpServers).map(([name, server]): SuiteServer => {
    const fill = (text: string) => fillVariables(text, env)
    const fillAll = (record: Record<string, string>) =>
      Object.fromEntries(Object.entries(record).map(([key, value]) => [key, fill(value)]))
    if (server.url === undefined) {
      const args = server.args.map(fill)
      return { name, type: 'stdio', command: fill(server.command ?? ''), args, env: fillAll(server.env) }
    }
    const type = server.type === 'sse' ? 'sse' : 'http'
    return { name, type, url: fill(server.url), headers: fillAll(server.headers) }
  })
}

/** Replaces ${NAME} and ${NAME:-default}, as Claude Code does in .mcp.json. */
export function fillVariables(text: string, env: Readonly<Record<string, string | undefined>>): string {
  return text.replace(
    /\$\{(\w+)(?::-([^}]*))?\}/g,
    (all, name: string, usual: string | undefined) => env[name] ?? usual ?? all,
  )
}

/** null: all have started, as far as the agent says. */
export function findServerError(broken: readonly string[]): EngineError | null {
  if (broken.length === 0) return null
  const message = `these MCP servers of the suite did not start: ${broken.join(', ')}`
  return { kind: 'setup', message, retryable: false, retryAfterMs: null }
}

/** What the engines say of a call whose server ended before it answered. An error that a server answers with looks different. */
const unanswered =
  /^(?:Connection closed|Not connected)$|^MCP error -3200[01]: |"message":"MCP error -3200[01]: |\btransport closed(?:"|$)|\bMCP transport closed before\b|\bMCP tool execution .* before the connection failed\b/im

/** Watches the calls of the suite's MCP servers in one run. */
export class ServerCalls {
  /** The first call that a server's end left without an answer, as a failure of the run; null: none. */
  failure: EngineError | null = null
  readonly #names: readonly string[]
  readonly #open = new Map<string, { server: string; name: string; at: number }>()
  readonly #begunAt = activeNow()

  constructor({ environment }: Pick<EngineTask, 'environment'>) {
    this.#names = environment?.mcpServers ?? []
  }

  take(event: EmittedEvent): void {
    if (event.type !== 'tool_call' && event.type !== 'tool_result') return
    const { id, name } = event
    const server = this.#names.find((one) => name.includes(one.replaceAll(/[^\w-]/g, '_')))
    if (server === undefined) return
    if (event.type === 'tool_call') this.#open.set(id, { server, name, at: activeNow() })
    else this.#open.delete(id)
    if (event.type === 'tool_result' && event.is_error && unanswered.test(event.output))
      this.failure ??= serverFailure(server, `ended during a call of ${name}`)
  }

  /** The failure at the time limit: also a call that has been open for longer than all before it took; null: none. */
  failureAtLimit(): EngineError | null {
    const now = activeNow()
    const hung = [...this.#open.values()].find(({ at }) => now - at > at - this.#begunAt)
    return this.failure ?? (hung ? serverFailure(hung.server, `did not answer a call of ${hung.name}`) : null)
  }
}

function serverFailure(server: string, what: string): EngineError {
  const message = `the suite's MCP server ${server} ${what}: try the server by itself, then run again`
  return { kind: 'setup', message, retryable: false, retryAfterMs: null }
}
