/** The gemini engine: the real Gemini CLI, headless, in a home of its own, on the Gemini API. */
import { mkdir, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import { tryParseJson } from '../../base/json/json.ts'
import { runMark } from '../../base/process/process_marks.ts'
import { showPlaces } from '../../base/sandbox/policy.ts'
import { type AgentCli, listCliPrograms, type ProbeFailure, probeCli } from '../../engines/cli/agent_cli.ts'
import type { CliTurn } from '../../engines/cli/conversation.ts'
import { replaceOwnFile } from '../../engines/cli/followed_file.ts'
import { type CliReader, type CliRun, type HeadlessCli, runHeadlessCli } from '../../engines/cli/headless_cli.ts'
import { withPlaceholders } from '../../engines/cli/key_placeholders.ts'
import type { Engine, EngineContext, EngineOutcome, EngineTask, Probe, ProbeRequest } from '../../engines/engine.ts'
import { writeAgentFiles } from '../../engines/environment/sub_agents.ts'
import { readSuiteServers, type SuiteServer } from '../../engines/environment/suite_servers.ts'
import { reportRetry } from '../../engines/limits/rate_limiter.ts'
import { isPriced } from '../../engines/models/cost.ts'
import { HeldCommands } from './held_commands.ts'
import { GeminiLog } from './log.ts'
import { GeminiErrors, type GeminiSources, geminiFailure, geminiReport } from './report.ts'
import { dropRepeatedResults, GeminiSession } from './session_file.ts'
import {
  geminiAccount,
  geminiAliases,
  geminiArguments,
  geminiEfforts,
  geminiEnvironment,
  geminiFolders,
  geminiKeys,
  geminiModel,
  geminiProvider,
  geminiServer,
  geminiSettings,
} from './settings.ts'
import { GeminiStream } from './stream.ts'

const geminiCli: AgentCli = {
  name: 'gemini',
  variable: 'WHETSTONE_GEMINI',
  package: '@google/gemini-cli',
  leastVersion: '0.60.0',
  update: 'npm install -g @google/gemini-cli@latest',
}

/** Checks `gemini --version` and the key; no server is asked. Rejects only when aborted. */
function probeGemini(request: ProbeRequest): Promise<Probe> {
  return probeCli(geminiCli, request, {
    env: request.env,
    model: geminiModel(request.model),
    failure: async () => keyFailure(request),
  })
}

function keyFailure({ credentials }: ProbeRequest): ProbeFailure | null {
  if (credentials.GEMINI_API_KEY) return null
  const message = 'gemini has no key: GEMINI_API_KEY is unset (a login in the CLI is not used)'
  return { ok: false, kind: 'credentials', message, fix: 'export GEMINI_API_KEY=…' }
}

const skillsFolder = '.agents/skills'

export const gemini: Engine = {
  name: 'gemini',
  cli: geminiCli,
  provider: 'google',
  judgeModels: /^gemini-[^:]+$/,
  homeFolder: '.gemini-run',
  projectFiles: ['GEMINI.md', '.gemini/skills'],
  settings: ['.gemini'],
  aliases: Object.keys(geminiAliases),
  credentials: [...geminiKeys, 'WHETSTONE_GEMINI'],
  address: 'GOOGLE_GEMINI_BASE_URL',
  efforts: geminiEfforts,
  skillsFolder,
  questionTools: ['ask_user'],
  continuesSession: true,
  account: { slots: 'runs', of: geminiAccount },
  supports: { hooks: [], rules: false, agents: true, mcp_servers: true },
  reaches,
  findPrograms: (task) => listCliPrograms(geminiCli, task),
  probe: probeGemini,
  async reports(name) {
    const priced = { model: geminiModel(name), provider: geminiProvider }
    return { cost: await isPriced(priced), tokens: true, priced }
  },
  run: withPlaceholders(runGemini, (task) => geminiServer(task.credentials)),
}

function reaches({ credentials }: Pick<EngineTask, 'credentials'>): string[] {
  return [geminiServer(credentials).url]
}

const headless: HeadlessCli = {
  cli: geminiCli,
  reaches,
  open: openTurn,
  clean: (task) => rm(geminiFolders(task).home, { recursive: true, force: true, maxRetries: 3 }),
}

/** Runs Gemini CLI with the task's credentials as they are. */
function runGemini(task: EngineTask, context: EngineContext): Promise<EngineOutcome> {
  return runHeadlessCli(headless, task, context)
}

async function openTurn(task: CliTurn, context: EngineContext): Promise<CliRun | string> {
  const servers = await readSuiteServers(task)
  const mistake = task.resumes === undefined ? await createGeminiHome(task, servers) : renewGeminiHome(task, servers)
  if (mistake !== null) return mistake
  return {
    args: geminiArguments(task),
    env: geminiEnvironment(task),
    read: async ({ command }) => readRun({ task, context, version: await readVersion(command) }),
  }
}

/** Creates its home with its settings. A text: why this task can't be started. */
async function createGeminiHome(task: EngineTask, servers: readonly SuiteServer[]): Promise<string | null> {
  const mistake = task.tools === 'all' ? null : await findInstructions(task.cwd)
  if (mistake !== null) return mistake
  const { settings, agents } = geminiFolders(task)
  await mkdir(path.dirname(settings), { recursive: true })
  await writeFile(settings, writeSettings(task, servers))
  await writeAgentFiles(task, agents)
  return null
}

/** The limit of turns and the session, as a later turn needs them. A text: why it can't be started. */
function renewGeminiHome(task: EngineTask, servers: readonly SuiteServer[]): string | null {
  const { settings, chats } = geminiFolders(task)
  const home = task.env.HOME ?? ''
  return replaceOwnFile(home, settings, writeSettings(task, servers)) ?? dropRepeatedResults(home, chats)
}

function writeSettings(task: EngineTask, servers: readonly SuiteServer[]): string {
  return showPlaces(JSON.stringify(geminiSettings(task, servers)), task.sandbox?.policy.places)
}

/** Files below the folder that would configure or instruct a judge: the CLI can't be told to leave them out. null: there are none. */
async function findInstructions(cwd: string): Promise<string | null> {
  const found = await readdir(cwd, { recursive: true, withFileTypes: true })
  const bad = found.find(({ name }) => name === '.gemini' || name === 'GEMINI.md')
  return bad === undefined ? null : `gemini can't judge this folder: ${bad.name} in it would configure the judge`
}

const manifest = z.looseObject({ name: z.literal('@google/gemini-cli'), version: z.string() })

/** The version in the program's package: nothing that it writes contains it. null: not known. */
async function readVersion(program: string): Promise<string | null> {
  let folder = path.dirname(await realpath(program).catch(() => program))
  for (let level = 0; level < 4; level += 1) {
    const text = await readFile(path.join(folder, 'package.json'), 'utf8').catch(() => '')
    const read = manifest.safeParse(tryParseJson(text))
    if (read.success) return read.data.version
    folder = path.dirname(folder)
  }
  return null
}

/** Whether the result of a command is awaited. One that the model put into the background itself is not waited for. */
function isCommandOpen({ calls }: GeminiStream): boolean {
  const commands = [...calls.values()].filter(({ name }) => name === 'run_shell_command')
  return commands.length > 0 && !commands.some(({ input }) => backgroundCall.safeParse(input).success)
}

const backgroundCall = z.looseObject({ is_background: z.literal(true) })

interface GeminiRun {
  task: CliTurn
  context: EngineContext
  version: string | null
}

function readRun({ task, context, version }: GeminiRun): CliReader {
  const folders = geminiFolders(task)
  const log = new GeminiLog(folders.log, (status, waitMs) => {
    reportRetry(context.gate, { status: status === 429 ? 429 : null, waitMs })
  })
  const session = new GeminiSession(folders.chats)
  const errors = new GeminiErrors(folders.debug)
  if (task.resumes !== undefined) for (const one of [log, session, errors]) one.skipWritten()
  const { skills, env } = task
  const stream = new GeminiStream({ skills, skillsFolder, emit: context.emit, output: (id) => session.output(id) })
  const seen: GeminiSources = { stream, log, session, errors }
  const catchUp = () => {
    for (const one of [log, session, errors]) one.catchUp()
  }
  const held = new HeldCommands(env.TMPDIR ?? '/tmp', env[runMark] ?? '')
  return {
    stream,
    poll() {
      log.catchUp()
      errors.catchUp()
      if (isCommandOpen(stream)) void held.poll()
      return errors.brokenServers.length > 0
    },
    report(end) {
      catchUp()
      return geminiReport(seen, { task, version, end })
    },
    failure: (end) => geminiFailure(seen, end),
    finish() {
      stream.finish()
      catchUp()
      for (const one of [log, session, errors]) one.close()
    },
  }
}
