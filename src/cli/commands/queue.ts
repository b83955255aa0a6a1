/** `whetstone queue work|status|…`: workers of a queue, and a look at it. */
import type { Argv } from 'yargs'
import { UserError } from '../../base/error.ts'
import { exitCodes } from '../exit.ts'
import { listenForInterrupts } from '../interrupt.ts'
import { addressAsked, queueFlagsOfServer } from './queue_flags.ts'
import { sandboxFlags } from './sandbox_flags.ts'
import { type Done, seconds, wholeNumber, withJson } from './shared.ts'

const actions = ['work', 'status', 'drain', 'resume', 'retry', 'cancel'] as const

function queueOptions(args: Argv) {
  return withJson(args)
    .positional('action', { choices: actions, demandOption: true, describe: 'what to do' })
    .options(queueFlagsOfServer)
    .option('concurrency', {
      type: 'number',
      requiresArg: true,
      default: 4,
      coerce: wholeNumber('concurrency', 1, 1000),
      describe: 'work: runs at once',
    })
    .option('engines', {
      type: 'string',
      requiresArg: true,
      describe: 'work: only jobs of these engines, such as anthropic,codex; all that can work here if not given',
    })
    .option('lock', {
      type: 'number',
      requiresArg: true,
      default: 60,
      coerce: seconds('lock'),
      describe: 'work: a job whose worker says nothing for so many seconds is given to another',
    })
    .option('log-format', {
      choices: ['text', 'json'] as const,
      default: 'text' as const,
      describe: 'work: one line for what happens, or one JSON object (as --json)',
    })
    .option('metrics-port', {
      type: 'number',
      requiresArg: true,
      coerce: wholeNumber('metrics-port', 0, 65_535),
      describe: 'work: Prometheus metrics at /metrics of this port; 0: a free one; none if not given',
    })
    .option('metrics-host', {
      type: 'string',
      requiresArg: true,
      default: '127.0.0.1',
      describe: 'work: where that port is open, such as 0.0.0.0',
    })
    .option('tags', { type: 'string', requiresArg: true, describe: 'work: what this worker has, such as gpu,eu' })
    .options({
      ...sandboxFlags,
      sandbox: { ...sandboxFlags.sandbox, default: 'required' as const },
    })
    .usage(
      '$0 queue <action> [options]\n\nwork: make the runs that others put into a queue\nstatus: what waits, what is in hand, who works\ndrain, resume: let no worker take anything new, or let them again\nretry: put failed jobs back\ncancel: end all jobs, those in hand too\n\nEvery machine that works needs whetstone, the engines and their keys, and the shared folder (docs/queue.md).',
    )
    .example('$0 queue work --queue redis://10.0.0.5 --shared /mnt/whetstone', 'until Ctrl-C')
    .example('$0 bench skills/pdf --queue redis://10.0.0.5 --shared /mnt/whetstone', 'a benchmark through it')
    .example('$0 queue status --queue redis://10.0.0.5', 'what waits, and who works')
}

/** Agents take minutes: what ends them sooner is a second signal, or whoever started the worker. */
const stopping = 'Stopping: nothing new is taken, what is in hand ends first. Ctrl-C again gives it back at once.'

export type QueueArguments = Awaited<ReturnType<typeof queueOptions>['argv']>

export function addQueue(args: Argv, done: Done): Argv {
  return args.command('queue <action>', 'make runs that others put into a queue', queueOptions, async (parsed) => {
    const address = addressAsked(parsed, process.env)
    if (address === null) {
      throw new UserError('queue: --queue is not given', 'such as --queue redis://127.0.0.1:6379, or WHETSTONE_QUEUE')
    }
    const say = (line: string) => process.stderr.write(`${line}\n`)
    if (parsed.action === 'work') {
      using interrupts = listenForInterrupts(say, { words: stopping, graceMs: null })
      const { startWork } = await import('../queue_work.ts')
      await startWork({ ...parsed, address }, interrupts)
    } else {
      using interrupts = listenForInterrupts(() => {})
      const { lookAfter } = await import('../queue_look.ts')
      await lookAfter({ ...parsed, action: parsed.action, address }, interrupts.drain)
    }
    done(exitCodes.done)
  })
}
