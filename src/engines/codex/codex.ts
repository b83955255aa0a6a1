/** The Codex engine: OpenAI's real CLI, headless, in a home of its own. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { errorMessage } from '../../base/errors/error.ts'
import { fetchByProxy } from '../../base/http/fetch.ts'
import { agentStdout, type ProcessEnd, runProcess, SpawnError } from '../../base/process/spawn.ts'
import { withEndpoint, withReadable } from '../../base/sandbox/policy.ts'
import { startTimeLimit } from '../../base/time/time_limit.ts'
import { withSchema } from '../answers/json_answer.ts'
import { completeAnswer, failRun } from '../answers/run_outcome.ts'
import { type AgentCli, findCli, listCliPrograms, type ProbeFailure, probeCli } from '../cli/agent_cli.ts'
import { type CliTurn, converse } from '../cli/conversation.ts'
import { failEarly, failMissing } from '../cli/headless_cli.ts'
import { type KeyedServer, withPlaceholders } from '../cli/key_placeholders.ts'
import { toStartError } from '../cli/run_failure.ts'
import type { Engine, EngineContext, EngineOutcome, EngineTask, Probe, ProbeRequest } from '../engine.ts'
import { readSuiteServers } from '../environment/suite_servers.ts'
import { openaiAccount } from '../limits/account.ts'
import { isPriced } from '../models/cost.ts'
import { openaiEfforts } from '../models/effort_levels.ts'
import { responsesRequests } from '../models/wire_requests.ts'
import { findUnusableSetting } from '../tool_loop/sdk_settings.ts'
import { toStrictSchema } from '../tool_loop/strict_schema.ts'
import {
  chooseConfinement,
  codexArguments,
  codexEndpoint,
  codexEnvironment,
  codexHome,
  codexKeys,
  findProgramFolders,
} from './argv.ts'
import { codexAgentFile, codexSupport } from './environment_settings.ts'
import { codexFailure, codexReport } from './report.ts'
import { CodexJournal, questionTool } from './session_file.ts'
import { CodexStream } from './stream.ts'

const codexCli: AgentCli = {
  name: 'codex',
  variable: 'WHETSTONE_CODEX',
  package: '@openai/codex',
  leastVersion: '0.150.0',
  update: 'codex update',
}

/** Checks `codex --version` and the key, then asks the server. Rejects only when aborted. */
function probeCodex(request: ProbeRequest): Promise<Probe> {
  const env = codexEnvironment({ env: request.env, credentials: {}, sessionId: 'probe' })
  const failure = async () => keyFailure(request) ?? (await probeCodexServer(request))
  return probeCli(codexCli, request, { env, failure })
}

function keyFailure({ credentials }: ProbeRequest): ProbeFailure | null {
  if (codexKeys.some((name) => credentials[name])) return null
  const message = 'codex has no key: CODEX_API_KEY and OPENAI_API_KEY are both unset'
  const fix = 'export OPENAI_API_KEY=… (each run has its own home, so a login is not seen)'
  return { ok: false, kind: 'credentials', message, fix }
}

const skillsFolder = '.agents/skills'

export const codex: Engine = {
  name: 'codex',
  cli: codexCli,
  provider: 'openai',
  homeFolder: '.codex',
  settings: ['.codex'],
  credentials: [...codexKeys, 'OPENAI_BASE_URL', 'WHETSTONE_CODEX'],
  address: 'OPENAI_BASE_URL',
  readsAbove: false,
  // Codex alone knows ultra
  efforts: () => [...openaiEfforts, 'ultra'],
  skillsFolder,
  seesImages: 'attached',
  questionTools: [questionTool],
  continuesSession: true,
  account: { slots: 'runs', of: openaiAccount },
  supports: codexSupport,
  reaches,
  findPrograms: (task) => listCliPrograms(codexCli, task),
  probe: probeCodex,
  // its default model is known only after a run
  async reports(model) {
    if (model === null) return { cost: false, tokens: true }
    const priced = { model, provider: 'openai' }
    return { cost: await isPriced(priced), tokens: true, priced }
  },
  run: withPlaceholders(runCodex, keyedServer),
}

