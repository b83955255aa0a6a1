/** The opencode engine: the real open-source CLI, headless, in folders of its own, on Anthropic's or OpenAI's API. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import * as z from 'zod'
import type { FailureKind } from '../../../schemas/run.ts'
import { runProcess } from '../../base/process/spawn.ts'
import { type AgentCli, listCliPrograms, type ProbeFailure, probeCli } from '../../engines/cli/agent_cli.ts'
import type { CliTurn } from '../../engines/cli/conversation.ts'
import { findProgram } from '../../engines/cli/find_program.ts'
import {
  type CliLaunch,
  type CliReader,
  type CliRun,
  type HeadlessCli,
  runHeadlessCli,
} from '../../engines/cli/headless_cli.ts'
import { withPlaceholders } from '../../engines/cli/key_placeholders.ts'
import type { Engine, EngineContext, EngineOutcome, EngineTask, Probe, ProbeRequest } from '../../engines/engine.ts'
import { readSuiteServers } from '../../engines/environment/suite_servers.ts'
import { providerAccount } from '../../engines/limits/account.ts'
import { classifyErrorText } from '../../engines/limits/error_text.ts'
import { reportRetry } from '../../engines/limits/rate_limiter.ts'
import { anthropicEfforts, openaiEfforts } from '../../engines/models/effort_levels.ts'
import {
  chooseProviderModel,
  chooseProviderServer,
  missingProviderKey,
  type ProviderModel,
  providerKeys,
  reportsOfProvider,
} from '../../engines/models/provider_model.ts'
import { opencodeArguments, opencodeEndpoint, opencodeEnvironment, opencodeFolders } from './argv.ts'
import { OpencodeLog, opencodeFailure, opencodeReport } from './report.ts'
import { OpencodeStream } from './stream.ts'

const opencodeCli: AgentCli = {
  name: 'opencode',
  variable: 'WHETSTONE_OPENCODE',
  package: 'opencode-ai',
  leastVersion: '1.18.0',
  update: 'opencode upgrade',
}

/** Checks the model's name, `opencode --version`, the key and ripgrep; no server is asked. Rejects only when aborted. */
async function probeOpencode(request: ProbeRequest): Promise<Probe> {
  const model = chooseProviderModel('opencode', request.model, request.credentials)
  if ('mistake' in model) {
    return { ok: false, kind: 'bad_request', message: model.mistake, fix: 'pass anthropic/MODEL or openai/MODEL' }
  }
  return probeCli(opencodeCli, request, {
    env: opencodeEnvironment({ env: request.env, credentials: {}, sessionId: 'probe', model: null, tools: 'all' }),
    model: `${model.provider}/${model.id}`,
    failure: async () => missingProviderKey('opencode', model, request) ?? (await ripgrepFailure(request)),
  })
}

async function ripgrepFailure({ env }: ProbeRequest): Promise<ProbeFailure | null> {
  if ((await findProgram('rg', env.PATH ?? '')) !== null) return null
  const message = 'opencode needs ripgrep (rg) on PATH: without it each run would download its own'
  return { ok: false, kind: 'missing_binary', message, fix: 'apt-get install ripgrep, or brew install ripgrep' }
}

const skillsFolder = '.agents/skills'
const settings = ['opencode.json', 'opencode.jsonc', '.opencode']

export const opencode: Engine = {
  name: 'opencode',
  cli: opencodeCli,
  provider: 'every',
  homeFolder: '.opencode-run',
  projectFiles: settings,
  settings,
  credentials: [...providerKeys, 'WHETSTONE_OPENCODE'],
  efforts: (model) => listEfforts(model),
  skillsFolder,
  questionTools: ['question'],
  continuesSession: true,
  account: { slots: 'runs', of: providerAccount },
  supports: { hooks: [], rules: false, agents: true, mcp_servers: true },
  reaches,
  findPrograms: (task) => listCliPrograms(opencodeCli, task),
  probe: probeOpencode,
  reports: (model) => reportsOfProvider('opencode', model),
  run: withPlaceholders(runOpencode, (task) => chooseProviderServer('opencode', task)),
}

function reaches(task: Pick<EngineTask, 'model' | 'credentials'>): string[] {
  return [opencodeEndpoint(task)]
}

/** More polls that wait for opencode's own error once a request has failed too often: it is better, but comes later than the log's. */
const extraPolls = 2

/** Failures that it retries by itself for as long as it may. */
const retriedKinds: readonly FailureKind[] = ['rate_limited', 'overloaded', 'unreachable']

/** Whether it will try again, or already does: then waiting longer means more requests. */
function isRetrying(log: OpencodeLog): boolean {
  return log.isTryingAgain || retriedKinds.includes(classifyErrorText(log.lastError ?? ''))
}

const headless: HeadlessCli = {
  cli: opencodeCli,
  reaches,
  open: openTurn,
  clean: (task) => rm(opencodeFolders(task).root, { recursive: true, force: true, maxRetries: 3 }),
}

