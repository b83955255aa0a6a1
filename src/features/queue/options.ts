/** The options of `queue`. */
import type { Argv } from 'yargs'
import { seconds, text, whole } from '../../cli/commands/options/flag.ts'
import { withJson } from '../../cli/commands/options/run_flow.ts'
import { sandboxFlags } from '../../cli/commands/options/sandbox_flags.ts'
import { queueFlagsOfServer } from './flags.ts'

const actions = ['work', 'status', 'drain', 'resume', 'retry', 'cancel'] as const

export function queueOptions(args: Argv) {
  return withJson(args)
    .positional('action', { choices: actions, demandOption: true, describe: 'action' })
    .options(queueFlagsOfServer)
    .options({
      concurrency: { ...whole('concurrency', 1, 1000), default: 4, describe: 'work: most runs at once' },
      engines: {
        ...text,
        describe: 'work: only jobs of these engines, such as anthropic,codex',
        defaultDescription: 'all available; command needs --trust-suite',
      },
      lock: {
        ...seconds('lock'),
        default: 60,
        describe: 'work: seconds of silence until a job goes to another worker',
      },
      'log-format': {
        choices: ['text', 'json'] as const,
        default: 'text' as const,
        describe: 'work: log lines as text or JSON',
      },
      'metrics-port': {
        ...whole('metrics-port', 0, 65_535),
        defaultDescription: 'none',
        describe: 'work: port for Prometheus metrics (0: a free one)',
      },
      'metrics-host': { ...text, default: '127.0.0.1', describe: 'work: address of the metrics port, such as 0.0.0.0' },
      tags: { ...text, describe: 'work: tags of this worker, such as gpu,eu' },
    })
    .options({
      ...sandboxFlags,
      sandbox: { ...sandboxFlags.sandbox, default: 'required' as const },
    })
    .usage(
      '$0 queue <action> [options]\n\nwork: run jobs from the queue\nstatus: show waiting jobs, running jobs and workers\ndrain, resume: stop workers from taking new jobs, or let them continue\nretry: put failed jobs back\ncancel: end all jobs, also running ones\n\nEvery worker needs whetstone, the engines with their keys, and the shared folder (docs/how-to/many-machines.md).',
    )
    .example('$0 queue work --queue redis://10.0.0.5 --shared /mnt/whetstone', 'run jobs until Ctrl-C')
    .example('$0 bench skills/pdf --queue redis://10.0.0.5 --shared /mnt/whetstone', 'run a benchmark on the workers')
    .example('$0 queue status --queue redis://10.0.0.5', 'show waiting jobs and workers')
}

export type QueueArguments = Awaited<ReturnType<typeof queueOptions>['argv']>
