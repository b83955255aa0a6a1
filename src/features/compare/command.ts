/** `whetstone compare`: a blind A/B comparison of finished runs. */
import path from 'node:path'
import type { ArgumentsCamelCase, Argv } from 'yargs'
import type { ComparisonSummary } from '../../../schemas/comparison_summary.ts'
import { UserError } from '../../base/errors/error.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { cutShortLines } from '../../cli/commands/bench/print.ts'
import { resolveGivenBenchmark } from '../../cli/commands/grade/command.ts'
import { type SetExitCode, withFlow, withJson } from '../../cli/commands/options/run_flow.ts'
import { sandboxWish } from '../../cli/commands/options/sandbox_flags.ts'
import { readConfiguredWords } from '../../cli/config/configure.ts'
import { applyConfig, locateBenchmarkConfig } from '../../cli/config/configured_command.ts'
import { chooseExitCode, exitCodes } from '../../cli/exit_codes.ts'
import {
  alignColumns,
  colours,
  oneLine,
  shortLines,
  textWidth,
  toSafeLine,
  wrapText,
} from '../../cli/terminal/style.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import type { McpComparison } from '../../flows/mcp_tools.ts'
import { formatPlural } from '../../phases/4-report/text/format.ts'
import type { AnalyzeRequest } from './analyze/analyze.ts'
import type { ComparePlan, CompareRequest, CompareResult } from './compare.ts'
import { compareFlags } from './options.ts'
import { missingLines, showAnalyze, showAnalyzePlan } from './print_analysis.ts'

export function compareOptions(args: Argv) {
  return withJson(args)
    .positional('benchmark', {
      type: 'string',
      demandOption: true,
      describe: 'benchmark folder, workspace (its newest), or run folder',
    })
    .positional('other', { type: 'string', describe: 'another one to compare with' })
    .options(compareFlags)
    .usage(
      '$0 compare <benchmark> [other] [options]\n\nCompare the outputs of two configurations blind.\n\nA judge sees two outputs for the same task without names, in both orders. If both verdicts agree, that is the verdict, else it is a tie. Writes comparison-N.json per run, and totals into benchmark.json. With --analyze it compares nothing: it reads both skills and transcripts of earlier pairs, explains who won, and writes notes on the numbers.',
    )
    .example('$0 compare workspaces/pdf/benchmarks/2026-01-15T10-30-00Z', 'compare with and without the skill')
    .example('$0 compare <benchmark> --analyze', 'explain why the winners won, and write notes')
    .example('$0 compare <benchmark> <another>', 'compare two benchmarks of the same cases')
    .example('$0 compare out/mine out/theirs --prompt "Sum up the invoices"', 'compare any two folders')
}

type CompareArguments = ReturnType<typeof compareOptions> extends Argv<infer T> ? T : never

export function buildCompareRequest(parsed: ArgumentsCamelCase<CompareArguments>): CompareRequest {
  const { again, concurrency, passEnv, seed } = parsed
  return {
    folder: parsed.benchmark,
    other: parsed.other ?? null,
    a: parsed.a ?? null,
    b: parsed.b ?? null,
    pairs: parsed.pairs ?? null,
    cases: parsed.case,
    judge: parsed.judge ?? null,
    baseUrl: parsed.baseUrl ?? null,
    output: parsed.output ?? null,
    prompt: parsed.prompt ?? null,
    sandbox: sandboxWish(parsed),
    ...{ again, concurrency, passEnv, seed },
  }
}

function buildAnalyzeRequest(parsed: ArgumentsCamelCase<CompareArguments>): AnalyzeRequest {
  const { again, concurrency, passEnv } = parsed
  if (parsed.other !== undefined)
    throw new UserError('--analyze: comparisons of two folders are not analyzed', 'pass one benchmark')
  return {
    folder: parsed.benchmark,
    cases: parsed.case,
    pairs: parsed.pairs ?? 1,
    comparisons: parsed.only !== 'notes',
    notes: parsed.only !== 'comparisons',
    judge: parsed.judge ?? null,
    baseUrl: parsed.baseUrl ?? null,
    sandbox: sandboxWish(parsed),
    ...{ again, concurrency, passEnv },
  }
}

/** Explains comparisons that are there; returns the exit code. */
async function analyzeCompared(parsed: ArgumentsCamelCase<CompareArguments>): Promise<number> {
  const { analyze, planAnalyze } = await import('./analyze/analyze.ts')
  const request = buildAnalyzeRequest(parsed)
  const { json, concurrency } = parsed
  if (parsed.dryRun) {
    const { result } = await withFlow({ json, concurrency }, (context) => planAnalyze(request, context))
    showAnalyzePlan(result, { json })
    return exitCodes.done
  }
  const { result, interrupted } = await withFlow({ json, concurrency, waits: parsed }, (context) =>
    analyze(request, context),
  )
  return showAnalyze(result, { json, interrupted })
}

