/** `whetstone queue work|status|…`: runs workers and manages queues. */
import type { Argv } from 'yargs'
import { UserError } from '../../base/errors/error.ts'
import type { SetExitCode } from '../../cli/commands/options/run_flow.ts'
import { exitCodes } from '../../cli/exit_codes.ts'
import { listenForInterrupts } from '../../cli/terminal/interrupt.ts'
import { resolveAskedAddress } from './flags.ts'
import { queueOptions } from './options.ts'

/** Agents take minutes; a second signal, or the process that started the worker, can end them sooner. */
const stopping =
  'Stopping: running jobs finish first, and no new job starts. Ctrl-C again returns them to the queue at once.'

export function addQueue(args: Argv, done: SetExitCode): Argv {
  return args.command('queue <action>', 'run or manage remote workers', queueOptions, async (parsed) => {
    const address = resolveAskedAddress(parsed, process.env)
    if (address === null) {
      throw new UserError('queue: no queue server', 'add --queue redis://127.0.0.1:6379, or set WHETSTONE_QUEUE')
    }
    const say = (line: string) => process.stderr.write(`${line}\n`)
    if (parsed.action === 'work') {
      using interrupts = listenForInterrupts(say, { words: stopping, graceMs: null })
      const { startWork } = await import('./work_command.ts')
      await startWork({ ...parsed, address }, interrupts)
    } else {
      using interrupts = listenForInterrupts(() => {})
      const { runQueueAction } = await import('./status_command.ts')
      await runQueueAction({ ...parsed, action: parsed.action, address }, interrupts.drain)
    }
    done(exitCodes.done)
  })
}
