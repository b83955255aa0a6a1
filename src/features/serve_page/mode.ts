/** `whetstone view --serve`: the live page of a benchmark, until it is stopped. */
import { UserError } from '../../base/errors/error.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { onOff } from '../../cli/commands/options/flag.ts'
import type { CommandMode } from '../../cli/commands/options/modes.ts'
import { openFleet } from '../../cli/commands/options/remote_flags.ts'
import { withFlow } from '../../cli/commands/options/run_flow.ts'
import { openPage, type ViewArguments } from '../../cli/commands/view/command.ts'
import { exitCodes } from '../../cli/exit_codes.ts'
import type { ServeRequest } from './serve.ts'

export const servePageMode: CommandMode = {
  flag: 'serve',
  add: '--serve',
  flags: { serve: { ...onOff, describe: 'serve the live page on 127.0.0.1 and save notes' } },
  examples: [],
  start: serveUntilStopped,
}

async function serveUntilStopped(parsed: ViewArguments): Promise<number> {
  const { folder, json, open } = parsed
  if (parsed.static !== undefined) throw new UserError('--serve with --static', 'use one of them')
  const watchFleet = openFleet(parsed, process.env)
  const started: ServeRequest['started'] = ({ url, once }) => {
    process.stdout.write(json ? `${jsonText({ type: 'serving', url })}\n` : `serving ${url} (Ctrl-C ends it)\n`)
    if (open && !json && process.stdout.isTTY === true) void openPage(once())
  }
  const { serve } = await import('./serve.ts')
  await withFlow({ json, concurrency: 1, stopping: 'The server has stopped.' }, (context) =>
    serve({ folder, watchFleet, started }, context),
  )
  return exitCodes.done
}