export function addCompare(args: Argv, done: SetExitCode, argv: readonly string[]): Argv {
  const usage = 'compare <benchmark> [other]'
  return args.command(usage, 'compare two configurations blind, in both orders', compareOptions, async (given) => {
    const benchmark = await resolveGivenBenchmark(given.benchmark, given)
    const other = given.other === undefined ? undefined : await resolveGivenBenchmark(given.other, given)
    const asked = { command: 'compare', usage, options: compareOptions, argv, args: given } as const
    const parsed = await applyConfig(benchmark, { ...asked, start: await locateBenchmarkConfig(benchmark) })
    if (parsed === null) return done(exitCodes.done)
    if (parsed.analyze) return done(await analyzeCompared({ ...parsed, benchmark, other }))
    const { compare, planCompare } = await import('./compare.ts')
    const request = buildCompareRequest({ ...parsed, benchmark, other })
    const { json, concurrency } = parsed
    if (parsed.dryRun) {
      const planned = (context: FlowContext) => planCompare(request, context)
      showComparePlan((await withFlow({ json, concurrency }, planned)).result, json)
      return done(exitCodes.done)
    }
    const { result, interrupted } = await withFlow({ json, concurrency, waits: parsed }, (context) =>
      compare(request, context),
    )
    done(showCompare(result, { json, interrupted }))
  })
}

/** Exit code 0; 3 when a pair has no verdict, 130 after Ctrl-C. */
function showCompare(result: CompareResult, how: { json: boolean; interrupted: boolean }): number {
  const { folder, summary, skipped, missing, wrote } = result
  const code = chooseExitCode({ ...how, incomplete: missing > 0 })
  if (how.json) {
    const line = {
      ...{ type: 'result', exit_code: code, ...(how.interrupted && { interrupted: true }) },
      ...{ folder, comparison: summary, skipped, missing, wrote },
    }
    process.stdout.write(`${jsonText(line)}\n`)
  } else process.stdout.write(`${[...cutShortLines(how), ...resultLines(result)].join('\n')}\n`)
  return code
}

function resultLines({ summary, skipped, missing, wrote }: CompareResult): string[] {
  const { dim } = colours(process.stdout)
  return [
    '',
    ...missingLines(missing, 'pair', 'verdict'),
    ...comparisonLines(summary),
    '',
    ...caseTable(summary).map((line, index) => (index === 0 ? dim(line) : line)),
    '',
    ...(skipped.length > 0
      ? [`${formatPlural(skipped.length, 'pair')} left out: a run is missing or did not complete`]
      : []),
    ...wrote.map((file) => `${dim('wrote')} ${toSafeLine(path.relative(process.cwd(), file) || file)}`),
  ]
}

function comparisonLines({ sentence, warnings }: ComparisonSummary): string[] {
  const { bold, yellow } = colours(process.stdout)
  const width = textWidth(process.stdout)
  return [
    ...wrapText(sentence, width).map((line) => bold(line)),
    ...warnings.flatMap((text) => wrapText(text, width).map((line) => yellow(line))),
  ]
}

function caseTable({ cases }: ComparisonSummary): string[] {
  const rows = cases.map((one) => [
    `${one.eval_id} ${oneLine(one.eval_name, 50)}`,
    ...[one.wins, one.losses, one.ties].map(String),
  ])
  return alignColumns([['case', 'wins', 'losses', 'ties'], ...rows], [1, 2, 3])
}

/** Prints the plan for --dry-run: pairs, questions, judge. */
function showComparePlan({ pairing, judge, choices, done }: ComparePlan, json: boolean): void {
  const open = pairing.pairs.length - done
  const cases = new Set(pairing.pairs.map((pair) => pair.eval_id)).size
  const name = [judge.name, judge.model].filter(Boolean).join(':')
  if (json) {
    const pairs = pairing.pairs.map(({ eval_id, eval_name, number, A, B }) => {
      return { eval_id, eval_name, number, A: A.run, B: B.run }
    })
    const { a, b, skipped } = pairing
    const calls = { least: open * 2, most: open * 2 + cases }
    const line = { type: 'plan', a, b, judge: name, pairs, done, judge_calls: calls, skipped }
    process.stdout.write(`${jsonText(line)}\n`)
    return
  }
  const lines = [
    ...choices,
    `${pairing.a} against ${pairing.b}: ${formatPlural(pairing.pairs.length, 'pair')} of ${formatPlural(cases, 'case')}, ${done} judged already`,
    ...pairing.skipped.map((one) => `left out ${one.eval_id} ${one.eval_name} · ${one.number}: ${one.reason}`),
    `judge ${name}: ${formatPlural(open * 2, 'judgement')} (each pair in both orders)${open === 0 ? '' : ` and the criteria of up to ${formatPlural(cases, 'case')}`}`,
  ]
  process.stdout.write(`${shortLines(lines)}\n`)
}

export async function openMcpComparison(argv: readonly string[]): Promise<McpComparison> {
  const args = await readConfiguredWords({
    ...{ command: 'compare', usage: 'compare <benchmark> [other]', options: compareOptions, argv },
    locate: ({ benchmark }) => locateBenchmarkConfig(benchmark),
  })
  const request = buildCompareRequest(args)
  const { compare, planCompare } = await import('./compare.ts')
  return { request, plan: (asked) => planCompare(request, asked), start: (asked) => compare(request, asked) }
}