function reaches({ credentials }: Pick<EngineTask, 'credentials'>): string[] {
  return [codexEndpoint(credentials)]
}

function keyedServer({ credentials }: EngineTask): KeyedServer {
  return {
    address: 'OPENAI_BASE_URL',
    url: codexEndpoint(credentials),
    keys: codexKeys,
    requests: responsesRequests,
    provider: 'openai',
  }
}

/** Milliseconds between two checks whether the tools of the last allowed response have run. */
const turnPollMs = 25

/** Runs Codex with the task's credentials as they are. */
export async function runCodex(task: EngineTask, context: EngineContext): Promise<EngineOutcome> {
  context.signal.throwIfAborted()
  const program = await findCli(codexCli, task)
  if (program === null) return failMissing(codexCli, task, context)
  try {
    return await converse(task, context, (turn, turnContext) => runTurn(program, turn, turnContext))
  } finally {
    await leave(task)
  }
}

async function runTurn(program: string, task: CliTurn, context: EngineContext): Promise<EngineOutcome> {
  const journal = new CodexJournal(codexHome(task))
  if (task.resumes !== undefined) journal.skipWritten()
  const stream = new CodexStream({ skills: task.skills, skillsFolder, emit: context.emit, journal })
  context.soFar?.(() => codexReport(stream, journal, { task, end: null }))
  const enough = new AbortController()
  const look =
    task.maxTurns === null ? null : setInterval(() => stopAfterTurns(task.maxTurns, journal, enough), turnPollMs)
  try {
    const end = await start({ program, task, context, stream, enough: enough.signal })
    stream.tellBlocks()
    const report = await codexReport(stream, journal, { task, end })
    const failure = end === null ? null : codexFailure(stream, journal, end)
    if (failure !== null) return failRun(context, failure, { report, step: stream.step })
    return completeAnswer(context, report, stream.step)
  } catch (error) {
    if (!(error instanceof SpawnError)) throw error
    return failEarly(context, toStartError(error, 'an argument is too long'))
  } finally {
    if (look !== null) clearInterval(look)
    journal.catchUp()
    journal.close()
  }
}

/** Codex has no limit of turns itself: it is ended once the tools of the last allowed response have run. */
function stopAfterTurns(maxTurns: number | null, journal: CodexJournal, enough: AbortController): void {
  journal.catchUp()
  const isOver =
    maxTurns !== null && (journal.responses > maxTurns || (journal.responses === maxTurns && journal.isMidway))
  if (isOver) enough.abort()
}

interface Start {
  program: string
  task: CliTurn
  context: EngineContext
  stream: CodexStream
  enough: AbortSignal
}

/** How the process ended; null: it was ended after its last allowed turn. */
async function start({ program, task, context, stream, enough }: Start): Promise<ProcessEnd | null> {
  const { CODEX_HOME: home = '', TMPDIR: temporary = home } = codexEnvironment(task)
  if (task.resumes === undefined) {
    await Promise.all([home, temporary].map((folder) => mkdir(folder, { recursive: true })))
  }
  const strict = task.answerSchema === null ? null : toStrictSchema(task.answerSchema)
  const schemaFile = strict === null ? null : path.join(home, 'answer_schema.json')
  if (schemaFile !== null && task.resumes === undefined) await writeFile(schemaFile, JSON.stringify(strict))
  if (task.resumes === undefined) await writeAgents(task, home)
  const images = task.resumes === undefined ? await findImageFiles(task, home) : []
  const servers = await readSuiteServers(task)
  const isTold = task.answerSchema !== null && strict === null
  const confinement = await chooseConfinement(task, program)
  const sandbox = withReadable(task.sandbox, task.sandbox === null ? [] : await findProgramFolders(program, task))
  try {
    return await runProcess({
      command: program,
      args: codexArguments(task, { schemaFile, confinement, images, servers }),
      cwd: task.cwd,
      env: codexEnvironment(task),
      stdin: isTold && task.answerSchema !== null ? withSchema(task.prompt, task.answerSchema) : task.prompt,
      signal: AbortSignal.any([context.signal, enough]),
      onLine: (line) => (stream.take(line) === 'last' ? 'last' : undefined),
      stderrFile: context.stderrFile,
      ...agentStdout,
      stdout: 'pipe', // each line belongs to what its journal holds at that moment, and its writes to a pipe wait
      sandbox: withEndpoint(sandbox, ...reaches(task)),
    })
  } catch (error) {
    context.signal.throwIfAborted()
    if (!enough.aborted) throw error
    return null
  }
}

