/** The qwen engine: the real Qwen Code CLI, headless, in folders of its own, on any server with OpenAI's Chat Completions API. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { withSchema } from '../answers/json_answer.ts'
import { listCliPrograms } from '../cli/agent_cli.ts'
import type { CliTurn } from '../cli/conversation.ts'
import { type CliReader, type CliRun, type HeadlessCli, runHeadlessCli } from '../cli/headless_cli.ts'
import { type KeyedServer, withPlaceholders } from '../cli/key_placeholders.ts'
import type { Engine, EngineContext, EngineOutcome, EngineTask } from '../engine.ts'
import { writeAgentFiles } from '../environment/agent_files.ts'
import { readSuiteServers } from '../environment/suite_servers.ts'
import { openaiAccount } from '../limits/account.ts'
import { reportRetry } from '../limits/rate_limiter.ts'
import { isPriced } from '../models/cost.ts'
import { openaiEfforts } from '../models/effort_levels.ts'
import { openaiModel } from '../models/providers.ts'
import { chatRequests } from '../models/wire_requests.ts'
import { openaiBaseUrl } from '../openai/address.ts'
import { qwenArguments, qwenEnvironment, qwenFolders, qwenSettings } from './argv.ts'
import { ChatRecord } from './chat_record.ts'
import { LoggedRequests } from './logged_requests.ts'
import { probeQwen, qwenCli } from './probe.ts'
import { qwenFailure, qwenReport } from './report.ts'
import { QwenStream } from './stream.ts'

const skillsFolder = '.agents/skills'

export const qwen: Engine = {
  name: 'qwen',
  credentials: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'WHETSTONE_QWEN'],
  address: 'OPENAI_BASE_URL',
  efforts: () => openaiEfforts,
  skillsFolder,
  continuesSession: true,
  userOnlySkills: { start: (name) => `/${name}` },
  account: { slots: 'runs', of: openaiAccount },
  supports: { hooks: [], rules: false, agents: true, mcp_servers: true },
  reaches,
  findPrograms: (task) => listCliPrograms(qwenCli, task),
  probe: probeQwen,
  async reports(name) {
    const priced = { model: openaiModel(name), provider: 'openai' }
    return { cost: await isPriced(priced), tokens: true, priced }
  },
  run: withPlaceholders(runQwen, keyedServer),
}

function reaches({ credentials }: Pick<EngineTask, 'credentials'>): string[] {
  return [openaiBaseUrl(credentials)]
}

function keyedServer({ credentials }: EngineTask): KeyedServer {
  return {
    address: 'OPENAI_BASE_URL',
    url: openaiBaseUrl(credentials),
    keys: ['OPENAI_API_KEY'],
    requests: chatRequests,
    provider: 'openai',
  }
}

const headless: HeadlessCli = {
  cli: qwenCli,
  reaches,
  open: openTurn,
  clean: (task) => rm(qwenFolders(task).root, { recursive: true, force: true, maxRetries: 3 }),
}

/** Runs Qwen Code with the task's credentials as they are. */
export function runQwen(task: EngineTask, context: EngineContext): Promise<EngineOutcome> {
  return runHeadlessCli(headless, task, context)
}

async function openTurn(task: CliTurn, context: EngineContext): Promise<CliRun> {
  const folders = qwenFolders(task)
  if (task.resumes === undefined) {
    await mkdir(folders.home, { recursive: true })
    await writeFile(folders.settings, JSON.stringify(qwenSettings(task, await readSuiteServers(task))))
    await writeAgentFiles(task, path.join(folders.home, 'agents'))
  }
  return {
    args: qwenArguments(task),
    env: qwenEnvironment(task),
    stdin: task.answerSchema === null ? task.prompt : withSchema(task.prompt, task.answerSchema),
    read: () => readRun(task, context),
  }
}

function readRun(task: CliTurn, context: EngineContext): CliReader {
  const { home, requests: folder } = qwenFolders(task)
  const stream = new QwenStream({ skills: task.skills, skillsFolder, emit: context.emit })
  const requests = new LoggedRequests(folder)
  const chat = new ChatRecord({ home, sessionId: task.sessionId }, ({ status }, waitMs) => {
    reportRetry(context.gate, { status, waitMs })
  })
  if (task.resumes !== undefined) for (const one of [chat, requests]) one.skipWritten()
  const sources = { task, stream, chat, requests }
  const catchUp = () => {
    chat.catchUp()
    requests.catchUp()
  }
  return {
    get step() {
      return stream.step
    },
    take: (line) => stream.take(line),
    // the stream does not show that it repeats a failed request, nor that it takes a refusal for an empty answer and asks again
    poll() {
      catchUp()
      return (
        chat.failures > allowedRetries(task) || (stream.isAskingAgain && requests.finishReason === 'content_filter')
      )
    },
    report: (end) => qwenReport(sources, end),
    failure: (end) => qwenFailure(sources, end),
    finish() {
      catchUp()
      chat.close()
    },
  }
}

function allowedRetries({ env }: EngineTask): number {
  return Number(env.QWEN_MAX_RETRIES ?? 4) || 0
}
