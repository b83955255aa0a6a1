/** The copilot engine: the real GitHub Copilot CLI, headless, in folders of its own, on Anthropic's, OpenAI's or GitHub's models. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { withReadable } from '../../base/sandbox/policy.ts'
import { withSchema } from '../answers/json_answer.ts'
import { listCliPrograms } from '../cli/agent_cli.ts'
import type { CliTurn } from '../cli/conversation.ts'
import { type CliReader, type CliRun, type HeadlessCli, runHeadlessCli } from '../cli/headless_cli.ts'
import { withPlaceholders } from '../cli/key_placeholders.ts'
import type { Engine, EngineContext, EngineOutcome, EngineTask } from '../engine.ts'
import { writeAgentFiles } from '../environment/agent_files.ts'
import { readSuiteServers } from '../environment/suite_servers.ts'
import { providerAccount } from '../limits/account.ts'
import { reportRetry } from '../limits/rate_limiter.ts'
import { isPriced } from '../models/cost.ts'
import { copilotArguments, copilotEnvironment, copilotFolders } from './argv.ts'
import {
  type CopilotModel,
  chooseCopilotServer,
  copilotEfforts,
  copilotEndpoints,
  copilotKeys,
  copilotModel,
} from './model.ts'
import { copilotCli, probeCopilot } from './probe.ts'
import { copilotFailure, copilotReport } from './report.ts'
import { CopilotSession } from './session_file.ts'
import { CopilotStream } from './stream.ts'
import { copilotCache, linkUnpacked, listUnpacked } from './unpacked.ts'

const skillsFolder = '.agents/skills'

export const copilot: Engine = {
  name: 'copilot',
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
    stdin: task.answerSchema === null ? task.prompt : withSchema(task.prompt, task.answerSchema),
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
    get step() {
      return stream.step
    },
    take: (line) => stream.take(line),
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
