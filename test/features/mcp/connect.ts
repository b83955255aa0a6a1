/** The server, built or in this process, in a folder of its own with a copy of the example skill, and the SDK's client connected to it. */
import { cpSync, readFileSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  type ClientCapabilities,
  ElicitRequestSchema,
  type ElicitResult,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { addTools, createSession } from '../../../src/features/mcp/serve.ts'
import type { McpOptions } from '../../../src/features/mcp/session.ts'
import { parseScenario } from '../../../src/features/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/features/practice/server.ts'
import { judges } from '../../e2e/judge/comparing.ts'
import { fresh, plainEnvironment } from '../../e2e/program.ts'

const root = path.join(import.meta.dirname, '../../..')
export const program = path.join(root, 'dist/program/bin.js')

export interface Place {
  cwd: string
  env: Record<string, string>
}

/** A folder with a copy of an example's skill, and an environment with a state folder of its own. */
export function makePlace(url = 'http://127.0.0.1:9', skill = 'example/invoice-totals'): Place {
  const cwd = realpathSync(fresh())
  cpSync(path.join(root, 'workspaces', skill), path.join(cwd, path.basename(skill)), { recursive: true })
  const env = {
    ...plainEnvironment(),
    XDG_STATE_HOME: path.join(fresh(), 'state'),
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'practice',
  }
  return { cwd, env }
}

/** The practice model of an example, which can also compare. `first`: rules before its own. `isSlow`: it takes the time that it takes in the demo. */
export async function startExamplePractice(
  name: 'example' | 'example-improve' = 'example',
  { first = '', isSlow = false } = {},
) {
  const file = path.join(root, 'workspaces', name, 'practice.yaml')
  // of a pair it decides all three expectations of the first case, and a session may name a model with a price
  const verdicts = [1, 2, 3].map((n) => `{ n: ${n}, passed: true }`).join(', ')
  const rules = judges.fair.replaceAll('{ n: 1, passed: true }', verdicts)
  const text = readFileSync(file, 'utf8')
    .replace(/^rules:$/m, `rules:${first}${rules}`)
    .replace(/^models: .*$/m, 'models: [practice-1, claude-haiku-4-5]')
    .replace(/^latency: .*$/m, (line) => (isSlow ? line : ''))
  const server = await startPractice({ scenario: parseScenario(text, file) })
  // counting tokens is how an engine finds out whether a key works: it asks no model and costs nothing
  const asked = () => server.requests.filter((one) => !one.path.endsWith('/count_tokens')).length
  return Object.assign(server, { asked })
}

export interface ClientOptions {
  /** Answers the server's question; absent: the client can't ask. */
  elicit?: (message: string) => ElicitResult | Promise<ElicitResult>
  /** Folders; absent: the client names none. */
  roots?: readonly string[]
}

export interface Answer {
  isError: boolean
  text: string
  value: Record<string, unknown>
}

/** Starts the program and connects; disposing of it closes the server's standard input. */
export async function connect(
  { cwd, env }: Place,
  { args = [], ...options }: ClientOptions & { args?: string[] } = {},
) {
  const transport = new StdioClientTransport({
    ...{ command: process.execPath, args: [program, 'mcp', ...args], cwd, env, stderr: 'pipe' },
  })
  const said = { stderr: '', errors: [] as string[] }
  transport.stderr?.on('data', (chunk: Buffer) => {
    said.stderr += chunk.toString()
  })
  const { client, call } = await openClient(transport, options, said.errors)
  return { client, call, transport, said, [Symbol.asyncDispose]: () => client.close() }
}

/** The same server in this process, whose working folder is that of the place until it is disposed of. */
export async function connectHere({ cwd, env }: Place, allowed: Partial<McpOptions> = {}, more: ClientOptions = {}) {
  const before = process.cwd()
  process.chdir(cwd)
  const options = { approveUpTo: null, allowPrograms: false, ...allowed }
  const session = createSession({ options, version: '1', env })
  const { server, jobs } = session
  await addTools(session)
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await server.connect(theirs)
  const { client, call } = await openClient(ours, more)
  return {
    call,
    async [Symbol.asyncDispose]() {
      await jobs.stop()
      await client.close()
      process.chdir(before)
    },
  }
}

async function openClient(transport: Transport, { elicit, roots }: ClientOptions, errors: string[] = []) {
  const capabilities: ClientCapabilities = {
    ...(elicit && { elicitation: { form: {} } }),
    ...(roots && { roots: {} }),
  }
  const client = new Client({ name: 'test', version: '1' }, { capabilities })
  if (elicit) client.setRequestHandler(ElicitRequestSchema, ({ params }) => elicit(params.message))
  if (roots) {
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: roots.map((one) => ({ uri: `file://${one}` })) }))
  }
  client.onerror = ({ message }) => void errors.push(message) // such as a line that is not of the protocol
  await client.connect(transport)
  const call = async (
    name: string,
    given: Record<string, unknown>,
    options: Parameters<Client['callTool']>[2] = {},
  ): Promise<Answer> => {
    const result = await client.callTool({ name, arguments: given }, undefined, { timeout: 120_000, ...options })
    const [first] = Array.isArray(result.content) ? result.content : []
    return {
      isError: result.isError === true,
      text: first?.type === 'text' ? first.text : '',
      value: Object(result.structuredContent),
    }
  }
  return { client, call }
}

export const small = {
  ...{ kind: 'bench', skill: 'invoice-totals', engine: 'anthropic:practice-1', judge: 'anthropic:practice-1' },
  ...{ runs: 1, cases: ['1'], budget_tokens: 10_000_000 },
}
