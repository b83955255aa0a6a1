/** The opencode engine: the real open-source CLI, headless, in folders of its own, on Anthropic's or OpenAI's API. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { FailureKind } from '../../../schemas/run.ts'
import { endMarked } from '../../base/process/marked_processes.ts'
import { runMark } from '../../base/process/process_marks.ts'
import { type ProcessEnd, runProcess, SpawnError } from '../../base/process/spawn.ts'
import { withEndpoint, withReadable } from '../../base/sandbox/policy.ts'
import { findCommandParts } from '../../base/sandbox/programs.ts'
import { withSchema } from '../answers/json_answer.ts'
import { completeRun, failRun } from '../answers/run_outcome.ts'
import { findCli, listCliPrograms, missingCli } from '../cli/agent_cli.ts'
import { type KeyedServer, withPlaceholders } from '../cli/key_placeholders.ts'
import { toStartError } from '../cli/start_error.ts'
import { type Engine, type EngineContext, type EngineOutcome, type EngineTask, emptyReport } from '../engine.ts'
import { anthropicAccount, openaiAccount } from '../limits/account.ts'
import { reportRetry } from '../limits/rate_limiter.ts'
import { isPriced } from '../models/cost.ts'
import { anthropicEfforts, openaiEfforts } from '../models/effort_levels.ts'
import { opencodeArguments, opencodeEnvironment, opencodeFolders } from './argv.ts'
import type { Launch } from './launch.ts'
import { OpencodeLog } from './log.ts'
import { opencodeEndpoint, opencodeKeys, opencodeModel, opencodeServer } from './model.ts'
import { opencodeCli, probeOpencode } from './probe.ts'
import { classifyErrorText, opencodeFailure, opencodeReport } from './report.ts'
import { listOfferedSkills } from './skills.ts'
import { OpencodeStream } from './stream.ts'

const skillsFolder = '.agents/skills'

export const opencode: Engine = {
  name: 'opencode',
  credentials: [...opencodeKeys, 'WHETSTONE_OPENCODE'],
  efforts: opencodeEfforts,
  skillsFolder,
  questionTools: ['question'],
  // with both keys set, only the model says which account is used, so both then share one limit
  account: { slots: 'runs', of: (keys) => (keys.ANTHROPIC_API_KEY ? anthropicAccount(keys) : openaiAccount(keys)) },
  reaches,
  findPrograms: (task) => listCliPrograms(opencodeCli, task),
  probe: probeOpencode,
  async reports(name) {
    const model = opencodeModel(name, {})
    if ('mistake' in model) return { cost: false, tokens: true }
    const priced = { model: model.id, provider: model.provider }
    return { cost: await isPriced(priced), tokens: true, priced }
  },
  run: withPlaceholders(runOpencode, keyedServer),
}

function reaches(task: Pick<EngineTask, 'model' | 'credentials'>): string[] {
  return [opencodeEndpoint(task)]
}

/** Those of the model's provider; those of both if no model is named, because then the key chooses. */
function opencodeEfforts(name: string | null): readonly string[] {
  const model = opencodeModel(name, {})
  return name !== null && !('mistake' in model) && model.provider === 'openai' ? openaiEfforts : anthropicEfforts
}

/** The server of its model's provider; null: there is no such provider. */
function keyedServer({ model, credentials }: EngineTask): KeyedServer | null {
  const chosen = opencodeModel(model, credentials)
  return 'mistake' in chosen ? null : opencodeServer(chosen, credentials)
}

/** Milliseconds between two checks of its log, which alone shows that it sends a request again and again. */
const logPollMs = 500

/** More checks that wait for opencode's own error once a request has failed too often: it is better, but comes later than the log's. */
const extraPolls = 2

/** Failures that it retries by itself for as long as it may. */
const retriedKinds: readonly FailureKind[] = ['rate_limited', 'overloaded', 'unreachable']

/** Whether it will try again, or already does: then waiting longer means more requests. */
function isRetrying(log: OpencodeLog): boolean {
  return log.isTryingAgain || retriedKinds.includes(classifyErrorText(log.lastError ?? ''))
}

