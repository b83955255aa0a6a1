/** The copilot engine: the real GitHub Copilot CLI, headless, in folders of its own, on Anthropic's, OpenAI's or GitHub's models. */
import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { withReadable } from '../../base/sandbox/policy.ts'
import { type AgentCli, listCliPrograms, type ProbeFailure, probeCli } from '../../engines/cli/agent_cli.ts'
import type { CliTurn } from '../../engines/cli/conversation.ts'
import { type CliReader, type CliRun, type HeadlessCli, runHeadlessCli } from '../../engines/cli/headless_cli.ts'
import { withPlaceholders } from '../../engines/cli/key_placeholders.ts'
import type { Engine, EngineContext, EngineOutcome, EngineTask, Probe, ProbeRequest } from '../../engines/engine.ts'
import { writeAgentFiles } from '../../engines/environment/sub_agents.ts'
import { readSuiteServers } from '../../engines/environment/suite_servers.ts'
import { providerAccount } from '../../engines/limits/account.ts'
import { reportRetry } from '../../engines/limits/rate_limiter.ts'
import { isPriced } from '../../engines/models/cost.ts'
import {
  type CopilotModel,
  chooseCopilotServer,
  copilotArguments,
  copilotEfforts,
  copilotEndpoints,
  copilotEnvironment,
  copilotFolders,
  copilotKeyName,
  copilotKeys,
  copilotModel,
  copilotModelName,
} from './argv.ts'
import { CopilotSession, copilotFailure, copilotReport } from './report.ts'
import { CopilotStream } from './stream.ts'

const copilotCli: AgentCli = {
  name: 'copilot',
  variable: 'WHETSTONE_COPILOT',
  package: '@github/copilot',
  leastVersion: '1.0.102',
  update: 'copilot update',
}

/** Checks the model's name, `copilot --version` and the key; no server is asked. Rejects only when aborted. */
async function probeCopilot(request: ProbeRequest): Promise<Probe> {
  const model = copilotModel(request.model, request.credentials)
  if ('mistake' in model) {
    const fix = 'pass anthropic/MODEL, openai/MODEL or github/MODEL'
    return { ok: false, kind: 'bad_request', message: model.mistake, fix }
  }
  return probeCli(copilotCli, request, {
    // its first start unpacks it into the user's cache folder, where the runs find it
    env: { ...request.env, COPILOT_CACHE_HOME: copilotCache(request.credentials), COPILOT_AUTO_UPDATE: 'false' },
    model: copilotModelName(model),
    failure: async () => keyFailure(model, request),
  })
}

function keyFailure(model: CopilotModel, { credentials }: ProbeRequest): ProbeFailure | null {
  const key = copilotKeyName(model)
  if (credentials[key]) return null
  const message = `copilot has no key for ${copilotModelName(model)}: ${key} is unset`
  return { ok: false, kind: 'credentials', message, fix: `export ${key}=…, or name a model of another provider` }
}

const skillsFolder = '.agents/skills'

export const copilot: Engine = {
  name: 'copilot',
  cli: copilotCli,
  provider: 'every',
  homeFolder: '.copilot-run',
  projectFiles: ['.github/skills', '.github/instructions', '.github/copilot-instructions.md'],
  credentials: [...copilotKeys, 'COPILOT_CACHE_HOME', 'WHETSTONE_COPILOT'],
  efforts: copilotEfforts,
  skillsFolder,
  continuesSession: true,
  userOnlySkills: { start: null },
  // with several keys set, only the model says which account is used, so all of them then share one limit
  account: { slots: 'runs', of: findAccount },
  supports: { hooks: [], rules: false, agents: true, mcp_servers: true },
  reaches,
  async findPrograms(task) {
    return [...(await listCliPrograms(copilotCli, task)), ...(await listUnpacked(copilotCache(task.credentials)))]
  },
  probe: probeCopilot,
  async reports(name) {
    const model = copilotModel(name, {})
    if ('mistake' in model || model.provider === 'github') return { cost: false, tokens: true }
    const priced = { model: model.id, provider: model.provider }
    return { cost: await isPriced(priced), tokens: true, priced }
  },
  run: withPlaceholders(runCopilot, chooseCopilotServer),
}

