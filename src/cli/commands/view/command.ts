/** `whetstone view`: rewrites the page of a folder and opens it. */
import path from 'node:path'
import type { Argv } from 'yargs'
import { UserError } from '../../../base/errors/error.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import { trendHeadline, trendSections } from '../../../phases/4-report/trend/trend_text.ts'
import { sectionLines, toSafeLine } from '../../terminal/style.ts'
import { showResult } from '../bench/print.ts'
import { onOff, text } from '../options/flag.ts'
import { addModeOptions, chooseMode } from '../options/modes.ts'
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
    })
  return addFleetFlags(addModeOptions(usual, 'view'))
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

export type ViewArguments = ReturnType<ReturnType<typeof viewOptions>['parseSync']>

export function addView(args: Argv, done: SetExitCode, argv: readonly string[]): Argv {
  return args.command('view [folder]', 'open the page of a benchmark', viewOptions, async (parsed) => {
    const chosen = chooseMode('view', parsed, argv)
    if (chosen !== null) return done(await chosen.mode.start(parsed as never, parsed as never))
    const { view } = await import('../../../flows/view/view.ts')
    const { json, open, trend, static: copyTo = null, singleFile } = parsed
    const { folder, against } = resolveViewFolders(parsed)
    openFleet(parsed, process.env)
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

/** `--compare A B`, or `A --compare B`. */
function resolveViewFolders({ folder, compare, trend }: ViewArguments): { folder: string; against: string | null } {
  if (compare === undefined) return { folder, against: null }
  const [a, b, ...more] = folder === '.' ? compare : [folder, ...compare]
  if (a === undefined || b === undefined || more.length > 0) {
    throw new UserError('--compare needs two benchmarks', 'use whetstone view --compare A B')
  }
  if (trend) throw new UserError('--compare with --trend', 'use one of them')
  return { folder: a, against: b }
}

/** A missing browser is not an error: the page exists, and its path is printed. */
export async function openPage(page: string): Promise<void> {
  const { default: open } = await import('open')
  const started = await open(page).catch(() => null)
  started?.on('error', () => {})
}
