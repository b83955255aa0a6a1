/** Steps that several commands share. */
import type { Argv } from 'yargs'
import type { FlowEvent } from '../../../../schemas/flow_event.ts'
import { IncompleteError, UserError } from '../../../base/errors/error.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import { type Limits, noLimits } from '../../../flows/limits/limits.ts'
import type { OpenWaits, WaitsRequest } from '../../../flows/limits/wait_limits.ts'
import { readChosenPrices } from '../../prices_file.ts'
import { InterruptedError, listenForInterrupts, type ResumeWay, stoppedLine } from '../../terminal/interrupt.ts'
import { type LiveView, liveView } from '../../terminal/live.ts'
import { askYesNo, canAnswer } from '../../terminal/question.ts'
import { durationMs } from './limit_flags.ts'

export type SetExitCode = (code: number) => void

/** Adds a command to the parser; `done` receives its exit code, `argv` is the command line as given. */
export type AddCommand = (args: Argv, done: SetExitCode, argv: readonly string[]) => Argv

export function withJson<T>(args: Argv<T>) {
  return args.option('json', { type: 'boolean', default: false, describe: 'print JSON lines' })
}

interface FlowOptions {
  json: boolean
  /** With json: print only the result. */
  oneDocument?: boolean
  concurrency: number
  env?: NodeJS.ProcessEnv
  stopping?: string
  goesOn?: ResumeWay
  /** How long to wait for providers; absent: the flow uses none. */
  waits?: WaitWish
}

export interface WaitWish {
  /** A duration such as 15m. */
  maxWait: string
  limits?: Pick<Limits, 'deadline' | 'deadlineLeft'> | undefined
}

/** Runs a flow with the live view (or JSON lines) and Ctrl-C handling; the view always ends. */
export async function withFlow<R>(
  options: FlowOptions,
  flow: (context: FlowContext) => Promise<R>,
): Promise<{ result: R; interrupted: boolean }> {
  const prices = await readChosenPrices()
  const live: LiveView = options.json
    ? jsonView(options.oneDocument)
    : liveView({ stream: process.stderr, concurrency: options.concurrency })
  using interrupts = listenForInterrupts(live.sayStopping, {
    words: options.stopping,
    goesOn: options.goesOn,
  })
  const now = () => new Date()
  const env = options.env ?? ownEnvironment()
  using waits = options.waits === undefined ? null : await openFlowWaits(options.waits, { emit: live.on, now, env })
  const context: FlowContext = {
    emit: (event) => {
      waits?.see(event)
      live.on(event)
    },
    env,
    drain: interrupts.drain,
    ...(canAnswer({ json: options.json, yes: false }) && {
      confirm: (question) => live.pause(() => askYesNo(question, 'not started')),
    }),
    signal: waits === null ? interrupts.signal : AbortSignal.any([interrupts.signal, waits.signal]),
    now,
    ...(waits !== null && { waits }),
    ...(prices && { prices }),
  }
  try {
    return { result: await flow(context), interrupted: interrupts.drain.aborted }
  } catch (error) {
    if (waits?.signal.aborted) throw waits.signal.reason
    if (interrupts.signal.aborted && !(error instanceof UserError)) throw interrupts.signal.reason
    if (interrupts.drain.aborted && error instanceof IncompleteError)
      throw new InterruptedError(stoppedLine(options.goesOn ?? null))
    throw error
  } finally {
    live.end()
  }
}

/** Copies the environment, since each read of the live one is a system call; Windows keeps the live one, which ignores case. */
export function ownEnvironment(): NodeJS.ProcessEnv {
  return process.platform === 'win32' ? process.env : { ...process.env }
}

async function openFlowWaits(
  { maxWait, limits = noLimits }: WaitWish,
  how: Pick<WaitsRequest, 'emit' | 'now' | 'env'>,
): Promise<OpenWaits> {
  const { openWaits, usualMaxWaitMs } = await import('../../../flows/limits/wait_limits.ts')
  return openWaits({ maxWaitMs: durationMs(maxWait) ?? usualMaxWaitMs, limits, ...how })
}

function jsonView(oneDocument = false): LiveView {
  return {
    on: (event: FlowEvent) => {
      if (!oneDocument) process.stdout.write(`${jsonText(event)}\n`)
    },
    sayStopping: (line) => process.stderr.write(`${line}\n`),
    pause: (ask) => ask(),
    end: () => {},
  }
}
