/** The opencode engine: the real open-source CLI, headless, in folders of its own, on Anthropic's or OpenAI's API. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { FailureKind } from '../../schemas/run.ts'
import { runMark } from '../base/process_marks.ts'
import { endMarked } from '../base/processes.ts'
import { withEndpoint, withReadable } from '../base/sandbox/policy.ts'
import { partsOfCommand } from '../base/sandbox/programs.ts'
import { type ProcessEnd, runProcess, SpawnError } from '../base/spawn.ts'
import { anthropicAccount, openaiAccount } from './account.ts'
import { findCli, missingCli } from './agent_cli.ts'
import { isPriced } from './cost.ts'
import { type Engine, type EngineContext, type EngineOutcome, type EngineTask, emptyReport } from './engine.ts'
import { tellRetry } from './gate.ts'
import { withSchema } from './json_answer.ts'
import { opencodeArguments, opencodeEnvironment, opencodeFolders } from './opencode/argv.ts'
import { OpencodeLog } from './opencode/log.ts'
import { endpointOf, opencodeKeys, opencodeModel } from './opencode/model.ts'
import { opencodeCli, probeOpencode } from './opencode/probe.ts'
import { failureOf, kindOfText, reportOf } from './opencode/report.ts'
import { skillsOffered } from './opencode/skills.ts'
import { OpencodeStream } from './opencode/stream.ts'
import { complete, fail } from './outcome.ts'
import { startErrorOf } from './start_error.ts'

const skillsFolder = '.agents/skills'

export const opencode: Engine = {
  name: 'opencode',
  credentials: [...opencodeKeys, 'WHETSTONE_OPENCODE'],
  skillsFolder,
  // with both keys the model would tell whose it is; then they share one limit
  account: { slots: 'runs', of: (keys) => (keys.ANTHROPIC_API_KEY ? anthropicAccount(keys) : openaiAccount(keys)) },
  reaches,
  probe: probeOpencode,
  async reports(name) {
    const model = opencodeModel(name, {})
    if ('mistake' in model) return { cost: false, tokens: true }
    const priced = { model: model.id, provider: model.provider }
    return { cost: await isPriced(priced), tokens: true, priced }
  },
  run,
}

function reaches(task: Pick<EngineTask, 'model' | 'credentials'>): string[] {
  return [endpointOf(task)]
}

/** Between two looks at its log, which alone tells that it tries again and again. */
const lookMs = 500

/** Looks that wait for opencode's own word where a request has failed too often: what it won't try again it says itself, and better, but later than its log. */
const looksOver = 2

/** What it tries again by itself as long as it may. */
const triedAgain: readonly FailureKind[] = ['rate_limited', 'overloaded', 'unreachable']

/** Whether it will try again, or does already: then each moment more is a request more. */
function goesOn(log: OpencodeLog): boolean {
  return log.isTryingAgain || triedAgain.includes(kindOfText(log.lastError ?? ''))
}

async function run(task: EngineTask, context: EngineContext): Promise<EngineOutcome> {
  context.signal.throwIfAborted()
  const program = await findCli(opencodeCli, task)
  if (program === null) return failed(missingCli(opencodeCli, task.credentials).message, 'missing_binary', context)
  const model = opencodeModel(task.model, task.credentials)
  if ('mistake' in model) return failed(model.mistake, 'bad_request', context)
  const folders = opencodeFolders(task)
  const log = new OpencodeLog(folders.data, (error, waitMs) => {
    tellRetry(context.gate, { status: kindOfText(error) === 'rate_limited' ? 429 : null, waitMs })
  })
  const stop = new AbortController()
  const stream = new OpencodeStream({ skills: task.skills, skillsFolder, emit: context.emit, maxTurns: task.maxTurns })
  context.soFar?.(() => reportOf(stream, log, { task, model, offered: null, end: null }))
  let over = 0
  const look = setInterval(() => {
    over = log.retries() > allowedRetries(task) ? over + 1 : 0
    if (over > (goesOn(log) ? 0 : looksOver)) stop.abort()
  }, lookMs)
  try {
    await prepare(folders)
    const launch = await launchOf({ program, task, signal: AbortSignal.any([context.signal, stop.signal]) })
    const offered = task.tools === 'all' ? await skillsOffered(launch) : null
    const end = await follow({ launch, task, context, stream, stop })
    log.catchUp()
    const report = await reportOf(stream, log, { task, model, offered, end })
    const failure = failureOf(stream, log, end)
    if (failure !== null) return fail(context, failure, { report, step: stream.step })
    return complete(context, report, stream.step)
  } catch (error) {
    if (!(error instanceof SpawnError)) throw error
    return fail(context, startErrorOf(error, 'the prompt is too long for an argument'), {
      report: emptyReport,
      step: 0,
    })
  } finally {
    clearInterval(look)
    log.close()
    await rm(folders.root, { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
  }
}

function allowedRetries({ env }: EngineTask): number {
  return Number(env.OPENCODE_MAX_RETRIES ?? 4) || 0
}

/** What it would else install from the registry at every start is said to be there. */
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

/** How the program is started, whatever it is asked. */
export interface Launch {
  command: string
  cwd: string
  env: Readonly<Record<string, string>>
  sandbox: EngineTask['sandbox']
  signal: AbortSignal
}

async function launchOf({
  program,
  task,
  signal,
}: {
  program: string
  task: EngineTask
  signal: AbortSignal
}): Promise<Launch> {
  const readable = task.sandbox === null ? [] : await partsOfCommand([program])
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

/** How the process ended; null: it was ended because it had had its turns, or its retries. */
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
      stdoutLimit: 0, // the lines are all that is used
    })
  } catch (error) {
    if (!context.signal.aborted && !stop.signal.aborted) throw error
    // what its shell tool started is in groups of its own, and outlives it
    const mark = task.env[runMark]
    if (mark) await endMarked(mark)
    context.signal.throwIfAborted()
    return null
  }
}

function failed(message: string, kind: 'missing_binary' | 'bad_request', context: EngineContext): EngineOutcome {
  return fail(context, { kind, message, retryable: false, retryAfterMs: null }, { report: emptyReport, step: 0 })
}
