/** `whetstone diff`: shows what changed between two benchmarks and how certain that is; for a folder, all of them over time. */
import type { Argv } from 'yargs'
import type { BenchmarkDiff } from '../../../schemas/benchmark_diff.ts'
import type { EvalDiff, EvalTrend } from '../../../schemas/eval_diff.ts'
import { UserError } from '../../base/errors/error.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { onOff } from '../../cli/commands/options/flag.ts'
import { type SetExitCode, withFlow, withJson } from '../../cli/commands/options/run_flow.ts'
import { chooseExitCode, exitCodes } from '../../cli/exit_codes.ts'
import { alignColumns, colours, oneLine, toSafeLine } from '../../cli/terminal/style.ts'
import { type DiffSection, diffHeadline, diffSections } from '../../phases/4-report/diff/diff_text.ts'
import { markdownSections } from '../../phases/4-report/text/markdown.ts'
import {
  diffEvals,
  evalDiffHeadline,
  evalDiffSections,
  evalTrendHeadline,
  evalTrendSections,
  readEvalTrend,
} from './eval_reports.ts'
import { trendHeadline, trendMarkdown, trendSections } from './trend/trend_text.ts'

function diffOptions(args: Argv) {
  return withJson(args)
    .positional('benchmarks', {
      type: 'string',
      array: true,
      demandOption: true,
      describe: 'benchmarks, workspaces, benchmark.json files or reports of eval',
    })
    .options({
      arm: {
        choices: ['candidate', 'baseline'] as const,
        default: 'candidate' as const,
        describe: 'configuration to compare: candidate or baseline',
      },
      markdown: { ...onOff, describe: 'print Markdown, for a pull request' },
      'fail-on': {
        choices: ['regression'] as const,
        requiresArg: true,
        describe: 'exit 1 if a case or the whole benchmark regressed',
      },
    })
    .usage(
      '$0 diff <before> <after> [options]\n$0 diff <folder> [options]\n\nShow what changed between two benchmarks, and how certain the change is.\n\nMatches cases by key, else by name. With one folder, or more than two benchmarks: shows all of them over time, with costs per month.',
    )
    .example(
      '$0 diff workspaces/pdf/benchmarks/2026-01-15T10-30-00Z workspaces/pdf',
      'compare an older benchmark with the newest',
    )
    .example('$0 diff main.json branch.json --markdown', 'print for a pull request')
    .example('$0 diff <before> <after> --arm baseline', 'did the model itself change?')
    .example('$0 diff workspaces/pdf', 'show all its benchmarks over time')
    .example('$0 diff packages/pdf/evals/reports', 'show all reports of eval over time')
}

export function addDiff(args: Argv, done: SetExitCode): Argv {
  const text = 'compare two benchmarks, or all below a folder over time'
  return args.command('diff <benchmarks..>', text, diffOptions, async ({ benchmarks, ...how }) => {
    const [before = '', after] = benchmarks
    const shown = await showReports(benchmarks, how)
    if (shown !== null) return done(shown)
    if (after !== undefined && benchmarks.length === 2) return done(await compareTwo({ before, after }, how))
    if (how.failOn !== undefined || how.arm !== 'candidate') {
      throw new UserError('--fail-on and --arm need two benchmarks', 'pass two benchmarks, or remove them')
    }
    const { readTrend } = await import('./trend/read_trend.ts')
    const { json, markdown } = how
    const { result: trend } = await withFlow({ json, oneDocument: true, concurrency: 1 }, (context) =>
      readTrend(benchmarks, context),
    )
    const lines = json
      ? `${jsonText(trend)}\n`
      : markdown
        ? trendMarkdown(trend)
        : `${sectionLines(trendHeadline(trend), trendSections(trend), 80).join('\n')}\n`
    process.stdout.write(lines)
    done(exitCodes.done)
  })
}

interface DiffOutput {
  arm: 'candidate' | 'baseline'
  json: boolean
  markdown: boolean
  failOn: 'regression' | undefined
}

/** Shows eval reports instead of benchmarks; null: there are none. */
async function showReports(names: readonly string[], how: DiffOutput): Promise<number | null> {
  const [before = '', after] = names
  if (after !== undefined && names.length === 2) {
    const diff = await diffEvals(before, after)
    if (diff === null) return null
    show({ value: diff, headline: evalDiffHeadline(diff), sections: evalDiffSections(diff) }, how)
    const isWorse = diff.cases.some(({ change }) => change === 'regressed')
    return chooseExitCode({ failed: how.failOn === 'regression' && isWorse })
  }
  const trend = await readEvalTrend(names)
  if (trend === null) return null
  show({ value: trend, headline: evalTrendHeadline(trend), sections: evalTrendSections(trend) }, how)
  return exitCodes.done
}

async function compareTwo(
  sides: { before: string; after: string },
  { arm, json, markdown, failOn }: DiffOutput,
): Promise<number> {
  const { diff, diffMarkdown } = await import('./diff.ts')
  const { result: made } = await withFlow({ json, oneDocument: true, concurrency: 1 }, (context) =>
    diff({ ...sides, arm }, context),
  )
  const text = json ? `${jsonText(made)}\n` : markdown ? diffMarkdown(made) : `${diffLines(made).join('\n')}\n`
  process.stdout.write(text)
  const isWorse =
    made.cases.some(({ change }) => change === 'regressed') || made.scopes?.these_cases.verdict === 'hurts'
  if (failOn !== 'regression') return exitCodes.done
  return chooseExitCode({ incomplete: Boolean(made.missing_grades), failed: isWorse })
}

function diffLines(diff: BenchmarkDiff): string[] {
  const { dim } = colours(process.stdout)
  const of = ({ name, configuration, timestamp }: BenchmarkDiff['before']) =>
    toSafeLine(`${name} (${configuration}, ${timestamp})`)
  const same = diff.cases.filter(({ change }) => change === 'same').length
  return [
    `${dim('before')} ${of(diff.before)}`,
    `${dim('after ')} ${of(diff.after)}`,
    '',
    ...sectionLines(diffHeadline(diff), diffSections(diff), 70),
    ...(same === 0 ? [] : ['', dim(`${same} with the same rate in both`)]),
  ]
}

/** Prints the differences between eval reports, or all of them over time. */
function show(
  { value, headline, sections }: { value: EvalDiff | EvalTrend; headline: string; sections: readonly DiffSection[] },
  { json, markdown }: DiffOutput,
): void {
  if (json) process.stdout.write(`${jsonText(value)}\n`)
  else if (markdown) process.stdout.write(markdownSections(headline, { sections }))
  else process.stdout.write(`${sectionLines(headline, sections, 60).join('\n')}\n`)
}

/** The headline, and each table under its title with cells of at most so many columns. */
export function sectionLines(
  headline: string,
  sections: readonly { title: string; header: string[]; rows: string[][] }[],
  widest: number,
): string[] {
  const { bold, dim } = colours(process.stdout)
  const tables = sections.flatMap(({ title, header, rows }) => {
    const cells = [header, ...rows].map((row) => row.map((cell) => oneLine(cell, widest)))
    const [first = '', ...rest] = alignColumns(cells)
    return ['', bold(title), dim(first), ...rest]
  })
  return [bold(toSafeLine(headline)), ...tables]
}
