/** Options and steps that several commands share. */
import type { Argv } from 'yargs'
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import { UserError } from '../../base/error.ts'
import { gathered } from '../../base/gathered.ts'
import type { FlowContext } from '../../flows/context.ts'
import type { Summarized } from '../../flows/summarize.ts'
import { boundedByPlan, boundGarbage } from '../heap.ts'
import { type Again, Interrupted, type Interrupts, listenForInterrupts } from '../interrupt.ts'
import type { Live } from '../live.ts'
import { ownEnvironment } from '../own_environment.ts'
import { refused } from '../refused.ts'
import { report } from '../report.ts'
import type { HowToShow } from '../show.ts'
import { setForMany } from '../v8_flags.ts'
// what draws and prints is loaded when there is something to show: --help needs none of it

/** Sets the exit code of the program. */
export type Done = (code: number) => void

/** A whole number from `least` to `most`; UserError names the flag. */
export function wholeNumber(flag: string, least: number, most: number) {
  return (value: unknown): number => {
    const number = typeof value === 'number' ? value : Number.NaN
    if (Number.isInteger(number) && number >= least && number <= most) return number
    throw refused(`--${flag}: not a whole number from ${least} to ${most}`, `give one, such as --${flag} ${least}`)
  }
}

/** Seconds: a number above 0, at most a week. */
export function seconds(flag: string) {
  return (value: unknown): number => {
    if (typeof value === 'number' && value > 0 && value <= 604_800) return value
    throw refused(
      `--${flag}: not a number of seconds above 0 and up to 604800 (a week)`,
      `give one, such as --${flag} 300`,
    )
  }
}

export function withJson<T>(args: Argv<T>) {
  return args.option('json', { type: 'boolean', default: false, describe: 'events and result as JSON lines on stdout' })
}

/** As showResult of show.ts. */
export async function showResult(result: Summarized, how: HowToShow): Promise<number> {
  const show = await import('../show.ts')
  const code = show.showResult(result, how)
  const { benchmark } = result
  if (how.reporters !== undefined && how.reporters.length > 0) {
    const { judgeGates } = await import('../gates.ts')
    const gates = judgeGates(how.gates ?? [], benchmark)
    const reported = [{ name: benchmark.metadata.skill_name, benchmark, gates }]
    await report(how.reporters, ({ ofBenchmarks }) => ofBenchmarks, reported)
  }
  return code
}

/** Runs a flow with the live view (or JSON lines) and Ctrl-C; the view always ends. */
export async function withFlow<R>(
  options: { json: boolean; concurrency: number; env?: NodeJS.ProcessEnv; stopping?: string; goesOn?: Again },
  flow: (context: FlowContext) => Promise<R>,
): Promise<{ result: R; interrupted: boolean }> {
  boundGarbage(options.concurrency)
  const live: Live = options.json ? jsonView() : await terminalView(options.concurrency)
  using interrupts: Interrupts = listenForInterrupts(live.say, {
    ...(options.stopping !== undefined && { words: options.stopping }),
    ...(options.goesOn !== undefined && { goesOn: options.goesOn }),
  })
  const runStarted = setForMany()
  const bounded = boundedByPlan()
  const context: FlowContext = {
    emit: (event) => {
      if (event.type === 'run_started') runStarted()
      bounded(event)
      live.on(event)
    },
    env: options.env ?? ownEnvironment(),
    drain: interrupts.drain,
    signal: interrupts.signal,
    now: () => new Date(),
  }
  try {
    return { result: await flow(context), interrupted: interrupts.drain.aborted }
  } catch (error) {
    if (interrupts.signal.aborted && !(error instanceof UserError)) throw interruptedBy(interrupts.signal.reason)
    throw error
  } finally {
    live.end()
  }
}

async function terminalView(concurrency: number): Promise<Live> {
  const { liveView } = await import('../live.ts')
  return liveView({ stream: process.stderr, concurrency })
}

function interruptedBy(reason: unknown): Interrupted {
  return reason instanceof Interrupted ? reason : new Interrupted('stopped')
}

function jsonView(): Live {
  const write = gathered(process.stdout)
  return {
    on: (event: FlowEvent) => write(`${JSON.stringify(event)}\n`),
    say: (line) => process.stderr.write(`${line}\n`),
    end: () => {},
  }
}
