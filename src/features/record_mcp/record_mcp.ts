/** record-mcp: stands between an agent and a suite's real MCP server, and records what the server answers. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import type { McpServers } from '../../../schemas/environment.ts'
import { type McpRecording, mcpRecording } from '../../../schemas/mcp_recording.ts'
import type { Suite } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { writeAtomic } from '../../base/fs/durable_files.ts'
import { hashWalk, pathExists, walk } from '../../base/fs/files.ts'
import { escapesFolder } from '../../base/fs/inside_folder.ts'
import { openTempDir, type TempDir } from '../../base/fs/temp_dir.ts'
import { readJson } from '../../base/json/json.ts'
import type { SandboxWish } from '../../base/sandbox/choose.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import { fillVariables } from '../../engines/environment/suite_servers.ts'
import { ServerProcess } from '../../engines/tool_loop/server_process.ts'
import {
  authorizeCommands,
  type CommandReview,
  resolveConfinement,
  reviewCases,
} from '../../flows/authorize/suite_commands.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { startSandbox } from '../../flows/sandbox/start_sandbox.ts'
import { findSkillRoot, loadSuite } from '../../phases/1-plan/suite/load_suite.ts'
import { assertNoOpenNetwork } from '../../phases/1-plan/suite/open_network.ts'
import { buildRunEnvironment } from '../../phases/2-run/workspace/run_environment.ts'
import { confine } from '../../phases/2-run/workspace/sandbox_policy.ts'

export interface RecordMcpRequest {
  /** Folder of the skill, absolute. */
  skill: string
  /** null: the only server of the suite. */
  server: string | null
  sandbox: SandboxWish
  passEnv: readonly string[]
}

/** Serves on standard input and output until the agent closes them. Throws UserError before the server starts. */
export async function recordMcp(request: RecordMcpRequest, context: FlowContext): Promise<void> {
  const root = await findSkillRoot(request.skill)
  const chosen = await chooseServer(root, request.server)
  const file = path.join(root, 'evals/mcp', `${chosen.name}.json`)
  if (escapesFolder(root, file))
    throw new UserError(`${file}: a link in this path leads out of the skill`, 'replace the link by a folder')
  const recording = await openRecording(file, chosen.name)
  await using tempDir = await openTempDir()
  const { server, own, explainEnd } = await startServer(chosen, { ...request, root, tempDir }, context)
  const client = new Client({ name: 'whetstone', version: '1' })
  try {
    await client.connect(server)
  } catch {
    throw explainEnd('did not start')
  }
  const redactor = getRedactor({ ...context.env, ...own })
  const save = async () => {
    await mkdir(path.dirname(file), { recursive: true })
    await writeAtomic(file, `${JSON.stringify(redactor.value(recording), null, 2)}\n`)
  }
  const end = await serve(client, recording, { save, signal: context.drain })
  if (end === 'server') throw explainEnd('has ended')
}

/** Returns which side ended first. */
async function serve(
  client: Client,
  recording: McpRecording,
  { save, signal }: { save: () => Promise<void>; signal: AbortSignal },
): Promise<'agent' | 'server'> {
  const agent = new Server({ name: recording.server, version: '1.0.0' }, { capabilities: { tools: {} } })
  agent.setRequestHandler(ListToolsRequestSchema, async () => {
    const { tools } = await client.listTools()
    recording.tools = mcpRecording.shape.tools.parse(tools)
    await save()
    return { tools }
  })
  agent.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const { name: tool, arguments: given = {} } = params
    const answer = await client.callTool({ name: tool, arguments: given })
    const { _meta: _, ...result } = answer
    recording.calls.push(mcpRecording.shape.calls.element.parse({ tool, arguments: given, result }))
    recording.recorded_at = new Date().toISOString()
    await save()
    return answer
  })
  const over = new Promise<'agent' | 'server'>((resolve) => {
    const onAgentEnd = () => resolve('agent')
    agent.onclose = onAgentEnd
    client.onclose = () => resolve('server')
    process.stdin.once('end', onAgentEnd)
    signal.addEventListener('abort', onAgentEnd, { once: true })
  })
  await agent.connect(new StdioServerTransport())
  const end = await over
  await client.close()
  await agent.close()
  return end
}

/** Further calls are added to a recording that is already there. */
async function openRecording(file: string, server: string): Promise<McpRecording> {
  if (await pathExists(file)) return await readJson(mcpRecording, file)
  return { server, tools: [], calls: [] }
}

interface ChosenServer {
  name: string
  server: McpServers[string]
  suite: Suite
}

