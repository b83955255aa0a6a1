/** The options of `queue`. */
import type { Argv } from 'yargs'
import { queueFlagsOfServer } from '../options/queue_flags.ts'
import { secondsParser, wholeNumber, withJson } from '../options/run_flow.ts'
import { sandboxFlags } from '../options/sandbox_flags.ts'

const actions = ['work', 'status', 'drain', 'resume', 'retry', 'cancel'] as const

export function queueOptions(args: Argv) {
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
      describe:
        'work: only jobs of these engines, such as anthropic,codex (default: all that work here; command only with --trust-suite)',
    })
    .option('lock', {
      type: 'number',
      requiresArg: true,
      default: 60,
      coerce: secondsParser('lock'),
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
      '$0 queue <action> [options]\n\nwork: make the runs that others put into a queue\nstatus: what waits, what is in hand, who works\ndrain, resume: let no worker take anything new, or let them again\nretry: put failed jobs back\ncancel: end all jobs, those in hand too\n\nEvery machine that works needs whetstone, the engines and their keys, and the shared folder (docs/how-to/many-machines.md).',
    )
    .example('$0 queue work --queue redis://10.0.0.5 --shared /mnt/whetstone', 'until Ctrl-C')
    .example('$0 bench skills/pdf --queue redis://10.0.0.5 --shared /mnt/whetstone', 'a benchmark through it')
    .example('$0 queue status --queue redis://10.0.0.5', 'what waits, and who works')
}

export type QueueArguments = Awaited<ReturnType<typeof queueOptions>['argv']>
