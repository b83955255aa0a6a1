/** The pi engine: the real open-source CLI, headless, in folders of its own, on Anthropic's or OpenAI's API. */
import { readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { withSchema } from '../answers/json_answer.ts'
import { listCliPrograms } from '../cli/agent_cli.ts'
import type { CliTurn } from '../cli/conversation.ts'
import { type CliReader, type CliRun, type HeadlessCli, runHeadlessCli } from '../cli/headless_cli.ts'
import { withPlaceholders } from '../cli/key_placeholders.ts'
import { replaceOwnFile } from '../cli/own_files.ts'
import type { Engine, EngineContext, EngineOutcome, EngineTask } from '../engine.ts'
import { providerAccount } from '../limits/account.ts'
import { classifyErrorText } from '../limits/error_text.ts'
import { reportRetry } from '../limits/rate_limiter.ts'
import {
  chooseProviderModel,
  chooseProviderServer,
  type ProviderModel,
  providerKeys,
  reportsOfProvider,
} from '../models/provider_model.ts'
import { piArguments, piEnvironment, piFiles, piFolder } from './argv.ts'
import { piCli, probePi } from './probe.ts'
import { piFailure, piReport } from './report.ts'
import { PiStream } from './stream.ts'

const skillsFolder = '.agents/skills'

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
    stdin: task.answerSchema === null ? task.prompt : withSchema(task.prompt, task.answerSchema),
    read: () => readRun(task, context, model),
  }
}

/** Creates its folder; for a later turn, only the limits are written again. A text: why it can't. */
async function writePiFolder(task: CliTurn, model: ProviderModel): Promise<string | null> {
  const folder = piFolder(task)
  const files = piFiles(task, model)
  if (task.resumes !== undefined) {
    const limits = JSON.stringify(files['whetstone.json'])
    return replaceOwnFile(task.env.HOME ?? '', path.join(folder, 'whetstone.json'), limits)
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
    get step() {
      return stream.step
    },
    take: (line) => stream.take(line),
    report: (end) => piReport(stream, { model, end }),
    failure: (end) => piFailure(stream, end),
    finish: () => stream.close(),
  }
}
