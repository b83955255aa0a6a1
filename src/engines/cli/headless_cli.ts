/** Runs an agent CLI without a terminal, from its start to its report. Each CLI adds how it is started and how its lines are read. */
import { agentStdout, type ProcessEnd, runProcess, SpawnError } from '../../base/process/spawn.ts'
import { withEndpoint, withReadable } from '../../base/sandbox/policy.ts'
import { findCommandParts } from '../../base/sandbox/programs.ts'
import { withSchema } from '../answers/json_answer.ts'
import { completeAnswer, failRun } from '../answers/run_outcome.ts'
import type { EngineTask } from '../engine.ts'
import { type EngineContext, type EngineError, type EngineOutcome, type EngineReport, emptyReport } from '../engine.ts'
import { type AgentCli, findCli, missingCli } from './agent_cli.ts'
import { type CliTurn, converse, endPrograms } from './conversation.ts'
import { findWrappedPrograms } from './find_program.ts'
import type { AfterLine } from './record_stream.ts'
import { toRunError, toStartError } from './run_failure.ts'

/** What is read from one process of a CLI. */
export interface CliReader {
  readonly stream: { readonly step: number; take(line: string): AfterLine }
  /** Called every half second while it runs: true ends it, such as a CLI that repeats a failed request without a limit. Absent: never. */
  poll?(): boolean
  /** The report from what was seen. `end`: null while it runs, or if Whetstone ended it. Never rejects. */
  report(end: ProcessEnd | null): Promise<EngineReport>
  /** Why the run failed; null: it did not. */
  failure(end: ProcessEnd | null): EngineError | null
  /** Called once, after the process has ended and before the last report. */
  finish?(): void
}

/** One process of a CLI before it starts; its folders and settings are there. */
export interface CliRun {
  args: readonly string[]
  env: Readonly<Record<string, string>>
  /** Called before the start. `launch` starts other commands of the CLI in the same way. */
  read(launch: CliLaunch): Promise<CliReader> | CliReader
}

/** What every process of a run has in common. */
export interface CliLaunch {
  command: string
  cwd: string
  env: Readonly<Record<string, string>>
  sandbox: EngineTask['sandbox']
  signal: AbortSignal
}

export interface HeadlessCli {
  cli: AgentCli
  /** The addresses that the sandbox lets it reach. */
  reaches(task: EngineTask): readonly string[]
  /** Prepares a process. A text: why this task can't be started (`bad_request`). */
  open(turn: CliTurn, context: EngineContext): Promise<CliRun | string>
  /** Removes its folders and settings, after the last process. */
  clean(task: EngineTask): Promise<void>
}

/** Milliseconds between two polls. */
const pollMs = 500

/** Runs the CLI with the task's credentials as they are. Rejects only when aborted, or when this machine runs short of a resource. */
export async function runHeadlessCli(
  headless: HeadlessCli,
  task: EngineTask,
  context: EngineContext,
): Promise<EngineOutcome> {
  context.signal.throwIfAborted()
  const program = await findCli(headless.cli, task)
  if (program === null) {
    return failMissing(headless.cli, task, context)
  }
  try {
    return await converse(task, context, (turn, turnContext) =>
      runOnce(headless, { program, turn, context: turnContext }),
    )
  } finally {
    await headless.clean(task).catch(() => {})
  }
}

interface Once {
  program: string
  turn: CliTurn
  context: EngineContext
}

async function runOnce(headless: HeadlessCli, { program, turn, context }: Once): Promise<EngineOutcome> {
  const run = await headless.open(turn, context)
  if (typeof run === 'string') {
    return failEarly(context, { kind: 'bad_request', message: run, retryable: false, retryAfterMs: null })
  }
  try {
    const stop = new AbortController()
    const launch: CliLaunch = {
      command: program,
      cwd: turn.cwd,
      env: run.env,
      sandbox: withEndpoint(withReadable(turn.sandbox, await findParts(turn, program)), ...headless.reaches(turn)),
      signal: AbortSignal.any([context.signal, stop.signal]),
    }
    const reader = await run.read(launch)
    context.soFar?.(() => reader.report(null))
    const end = await follow({ run, launch, reader, stop, task: turn, context })
    const report = await reader.report(end)
    const failure = reader.failure(end)
    if (failure !== null) return failRun(context, failure, { report, step: reader.stream.step })
    return completeAnswer(context, report, reader.stream.step)
  } catch (error) {
    if (!(error instanceof SpawnError)) throw error
    return failEarly(context, toStartError(error, 'the prompt is too long for an argument'))
  }
}

async function findParts({ sandbox }: EngineTask, program: string): Promise<string[]> {
  return sandbox === null ? [] : await findCommandParts([program, ...(await findWrappedPrograms(program))])
}

export function failMissing(cli: AgentCli, { credentials }: EngineTask, context: EngineContext): EngineOutcome {
  return failEarly(context, toRunError('missing_binary', missingCli(cli, credentials).message))
}

/** Before the agent has done anything. */
export function failEarly(context: EngineContext, error: EngineError): EngineOutcome {
  return failRun(context, error, { report: emptyReport, step: 0 })
}

interface Follow {
  run: CliRun
  launch: CliLaunch
  reader: CliReader
  stop: AbortController
  task: EngineTask
  context: EngineContext
}

/** How the process ended; null: it was ended after its last allowed turn, or by a poll. */
async function follow({ run, launch, reader, stop, task, context }: Follow): Promise<ProcessEnd | null> {
  const finish = callOnce(() => reader.finish?.())
  const polls = setInterval(() => reader.poll?.() && stop.abort(), pollMs)
  // what it reports while it is being ended is not a failure of the provider
  context.signal.addEventListener('abort', finish, { once: true })
  try {
    return await runProcess({
      ...launch,
      args: run.args,
      stdin: task.answerSchema === null ? task.prompt : withSchema(task.prompt, task.answerSchema),
      onLine(line) {
        const after = reader.stream.take(line)
        if (after === 'enough') stop.abort()
        return after === 'last' ? 'last' : undefined
      },
      stderrFile: context.stderrFile,
      ...agentStdout,
    })
  } catch (error) {
    if (!context.signal.aborted && !stop.signal.aborted) throw error
    await endPrograms(task)
    context.signal.throwIfAborted()
    return null
  } finally {
    clearInterval(polls)
    finish()
    // other judges may share the mark of this one, and have no tools that start programs
    if (task.tools === 'all') await endPrograms(task)
  }
}

function callOnce(action: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) action()
    isDone = true
  }
}