/** Sub-agents are found in its own folder, which the agent's tools don't look into, and not in one that is not trusted. */
async function writeAgents({ environment, tools }: EngineTask, home: string): Promise<void> {
  const agents = tools === 'all' ? (environment?.agents ?? []) : []
  if (agents.length > 0) await mkdir(path.join(home, 'agents'))
  for (const agent of agents) await writeFile(path.join(home, 'agents', `${agent.name}.toml`), codexAgentFile(agent))
}

/**
 * It attaches only files, and tells the model their places. An image that is in no file, or in one whose name it would split at a comma, is
 * written to its own home.
 */
async function findImageFiles({ images = [] }: EngineTask, home: string): Promise<string[]> {
  const files: string[] = []
  for (const [index, { mediaType, data, file }] of images.entries()) {
    if (file !== undefined && !file.includes(',')) files.push(file)
    else {
      const copy = path.join(home, `image-${index + 1}.${mediaType.replace('image/', '')}`)
      await writeFile(copy, data, 'base64')
      files.push(copy)
    }
  }
  return files
}

/** Removes its folders: judges share a home, and each would leave more than a megabyte there. */
async function leave(task: EngineTask): Promise<void> {
  const home = codexHome(task)
  const gone = { recursive: true, force: true, maxRetries: 3 }
  await Promise.all([home, `${home}.tmp`].map((folder) => rm(folder, gone).catch(() => {})))
}

const reachTimeoutMs = 15_000

type Failure = Extract<Probe, { ok: false }>

/** Null if nothing speaks against a run; the server need not list models. Rejects only when aborted. */
async function probeCodexServer({ credentials, signal }: ProbeRequest): Promise<Failure | null> {
  const url = codexEndpoint(credentials)
  const address = { name: 'OPENAI_BASE_URL', url }
  const unusable = findUnusableSetting({ credentials, keys: codexKeys, address })
  if (unusable !== null) return unusable
  const name = codexKeys.find((one) => credentials[one]) ?? 'OPENAI_API_KEY'
  const key = (credentials[name] ?? '').trim()
  using limit = startTimeLimit(reachTimeoutMs, [signal])
  try {
    const answer = await fetchByProxy(`${url}/models`, {
      headers: { authorization: `Bearer ${key}` },
      signal: limit.signal,
    })
    await answer.body?.cancel()
    if (answer.status !== 401 && answer.status !== 403) return null
    const fix = `check ${name}, and that it belongs to OPENAI_BASE_URL if that is set`
    return { ok: false, kind: 'credentials', message: `${url} rejects the key (status ${answer.status})`, fix }
  } catch (error) {
    signal.throwIfAborted()
    // the message of fetch itself says only that it failed
    const reason = error instanceof Error && error.cause !== undefined ? error.cause : error
    const message = `${url} did not answer: ${errorMessage(reason)}`
    return { ok: false, kind: 'unreachable', message, fix: 'check the network, the proxy settings and OPENAI_BASE_URL' }
  }
}