/** Runs opencode with the task's credentials as they are. */
export async function runOpencode(task: EngineTask, context: EngineContext): Promise<EngineOutcome> {
  context.signal.throwIfAborted()
  const program = await findCli(opencodeCli, task)
  if (program === null) return failed(missingCli(opencodeCli, task.credentials).message, 'missing_binary', context)
  const model = opencodeModel(task.model, task.credentials)
  if ('mistake' in model) return failed(model.mistake, 'bad_request', context)
  const folders = opencodeFolders(task)
  const log = new OpencodeLog(folders.data, (error, waitMs) => {
    reportRetry(context.gate, { status: classifyErrorText(error) === 'rate_limited' ? 429 : null, waitMs })
  })
  const stop = new AbortController()
  const stream = new OpencodeStream({ skills: task.skills, skillsFolder, emit: context.emit, maxTurns: task.maxTurns })
  context.soFar?.(() => opencodeReport(stream, log, { task, model, offered: null, end: null }))
  let over = 0
  const look = setInterval(() => {
    over = log.retries() > allowedRetries(task) ? over + 1 : 0
    if (over > (isRetrying(log) ? 0 : extraPolls)) stop.abort()
  }, logPollMs)
  context.signal.addEventListener('abort', () => stopLogPolling(look, log), { once: true })
  try {
    await prepare(folders)
    const launch = await prepareLaunch({ program, task, signal: AbortSignal.any([context.signal, stop.signal]) })
    const offered = task.tools === 'all' ? await listOfferedSkills(launch) : null
    const end = await follow({ launch, task, context, stream, stop })
    log.catchUp()
    const report = await opencodeReport(stream, log, { task, model, offered, end })
    const failure = opencodeFailure(stream, log, end)
    if (failure !== null) return failRun(context, failure, { report, step: stream.step })
    return completeRun(context, report, stream.step)
  } catch (error) {
    if (!(error instanceof SpawnError)) throw error
    return failRun(context, toStartError(error, 'the prompt is too long for an argument'), {
      report: emptyReport,
      step: 0,
    })
  } finally {
    clearInterval(look)
    log.close()
    await rm(folders.root, { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
  }
}

/** Errors that it logs while it is being ended are not failures of the provider. */
function stopLogPolling(look: NodeJS.Timeout, log: OpencodeLog): void {
  clearInterval(look)
  log.catchUp()
}

function allowedRetries({ env }: EngineTask): number {
  return Number(env.OPENCODE_MAX_RETRIES ?? 4) || 0
}

/** Creates its folders, and marks the plugin that it would otherwise install from the registry at every start as installed. */
async function prepare({ config, data, cache, state }: ReturnType<typeof opencodeFolders>): Promise<void> {
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

async function prepareLaunch({
  program,
  task,
  signal,
}: {
  program: string
  task: EngineTask
  signal: AbortSignal
}): Promise<Launch> {
  const readable = task.sandbox === null ? [] : await findCommandParts([program])
  const sandbox = withEndpoint(withReadable(task.sandbox, readable), ...reaches(task))
  return { command: program, cwd: task.cwd, env: opencodeEnvironment(task), sandbox, signal }
}

interface Follow {
  launch: Launch
  task: EngineTask
  context: EngineContext
  stream: OpencodeStream
  stop: AbortController
}

/** How the process ended; null: it was ended after its last allowed turn or retry. */
async function follow({ launch, task, context, stream, stop }: Follow): Promise<ProcessEnd | null> {
  const prompt = task.answerSchema === null ? task.prompt : withSchema(task.prompt, task.answerSchema)
  try {
    return await runProcess({
      ...launch,
      args: opencodeArguments(),
      stdin: prompt,
      onLine: (line) => {
        const said = stream.take(line)
        if (said === 'enough') stop.abort()
        return said === 'last' ? 'last' : undefined
      },
      stderrFile: context.stderrFile,
      stdoutLimit: 0, // only the lines are used
    })
  } catch (error) {
    if (!context.signal.aborted && !stop.signal.aborted) throw error
    // programs of its shell tool are in their own process groups, and outlive it
    const mark = task.env[runMark]
    if (mark) await endMarked(mark)
    context.signal.throwIfAborted()
    return null
  }
}

function failed(message: string, kind: 'missing_binary' | 'bad_request', context: EngineContext): EngineOutcome {
  return failRun(context, { kind, message, retryable: false, retryAfterMs: null }, { report: emptyReport, step: 0 })
}
