/** `whetstone cache stats|prune`: shows and clears stored runs. */
import path from 'node:path'
import type { Argv } from 'yargs'
import type { CachePruned, CacheStats } from '../../../../schemas/cache_report.ts'
import { UserError } from '../../../base/errors/error.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import { formatPlural } from '../../../phases/4-report/text/format.ts'
import { exitCodes } from '../../exit_codes.ts'
import { alignColumns, toSafeLine } from '../../terminal/style.ts'
import { parseAge, parseSize, sizeText } from '../options/amounts.ts'
import type { SetExitCode } from '../options/run_flow.ts'

function cacheOptions(args: Argv) {
  return args
    .positional('action', { choices: ['stats', 'prune'] as const, demandOption: true, describe: 'show or clear' })
    .option('workspace', {
      type: 'string',
      requiresArg: true,
      default: 'workspaces',
      describe: 'workspace, or folder of workspaces',
    })
    .option('older-than', { type: 'string', requiresArg: true, describe: 'remove runs not used for 12h, 30d or 2w' })
    .option('max-size', {
      type: 'string',
      requiresArg: true,
      describe: 'remove oldest runs until a cache is at most 500MB or 1GB',
    })
    .option('all', { type: 'boolean', default: false, describe: 'remove all runs' })
    .option('dry-run', { type: 'boolean', default: false, describe: 'print what would be removed, remove nothing' })
    .option('json', { type: 'boolean', default: false, describe: 'print one JSON line per cache' })
    .usage(
      '$0 cache <action> [options]\n\nShow or clear cached runs.\n\nRuns with identical inputs are reused from <workspace>/.cache (docs/reference/cache.md). Clearing it changes no benchmark.',
    )
    .example('$0 cache stats', 'show each cache below ./workspaces')
    .example('$0 cache prune --older-than 30d --max-size 1GB', 'keep recently used runs')
}

export function addCache(args: Argv, done: SetExitCode): Argv {
  const describe = 'Show or clear cached runs'
  return args.command('cache <action>', describe, cacheOptions, async (parsed) => {
    const lines = parsed.action === 'stats' ? await statsOutput(parsed) : await pruneOutput(parsed)
    process.stdout.write(`${lines.join('\n')}\n`)
    done(exitCodes.done)
  })
}

type CacheArguments = Awaited<ReturnType<typeof cacheOptions>['argv']>

async function statsOutput({ workspace, json, olderThan, maxSize, all, dryRun }: CacheArguments): Promise<string[]> {
  if (olderThan !== undefined || maxSize !== undefined || all || dryRun) {
    throw new UserError(
      'cache stats takes no filter',
      'use cache prune with --older-than, --max-size, --all or --dry-run',
    )
  }
  const { readCacheStats } = await import('../../../flows/cache/cache_stats.ts')
  const stats = await readCacheStats(workspace)
  return json ? stats.map((one) => jsonText({ type: 'cache_stats', ...one })) : stats.flatMap(statsLines)
}

async function pruneOutput({ workspace, json, olderThan, maxSize, all, dryRun }: CacheArguments): Promise<string[]> {
  const { pruneCaches } = await import('../../../flows/cache/cache_prune.ts')
  const olderThanMs = olderThan === undefined ? null : parseAge('older-than', olderThan)
  const maxBytes = maxSize === undefined ? null : parseSize('max-size', maxSize)
  const pruned = await pruneCaches({ workspace, olderThanMs, maxBytes, all, dryRun }, new Date())
  if (json) return pruned.map((one) => jsonText({ type: 'cache_pruned', dry_run: dryRun, ...one }))
  return pruned.map((one) => prunedLine(one, dryRun))
}

function statsLines({ workspace, runs, answers, damaged, oldest, newest, by, last_bench: last }: CacheStats): string[] {
  const span = oldest === null || newest === null ? '' : `, from ${oldest.slice(0, 10)} to ${newest.slice(0, 10)}`
  const rows = by.map((one) => [
    one.skill,
    one.engine,
    one.model ?? 'default',
    String(one.entries),
    sizeText(one.bytes),
  ])
  return [
    place(workspace),
    `  ${formatPlural(runs.entries, 'run')} (${sizeText(runs.bytes)})${span}; ${formatPlural(answers.entries, 'answer')} of judges (${sizeText(answers.bytes)})`,
    ...(damaged > 0 ? [`  ${damaged} damaged: cache prune removes them`] : []),
    ...(last === null ? [] : [`  ${last.benchmark} reused ${last.reused} of ${last.planned} runs`]),
    ...(rows.length === 0
      ? []
      : alignColumns([['skill', 'engine', 'model', 'runs', 'size'], ...rows], [3, 4]).map(
          (line) => `  ${toSafeLine(line)}`,
        )),
  ]
}

function prunedLine({ workspace, removed, kept }: CachePruned, isDryRun: boolean): string {
  const what = ({ entries, bytes }: CachePruned['removed']) => `${entries} entries (${sizeText(bytes)})`
  return `${place(workspace)}: ${isDryRun ? 'would remove' : 'removed'} ${what(removed)}, ${isDryRun ? 'keep' : 'kept'} ${what(kept)}`
}

function place(folder: string): string {
  return toSafeLine(path.relative(process.cwd(), folder) || folder)
}
