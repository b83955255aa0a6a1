/** `whetstone view`: rewrites the page of a folder and opens it. */
import path from 'node:path'
import type { Argv } from 'yargs'
import { jsonText } from '../../../base/json/json_text.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import type { ViewRequest, ViewResult } from '../../../flows/view/view.ts'
import { exitCodes } from '../../exit_codes.ts'
import { toSafeLine } from '../../terminal/style.ts'
import { showResult } from '../bench/print.ts'
import { onOff, text } from '../options/flag.ts'
import { addModeOptions, chooseMode, describeCommand } from '../options/modes.ts'
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
      'single-file': { ...onOff, describe: 'write one self-contained report.html (at most 30 MB)' },
    })
  const help =
    '$0 view [folder] [options]\n\nWrite report.html from the gradings on disk, and open it.\n\nReads the same folders as aggregate.'
  const all = addFleetFlags(describeCommand(usual, 'view', help))
    .option('static', { ...text, describe: 'also write index.html to this folder' })
    .example('$0 view workspaces/pdf', 'show the newest benchmark of the workspace')
    .example('$0 view pdf-workspace/iteration-2', 'show gradings from another tool')
    .example('$0 view workspaces/pdf --no-open --static site', 'write a page to publish')
  return addModeOptions(all, 'view')
}

export type ViewArguments = ReturnType<ReturnType<typeof viewOptions>['parseSync']>

export function addView(args: Argv, done: SetExitCode, argv: readonly string[]): Argv {
  return args.command('view [folder]', 'open the page of a benchmark', viewOptions, async (parsed) => {
    const chosen = chooseMode('view', parsed, argv)
    if (chosen !== null) return done(await chosen.mode.start(parsed as never, parsed as never))
    const { view } = await import('../../../flows/view/view.ts')
    done(await showView(parsed, view))
  })
}

type MakePage = (request: ViewRequest, context: FlowContext) => Promise<ViewResult>

/** Makes a page, opens it and prints its path; returns the exit code. */
export async function showView(parsed: ViewArguments, make: MakePage): Promise<number> {
  const { folder, json, open, static: copyTo = null, singleFile } = parsed
  openFleet(parsed, process.env)
  const { result, interrupted } = await withFlow({ json, concurrency: 1 }, (context) =>
    make({ folder, copyTo, singleFile }, context),
  )
  if (open && !json && process.stdout.isTTY === true) await openPage(result.page)
  if (result.text !== undefined && !json) process.stdout.write(`${result.text}\n\n`)
  const line = json
    ? jsonText({ type: 'page', page: result.page })
    : `page ${toSafeLine(path.relative(process.cwd(), result.page) || result.page)}`
  process.stdout.write(`${line}\n`)
  if (result.summarized === null) return exitCodes.done
  return await showResult(result.summarized, { json, interrupted, asked: folder })
}

/** A missing browser is not an error: the page exists, and its path is printed. */
export async function openPage(page: string): Promise<void> {
  const { default: open } = await import('open')
  const started = await open(page).catch(() => null)
  started?.on('error', () => {})
}
