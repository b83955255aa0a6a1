/** The pi engine: the real open-source CLI, headless, in folders of its own, on Anthropic's or OpenAI's API. */
import { readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type AgentCli, listCliPrograms, probeCli } from '../../engines/cli/agent_cli.ts'
import type { CliTurn } from '../../engines/cli/conversation.ts'
import { type FolderTask, findOwnFolder, replaceOwnFile } from '../../engines/cli/followed_file.ts'
import { type CliReader, type CliRun, type HeadlessCli, runHeadlessCli } from '../../engines/cli/headless_cli.ts'
import { withPlaceholders } from '../../engines/cli/key_placeholders.ts'
import type { Engine, EngineContext, EngineOutcome, EngineTask, Probe, ProbeRequest } from '../../engines/engine.ts'
import { providerAccount } from '../../engines/limits/account.ts'
import { classifyErrorText } from '../../engines/limits/error_text.ts'
import { reportRetry } from '../../engines/limits/rate_limiter.ts'
import {
  chooseProviderModel,
  chooseProviderServer,
  missingProviderKey,
  type ProviderModel,
  providerKeyName,
  providerKeys,
  providerServer,
  reportsOfProvider,
} from '../../engines/models/provider_model.ts'
import { piFailure, piReport } from './report.ts'
import { PiStream } from './stream.ts'

const piCli: AgentCli = {
  name: 'pi',
  variable: 'WHETSTONE_PI',
  package: '@mariozechner/pi-coding-agent',
  leastVersion: '0.73.0',
  update: 'pi update self',
}

/** Checks the model's name, `pi --version` and the key; no server is asked. Rejects only when aborted. */
async function probePi(request: ProbeRequest): Promise<Probe> {
  const model = chooseProviderModel('pi', request.model, request.credentials)
  if ('mistake' in model) {
    return { ok: false, kind: 'bad_request', message: model.mistake, fix: 'pass anthropic/MODEL or openai/MODEL' }
  }
  return probeCli(piCli, request, {
    env: piEnvironment({ env: request.env, credentials: {}, sessionId: 'probe', model: null }),
    model: `${model.provider}/${model.id}`,
    failure: async () => missingProviderKey('pi', model, request),
  })
}

const skillsFolder = '.agents/skills'
const homeFolder = '.pi-run'

/** By pi's own names; a run with one that pi lacks for its model fails before any request. */
const piEfforts = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh']

const headless: HeadlessCli = {
  cli: piCli,
  reaches,
  open: openTurn,
  clean: (task) => rm(piFolder(task), { recursive: true, force: true, maxRetries: 3 }),
}

export const pi: Engine = {
  name: 'pi',
  cli: piCli,
  provider: 'every',
  homeFolder,
  projectFiles: ['.pi/skills'],
  settings: ['.pi'],
  credentials: [...providerKeys, 'WHETSTONE_PI'],
  efforts: () => piEfforts,
  skillsFolder,
  userOnlySkills: { start: (name) => `/skill:${name}` },
  seesImages: 'in_folder',
  continuesSession: true,
  account: { slots: 'runs', of: providerAccount },
  reaches,
  findPrograms: (task) => listCliPrograms(piCli, task),
  probe: probePi,
  reports: (model) => reportsOfProvider('pi', model),
  run: withPlaceholders(runPi, (task) => chooseProviderServer('pi', task)),
}

/** Runs pi with the task's credentials as they are. */
export function runPi(task: EngineTask, context: EngineContext): Promise<EngineOutcome> {
  return runHeadlessCli(headless, task, context)
}

function reaches(task: Pick<EngineTask, 'model' | 'credentials'>): string[] {
  const server = chooseProviderServer('pi', task)
  return server === null ? [] : [server.url]
}

/** Loaded by pi itself. */
const extension = readFileSync(new URL('./extension.mjs', import.meta.url), 'utf8')

async function openTurn(task: CliTurn, context: EngineContext): Promise<CliRun | string> {
  const model = chooseProviderModel('pi', task.model, task.credentials)
  if ('mistake' in model) return model.mistake
  const mistake = await writePiFolder(task, model)
  if (mistake !== null) return mistake
  return {
    args: piArguments(task, model),
    env: piEnvironment(task),
    read: () => readRun(task, context, model),
  }
}

