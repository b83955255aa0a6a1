/** `whetstone view`: rewrites the page of a folder and opens it. */
import path from 'node:path'
import type { Argv } from 'yargs'
import { UserError } from '../../../base/errors/error.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import type { ServeRequest } from '../../../flows/view/serve/serve.ts'
import { toSafeLine } from '../../terminal/style.ts'
import { showResult } from '../bench/print.ts'
import { trendLines } from '../diff/print_trend.ts'
import { queueFlagsOfServer, resolveAskedAddress } from '../options/queue_flags.ts'
import { type SetExitCode, withFlow, withJson } from '../options/run_flow.ts'

function viewOptions(args: Argv) {
  return withJson(args)
    .positional('folder', {
      type: 'string',
      default: '.',
      describe:
        "a workspace (its newest benchmark), a benchmark folder, a folder of workspaces or the one above workspaces/ (their index), or another tool's folder of gradings",
    })
    .option('open', {
      type: 'boolean',
      default: true,
      describe: 'open the page in the browser (only from a terminal); --no-open only writes it',
    })
    .option('trend', {
      type: 'boolean',
      default: false,
      describe: 'all benchmarks below the folder over time, as trend.html',
    })
    .option('single-file', {
      type: 'boolean',
      default: false,
      describe:
        'all in report.html and nothing in report.data/; what has no room in 30 MB is left out, which the page says',
    })
    .option('serve', {
      type: 'boolean',
      default: false,
      describe: 'serve the page on 127.0.0.1: live while a bench runs, notes saved at once; writes no report.html',
    })
    .options({
      queue: {
        ...queueFlagsOfServer.queue,
        describe: 'with --serve: its workers and queues too, live (docs/how-to/many-machines.md)',
      },
      'queue-ca': queueFlagsOfServer['queue-ca'],
      'queue-password-file': queueFlagsOfServer['queue-password-file'],
    })
    .option('compare', {
      type: 'string',
      array: true,
      requiresArg: true,
      describe: 'two benchmarks on one page, case by case and run by run; what differs in their plans comes first',
    })
    .option('static', { type: 'string', requiresArg: true, describe: 'also a copy as index.html in this folder' })
    .usage(
      '$0 view [folder] [options]\n$0 view --compare A B [options]\n\nwrite report.html anew from the gradings on disk, and open it\n\nReads what `aggregate` reads: our workspaces and the folders of other tools.\nTwo go into comparisons/<A>-vs-<B>/report.html, and neither of them is written to.',
    )
    .example('$0 view workspaces/pdf', 'the newest benchmark of the workspace')
    .example('$0 view workspaces/pdf --trend', 'all its benchmarks over time, and what they cost by month')
    .example('$0 view pdf-workspace/iteration-2', 'gradings that another tool made')
    .example('$0 view --compare ws/benchmarks/2026-01-15T10-30-00Z ws', 'an older benchmark beside the newest')
    .example('$0 view workspaces/pdf --no-open --static site', 'a page to publish')
}

export function addView(args: Argv, done: SetExitCode): Argv {
  return args.command('view [folder]', 'open the page of a benchmark', viewOptions, async (parsed) => {
    const { view } = await import('../../../flows/view/view.ts')
    const { json, open, trend, static: copyTo = null, singleFile } = parsed
    const { folder, against } = resolveViewFolders(parsed)
    if (parsed.serve && copyTo !== null) {
      throw new UserError('--serve with --static', 'use one of them')
    }
    const queue = parsed.queue === undefined ? null : resolveAskedAddress(parsed, process.env)
    if (queue !== null && !parsed.serve) throw new UserError('--queue without --serve', 'add --serve')
    if (parsed.serve) return serveUntilStopped({ folder, queue }, { json, open })
    const { result, interrupted } = await withFlow({ json, concurrency: 1 }, (context) =>
      view({ folder, copyTo, trend, singleFile, against }, context),
    )
    if (open && !json && process.stdout.isTTY === true) await openPage(result.page)
    if (result.trend !== undefined && !json) {
      process.stdout.write(`${trendLines(result.trend).join('\n')}\n\n`)
    }
    const line = json
      ? jsonText({ type: 'page', page: result.page })
      : `page ${toSafeLine(path.relative(process.cwd(), result.page) || result.page)}`
    process.stdout.write(`${line}\n`)
    if (result.summarized !== null) done(await showResult(result.summarized, { json, interrupted, asked: folder }))
  })
}

interface ViewArguments {
  folder: string
  compare?: string[] | undefined
  trend: boolean
  serve: boolean
}

/** `--compare A B`, or `A --compare B`. */
function resolveViewFolders({ folder, compare, trend, serve }: ViewArguments): {
  folder: string
  against: string | null
} {
  if (compare === undefined) return { folder, against: null }
  const [a, b, ...more] = folder === '.' ? compare : [folder, ...compare]
  if (a === undefined || b === undefined || more.length > 0) {
    throw new UserError('--compare needs two benchmarks', 'use whetstone view --compare A B')
  }
  if (trend || serve) {
    throw new UserError(`--compare with --${trend ? 'trend' : 'serve'}`, 'use one of them')
  }
  return { folder: a, against: b }
}

async function serveUntilStopped(
  what: Omit<ServeRequest, 'started'>,
  { json, open }: { json: boolean; open: boolean },
): Promise<void> {
  const { serve } = await import('../../../flows/view/serve/serve.ts')
  const started: ServeRequest['started'] = ({ url, once }) => {
    process.stdout.write(json ? `${jsonText({ type: 'serving', url })}\n` : `serving ${url} (Ctrl-C ends it)\n`)
    if (open && !json && process.stdout.isTTY === true) void openPage(once())
  }
  await withFlow({ json, concurrency: 1, stopping: 'Served no longer.' }, (context) =>
    serve({ ...what, started }, context),
  )
}

/** A missing browser is not an error: the page exists, and its path is printed. */
async function openPage(page: string): Promise<void> {
  const { default: open } = await import('open')
  const started = await open(page).catch(() => null)
  started?.on('error', () => {})
}