/** Runs opencode with the task's credentials as they are. */
export function runOpencode(task: EngineTask, context: EngineContext): Promise<EngineOutcome> {
  return runHeadlessCli(headless, task, context)
}

async function openTurn(task: CliTurn, context: EngineContext): Promise<CliRun | string> {
  const model = chooseProviderModel('opencode', task.model, task.credentials)
  if ('mistake' in model) return model.mistake
  const folders = opencodeFolders(task)
  if (task.resumes === undefined) await createOpencodeFolders(folders)
  const servers = await readSuiteServers(task)
  return {
    args: opencodeArguments(task),
    env: opencodeEnvironment(task, servers),
    async read(launch) {
      const isFirst = task.tools === 'all' && task.resumes === undefined
      const offered = isFirst ? await listOfferedSkills(launch) : null
      const names = servers.map(({ name }) => name)
      const broken = isFirst && names.length > 0 ? await listBrokenServers(launch, names) : []
      return readRun({ task, context, model, offered, broken })
    },
  }
}

/** Creates its folders, and marks the plugin that it would otherwise install from the registry at every start as installed. */
export async function createOpencodeFolders({
  config,
  data,
  cache,
  state,
}: ReturnType<typeof opencodeFolders>): Promise<void> {
  await Promise.all(
    [data, cache, state, path.join(config, 'opencode/node_modules')].map((one) => mkdir(one, { recursive: true })),
  )
  const lock = {
    name: 'opencode',
    lockfileVersion: 3,
    packages: { '': { dependencies: { '@opencode-ai/plugin': '*' } } },
  }
  await writeFile(path.join(config, 'opencode/package-lock.json'), JSON.stringify(lock))
}

interface OpencodeRun {
  task: CliTurn
  context: EngineContext
  model: ProviderModel
  /** The skills that it offers its model; null: not known. */
  offered: string[] | null
  /** MCP servers that do not start. */
  broken: string[]
}

function readRun({ task, context, model, offered, broken }: OpencodeRun): CliReader {
  const { log, isOver } = followOpencodeLog(task, context)
  if (task.resumes !== undefined) log.skipWritten()
  log.brokenServers.push(...broken)
  const stream = new OpencodeStream({ skills: task.skills, skillsFolder, emit: context.emit, maxTurns: task.maxTurns })
  return {
    stream,
    poll: isOver,
    report: (end) => opencodeReport(stream, log, { model, offered, end }),
    failure: (end) => opencodeFailure(stream, log, end),
    finish() {
      log.catchUp()
      log.close()
    },
  }
}

function allowedRetries({ env }: EngineTask): number {
  return Number(env.OPENCODE_MAX_RETRIES ?? 4) || 0
}

/** Follows its log, which alone shows that it sends a request again and again, or that a server did not start. `isOver`: for each poll. */
function followOpencodeLog(task: EngineTask, { gate }: Pick<EngineContext, 'gate'>) {
  const log = new OpencodeLog(opencodeFolders(task).data, (error, waitMs) => {
    reportRetry(gate, { status: classifyErrorText(error) === 'rate_limited' ? 429 : null, waitMs })
  })
  let over = 0
  const isOver = () => {
    over = log.retries() > allowedRetries(task) ? over + 1 : 0
    if (log.brokenServers.length > 0) return true
    return over > (isRetrying(log) ? 0 : extraPolls)
  }
  return { log, isOver }
}

const list = z.array(z.looseObject({ name: z.string() }))

/** Runs `opencode debug skill` as the run itself is started; null: it gave no list. Rejects only when aborted, or when it can't start. */
async function listOfferedSkills(launch: CliLaunch): Promise<string[] | null> {
  const end = await runProcess({ ...launch, args: ['debug', 'skill', '--pure'] })
  try {
    return list.parse(JSON.parse(end.stdout)).map(({ name }) => name)
  } catch {
    return null
  }
}

/**
 * Runs `opencode mcp list` as the run itself is started: a quick run may be over before its log names a server that did not start.
 * Rejects only when aborted, or when it can't start.
 */
async function listBrokenServers(launch: CliLaunch, names: readonly string[]): Promise<string[]> {
  const end = await runProcess({ ...launch, args: ['mcp', 'list', '--pure'] })
  const failed = [...stripVTControlCharacters(end.stdout + end.stderrTail).matchAll(/✗\s+(\S+)\s+failed/g)]
  return names.filter((name) => failed.some(([, one]) => one === name))
}

/** The levels of effort of the model's provider; those of Anthropic, which OpenAI has too, if no model is named: then the key chooses. */
function listEfforts(name: string | null): readonly string[] {
  const model = chooseProviderModel('opencode', name, {})
  return name !== null && !('mistake' in model) && model.provider === 'openai' ? openaiEfforts : anthropicEfforts
}