/** Creates its folder; for a later turn, only the limits are written again. A text: why it can't. */
async function writePiFolder(task: CliTurn, model: ProviderModel): Promise<string | null> {
  const folder = piFolder(task)
  const files = piFiles(task, model)
  if (task.resumes !== undefined) {
    const limits = JSON.stringify(files['limits.json'])
    return replaceOwnFile(task.env.HOME ?? '', path.join(folder, 'limits.json'), limits)
  }
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, 'extension.mjs'), extension)
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(folder, name), JSON.stringify(content))
  return null
}

function readRun(task: EngineTask, context: EngineContext, model: ProviderModel): CliReader {
  const stream = new PiStream({
    ...{ skills: task.skills, skillsFolder, emit: context.emit, maxTurns: task.maxTurns },
    onRetry(error, waitMs) {
      reportRetry(context.gate, { status: classifyErrorText(error) === 'rate_limited' ? 429 : null, waitMs })
    },
  })
  return {
    stream,
    report: (end) => piReport(stream, { model, end }),
    failure: (end) => piFailure(stream, end),
    finish: () => stream.close(),
  }
}

/** Its folder of settings and models: separate for each session, below the run's home, which judges share. */
function piFolder(task: FolderTask): string {
  return findOwnFolder(task, homeFolder)
}

/** Arguments of a headless run. Of all extensions it loads only Whetstone's. */
export function piArguments(task: CliTurn, { provider, id }: ProviderModel): string[] {
  return [
    ...['-p', '--mode', 'json', ...sessionArguments(task), '--provider', provider, '--model', id],
    ...['--no-extensions', '--extension', path.join(piFolder(task), 'extension.mjs')],
    ...['--no-prompt-templates', '--no-themes'],
    ...(task.effort === undefined ? [] : ['--thinking', task.effort]),
    ...toolArguments(task.tools),
  ]
}

/** It keeps a session only if a further message may follow. */
function sessionArguments({ resumes, nextMessage }: CliTurn): string[] {
  if (resumes !== undefined) return ['--session', resumes.sessionId]
  return nextMessage === undefined ? ['--no-session'] : []
}

/** Files that an agent left in the folder must not instruct a judge. An empty system prompt means pi's own, instead of the folder's. */
const judgeArguments = [...['--no-context-files', '--no-skills', '--system-prompt', '', '--append-system-prompt', '']]

function toolArguments(tools: EngineTask['tools']): string[] {
  switch (tools) {
    case 'all':
      return []
    case 'read_only':
      return ['--tools', 'read,grep,find,ls', ...judgeArguments]
    case 'none':
      return ['--no-tools', ...judgeArguments]
  }
}

/** The child's whole environment: the run's, its key, and settings that isolate it. */
export function piEnvironment(task: FolderTask & Pick<EngineTask, 'credentials' | 'model'>): Record<string, string> {
  const model = chooseProviderModel('pi', task.model, task.credentials)
  const key = 'mistake' in model ? null : providerKeyName(model)
  const value = key === null ? undefined : task.credentials[key]
  return {
    ...task.env,
    ...(key !== null && value ? { [key]: value } : {}),
    PI_CODING_AGENT_DIR: piFolder(task),
    PI_OFFLINE: '1',
    PI_TELEMETRY: '0',
    JITI_FS_CACHE: 'false', // the loader of extensions would write to the temporary folder
  }
}

/** The JSON files of its folder, by name. */
export function piFiles(task: EngineTask, model: ProviderModel): Record<string, object> {
  const { url } = providerServer(model, task.credentials)
  return {
    'models.json': { providers: { [model.provider]: { baseUrl: url } } },
    'settings.json': {
      retry: { maxRetries: allowedRetries(task), baseDelayMs: 1000, provider: { maxRetries: 0 } },
      enableInstallTelemetry: false,
    },
    'limits.json': {
      provider: model.provider,
      model: model.id,
      effort: task.effort ?? null,
      maxTurns: task.maxTurns,
      readsOnlyBelow: task.tools === 'all' ? null : task.cwd,
    },
  }
}

/** How often it sends a failed request again, after 1, 2, 4 and 8 seconds. */
function allowedRetries({ env }: Pick<EngineTask, 'env'>): number {
  return Number(env.PI_MAX_RETRIES ?? 4) || 0
}