/** `wanted` null: the only server of the suite. Throws UserError. */
async function chooseServer(root: string, wanted: string | null): Promise<ChosenServer> {
  const suite = await loadSuite(root)
  const all: McpServers = Object.assign({}, ...suite.cases.map(({ environment }) => environment?.mcp_servers ?? {}))
  const names = Object.keys(all)
  const name = wanted ?? (names.length === 1 ? (names[0] ?? '') : '')
  const server = Object.hasOwn(all, name) ? all[name] : undefined
  if (server === undefined) {
    const known =
      names.length === 0 ? 'the suite defines none in environment.mcp_servers' : `choose --server ${names.join('|')}`
    throw new UserError(
      wanted === null ? `${root}: which MCP server is to be recorded?` : `no MCP server is named "${wanted}"`,
      known,
    )
  }
  if (server.command === undefined)
    throw new UserError(`the MCP server ${name} has a url`, 'only servers with a command can be recorded')
  return { name, server, suite }
}

interface ServerStart {
  /** The skill's folder, absolute. */
  root: string
  tempDir: TempDir
  sandbox: SandboxWish
  passEnv: readonly string[]
}

interface StartedServer {
  server: ServerProcess
  /** Its own variables, filled. */
  own: Record<string, string>
  /** The error after its end. `what`: such as "did not start". */
  explainEnd: (what: string) => UserError
}

/** Throws UserError unless the command may start. */
async function startServer(
  chosen: ChosenServer,
  { root, tempDir, sandbox: wish, passEnv }: ServerStart,
  context: FlowContext,
): Promise<StartedServer> {
  const { name, suite } = chosen
  assertNoOpenNetwork(suite.path, suite.sandbox, wish)
  const choice = await startSandbox(wish, { choices: [] }, context)
  await authorizeCommands(await reviewServer(chosen, root, resolveConfinement(choice, wish)), context)
  const [cwd, home] = [path.join(tempDir.path, 'work'), path.join(tempDir.path, 'home')]
  for (const folder of [cwd, path.join(home, 'tmp')]) await mkdir(folder, { recursive: true })
  const env = buildRunEnvironment({ user: context.env, home, mark: tempDir.mark, passEnv, hidden: [] })
  const sandbox = confine(choice, { writable: [cwd, home], readable: [root], hidden: [], settings: suite.sandbox })
  const program = fillServer(chosen, { ...env, ENVIRONMENT_DIR: root }, context)
  const server = new ServerProcess(program, { cwd, env, sandbox, signal: context.signal })
  return {
    server,
    own: program.env,
    explainEnd: (what) => {
      const said = server.lastError.trim().split('\n').at(-1) || 'it printed no error'
      const isClosed = sandbox !== null && sandbox.policy.network !== 'open'
      const fix = isClosed
        ? 'add --network open if it needs the network, and --allow-read for its files outside of the skill'
        : 'start its command by hand'
      return new UserError(`the MCP server ${name} ${what} (${said})`, fix)
    },
  }
}

/** Nothing but this server starts, also if there is a recording of it. It can run every file of the skill's folder. */
async function reviewServer(
  { name, server, suite }: ChosenServer,
  root: string,
  confinement: CommandReview['confinement'],
): Promise<CommandReview> {
  const skip = (place: string) => /^(?:\.git|workspaces|evals\/mcp)$/.test(place)
  const folder = await hashWalk((await walk(root, { skip, unreadable: 'leave_out' })).files)
  const environment = { files: [], hooks: {}, rules: [], agents: [], mcp_servers: { [name]: server } }
  const cases = suite.cases
    .filter((one) => one.environment !== undefined && Object.hasOwn(one.environment.mcp_servers, name))
    .map((one) => ({ ...blankSource, eval_id: one.eval_id, eval_name: one.eval_name, environment }))
  return reviewCases(suite.path, cases, { skillsOf: () => ({ hashes: [folder], commands: [] }), confinement })
}

const blankSource = { files: [], checks: [], setup: null, git: null }

/** Throws UserError for a variable that its `env` needs, or of the user's, without --pass-env. */
function fillServer(
  { name, server }: ChosenServer,
  env: Readonly<Record<string, string>>,
  { env: user }: Pick<FlowContext, 'env'>,
) {
  const { command = '', args = [], env: own = {} } = server
  const fill = (text: string) => fillVariables(text, env)
  const lacking = (text: string) => [...fill(text).matchAll(/\$\{(\w+)\}/g)].map(([, variable = '']) => variable)
  // a shell fills others in its arguments itself
  const ofUser = [command, ...args].flatMap(lacking).filter((variable) => user[variable] !== undefined)
  const unset = [...new Set([...Object.values(own).flatMap(lacking), ...ofUser])]
  if (unset.length > 0) {
    const missing = unset.filter((variable) => user[variable] === undefined)
    const flags = `add ${unset.map((variable) => `--pass-env ${variable}`).join(' ')} if you trust it with them`
    throw new UserError(
      `the MCP server ${name} needs ${unset.join(', ')} of your environment`,
      missing.length === 0 ? flags : `export ${missing.join(', ')}, and ${flags}`,
    )
  }
  const filled = Object.fromEntries(Object.entries(own).map(([key, value]) => [key, fill(value)]))
  return { name, type: 'stdio' as const, command: fill(command), args: args.map(fill), env: filled }
}