function findAccount(credentials: EngineTask['credentials']) {
  const { ANTHROPIC_API_KEY, OPENAI_API_KEY, COPILOT_GITHUB_TOKEN: token } = credentials
  if (ANTHROPIC_API_KEY || OPENAI_API_KEY || !token) return providerAccount(credentials)
  return { provider: 'github', baseUrl: 'https://api.githubcopilot.com', secret: token }
}

function reaches({ model, credentials }: Pick<EngineTask, 'model' | 'credentials'>): readonly string[] {
  const chosen = copilotModel(model, credentials)
  return 'mistake' in chosen ? [] : copilotEndpoints(chosen, credentials)
}

const headless: HeadlessCli = {
  cli: copilotCli,
  reaches,
  open: openTurn,
  clean: (task) => rm(copilotFolders(task).root, { recursive: true, force: true, maxRetries: 3 }),
}

/** Runs Copilot with the task's credentials as they are. */
export async function runCopilot(task: EngineTask, context: EngineContext): Promise<EngineOutcome> {
  const unpacked = task.sandbox === null ? [] : await listUnpacked(copilotCache(task.credentials))
  return runHeadlessCli(headless, { ...task, sandbox: withReadable(task.sandbox, unpacked) }, context)
}

async function openTurn(task: CliTurn, context: EngineContext): Promise<CliRun | string> {
  const model = copilotModel(task.model, task.credentials)
  if ('mistake' in model) return model.mistake
  if (task.resumes === undefined) await createCopilotFolders(task)
  return {
    args: copilotArguments(task, await readSuiteServers(task)),
    env: copilotEnvironment(task, model),
    read: () => readRun(task, context, model),
  }
}

/** Creates its folders and settings, with links to the program that it has unpacked before. */
async function createCopilotFolders(task: EngineTask): Promise<void> {
  const { home, cache } = copilotFolders(task)
  await mkdir(home, { recursive: true })
  await writeAgentFiles(task, path.join(home, 'agents'), '.agent.md')
  await linkUnpacked(copilotCache(task.credentials), cache)
  // a judge works in a folder that an agent has filled
  if (task.tools !== 'all') await writeFile(path.join(home, 'settings.json'), '{"disableAllHooks":true}')
}

function readRun(task: CliTurn, context: EngineContext, model: CopilotModel): CliReader {
  const session = new CopilotSession(() => copilotFolders(task).events)
  if (task.resumes !== undefined) session.skipWritten()
  const stream = new CopilotStream({
    ...{ skills: task.skills, skillsFolder, sessionId: task.sessionId, maxTurns: task.maxTurns, emit: context.emit },
    onRetry: (retry) => reportRetry(context.gate, retry),
  })
  return {
    stream,
    poll() {
      session.catchUp()
      const isOver = stream.failures > allowedRetries(task)
      if (isOver) stream.close()
      return isOver
    },
    report: (end) => copilotReport(stream, session, { task, model, end }),
    failure: (end) => copilotFailure(stream, end),
    finish() {
      stream.close()
      session.catchUp()
      session.close()
    },
  }
}

/** Copilot itself sends a failed request again up to five times. */
function allowedRetries({ env }: EngineTask): number {
  return Number(env.COPILOT_MAX_RETRIES ?? 4) || 0
}

/** Copilot's cache folder of the user, or the folder that the user names. */
function copilotCache({ COPILOT_CACHE_HOME: chosen }: EngineTask['credentials']): string {
  return chosen || path.join(homedir(), process.platform === 'darwin' ? 'Library/Caches' : '.cache', 'copilot')
}

/** Copilot unpacks each version into `pkg/<platform>/<version>` of its cache folder. */
export async function listUnpacked(cache: string): Promise<string[]> {
  const platforms = await listFolders(path.join(cache, 'pkg'))
  return (await Promise.all(platforms.map(listFolders))).flat()
}

/**
 * Links the unpacked versions into a run's own cache folder. Everything else in a cache folder stays the run's own. A version that is
 * missing is unpacked by the run itself.
 */
export async function linkUnpacked(cache: string, own: string): Promise<void> {
  for (const folder of await listUnpacked(cache)) {
    const link = path.join(own, path.relative(cache, folder))
    await mkdir(path.dirname(link), { recursive: true })
    await symlink(folder, link)
  }
}

async function listFolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => path.join(folder, name))
}
