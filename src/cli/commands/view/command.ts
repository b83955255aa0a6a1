/** `whetstone view`: rewrites the page of a folder and opens it. */
import path from 'node:path'
import type { Argv } from 'yargs'
import { UserError } from '../../../base/errors/error.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import type { ServeRequest } from '../../../flows/view/serve/serve.ts'
import { trendHeadline, trendSections } from '../../../phases/4-report/trend/trend_text.ts'
import { sectionLines, toSafeLine } from '../../terminal/style.ts'
import { showResult } from '../bench/print.ts'
import { onOff, text } from '../options/flag.ts'
import { addFleetFlags, openFleet } from '../options/remote_flags.ts'
import { type SetExitCode, withFlow, withJson } from '../options/run_flow.ts'

function viewOptions(args: Argv) {
  const usual = withJson(args)
    .positional('folder', {
      type: 'string',
      default: '.',
      describe: 'workspace, benchmark, folder of workspaces, or folder of gradings',
    })
    .options({
      open: { type: 'boolean', default: true, describe: 'open the page in the browser (--no-open: only write it)' },
      trend: { ...onOff, describe: 'show all benchmarks below the folder over time' },
      'single-file': { ...onOff, describe: 'write one self-contained report.html (at most 30 MB)' },
      serve: { ...onOff, describe: 'serve the live page on 127.0.0.1 and save notes' },
    })
  return addFleetFlags(usual)
    .options({
      compare: { type: 'string', array: true, requiresArg: true, describe: 'show two benchmarks side by side' },
      static: { ...text, describe: 'also write index.html to this folder' },
    })
    .usage(
      '$0 view [folder] [options]\n$0 view --compare A B [options]\n\nWrite report.html from the gradings on disk, and open it.\n\nReads the same folders as aggregate. --compare writes comparisons/<A>-vs-<B>/report.html and changes neither benchmark.',
    )
    .example('$0 view workspaces/pdf', 'show the newest benchmark of the workspace')
    .example('$0 view workspaces/pdf --trend', 'show all its benchmarks over time, with cost per month')
    .example('$0 view pdf-workspace/iteration-2', 'show gradings from another tool')
    .example('$0 view --compare ws/benchmarks/2026-01-15T10-30-00Z ws', 'compare an older benchmark with the newest')
    .example('$0 view workspaces/pdf --no-open --static site', 'write a page to publish')
}

export function addView(args: Argv, done: SetExitCode): Argv {
  return args.command('view [folder]', 'open the page of a benchmark', viewOptions, async (parsed) => {
    const { view } = await import('../../../flows/view/view.ts')
    const { json, open, trend, static: copyTo = null, singleFile } = parsed
    const { folder, against } = resolveViewFolders(parsed)
    if (parsed.serve && copyTo !== null) {
      throw new UserError('--serve with --static', 'use one of them')
    }
    const watchFleet = openFleet(parsed, process.env)
    if (parsed.serve) return serveUntilStopped({ folder, watchFleet }, { json, open })
    const { result, interrupted } = await withFlow({ json, concurrency: 1 }, (context) =>
      view({ folder, copyTo, trend, singleFile, against }, context),
    )
    if (open && !json && process.stdout.isTTY === true) await openPage(result.page)
    if (result.trend !== undefined && !json) {
      process.stdout.write(
        `${sectionLines(trendHeadline(result.trend), trendSections(result.trend), 80).join('\n')}\n\n`,
      )
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
  await withFlow({ json, concurrency: 1, stopping: 'The server has stopped.' }, (context) =>
    serve({ ...what, started }, context),
  )
}

/** A missing browser is not an error: the page exists, and its path is printed. */
async function openPage(page: string): Promise<void> {
  const { default: open } = await import('open')
  const started = await open(page).catch(() => null)
  started?.on('error', () => {})
}
