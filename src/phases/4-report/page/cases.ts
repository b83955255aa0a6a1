/** Builds the cases of a benchmark for the page: prompt, statements, interval. */
import * as z from 'zod'
import type { Benchmark, BenchmarkRun, CaseRow } from '../../../../schemas/benchmark.ts'
import type { Statistics, StatisticsExpectation } from '../../../../schemas/benchmark_statistics.ts'
import type { GradedExpectation } from '../../../../schemas/grading.ts'
import type { PageCase, PageFile, PageStatement } from '../../../../schemas/page.ts'
import type { SuiteCase } from '../../../../schemas/suite.ts'
import { toGroups } from '../../../base/totals.ts'
import { findArms } from '../benchmark/arms.ts'
import { readCaseRows } from '../benchmark/case_rows.ts'
import { formatFixed } from '../stats/numbers/round.ts'
import { furtherShare, usualOptions } from '../stats/statistics_options.ts'
import { formatInterval, formatPercent, formatRates } from '../text/format.ts'

/** The source of the prompts: a plan, or the files of another tool. */
export interface CasePrompts {
  cases: readonly { eval_id: number; prompt: string; metadata?: SuiteCase['metadata'] }[]
}

/** By eval_id. `files`: the input files of a case. */
export function pageCases(
  benchmark: Benchmark,
  prompts: CasePrompts | null,
  files: ReadonlyMap<number, PageFile[]>,
): PageCase[] {
  const asked = new Map(prompts?.cases.map((one) => [one.eval_id, one]))
  const sure = new Map(benchmark.statistics?.cases.map((one) => [one.eval_id, one]))
  const idOf = ({ eval_id }: { eval_id: number }) => eval_id
  const runs = toGroups<JudgedRunPart, number>([...benchmark.runs, ...(benchmark.excluded_runs ?? [])], idOf)
  const stuck = new Map(listUnrunnableCases(benchmark.metadata))
  const known = toGroups(benchmark.statistics?.expectations ?? [], idOf)
  const rows = readCaseRows(benchmark)
  return rows.map((row) => {
    const own = sure.get(row.eval_id)
    return {
      ...row,
      ...formatCaseRates(row, own, benchmark),
      prompt: asked.get(row.eval_id)?.prompt || null,
      metadata: asked.get(row.eval_id)?.metadata ?? null,
      files: files.get(row.eval_id) ?? [],
      statements: listPageStatements(
        runs.get(row.eval_id) ?? [],
        known.get(row.eval_id) ?? [],
        benchmark.statistics?.alpha,
      ),
      flaky: own?.flaky ?? false,
      cannot_run: stuck.get(row.eval_id) ?? null,
      ci_low: own?.ci_low ?? null,
      ci_high: own?.ci_high ?? null,
    }
  })
}

/** The pass rates whose difference a case shows; null: it shows none. */
function findComparedRates(
  { arms, delta }: CaseRow,
  benchmark: Benchmark,
): { candidate: number; baseline: number } | null {
  const { candidate, baseline } = findArms(benchmark)
  const [first, second] = [candidate, baseline].map((name) => arms[name ?? '']?.pass_rate?.mean)
  return delta === null || first === undefined || second === undefined ? null : { candidate: first, baseline: second }
}

function formatCaseRates(
  row: CaseRow,
  own: Statistics['cases'][number] | undefined,
  benchmark: Benchmark,
): Pick<PageCase, 'rates' | 'shown'> {
  const texts = Object.fromEntries(
    Object.entries(row.arms).flatMap(([name, { pass_rate: rate }]) => (rate ? [[name, formatPercent(rate.mean)]] : [])),
  )
  const pair = findComparedRates(row, benchmark)
  if (pair === null) return { rates: texts, shown: { points: '', interval: '' } }
  return {
    rates: texts,
    shown: {
      points: formatRates(pair.candidate, pair.baseline).difference,
      interval: own === undefined ? '' : formatInterval(own, benchmark.statistics?.alpha ?? 0.05),
    },
  }
}

const cannotRun = z.array(z.object({ eval_id: z.number(), reason: z.string() })).catch([])

export function listUnrunnableCases(metadata: Benchmark['metadata']): [number, string][] {
  return cannotRun.parse(metadata.cannot_run ?? []).map(({ eval_id, reason }) => [eval_id, reason])
}

/** The judged part of a run; an excluded run has only undecided expectations. */
type JudgedRunPart = Pick<BenchmarkRun, 'eval_id' | 'judge_errors'> & Partial<Pick<BenchmarkRun, 'expectations'>>

type JudgedStatement = Pick<GradedExpectation, 'text' | 'decided_by' | 'indicator' | 'diagnostic'>

/** Statements without any verdict come last. */
function listPageStatements(
  runs: readonly JudgedRunPart[],
  known: readonly StatisticsExpectation[],
  alpha: number | undefined,
): PageStatement[] {
  const facts = new Map(known.map((one) => [one.text, one]))
  const found = new Map<string, PageStatement>()
  const decided = runs.flatMap(({ expectations = [] }) => expectations)
  const open = runs.flatMap(({ judge_errors = [] }) => judge_errors)
  for (const one of [...decided, ...open]) {
    const { text, decided_by, indicator, diagnostic }: JudgedStatement = one
    const before = found.get(text)
    // a time-out does not show who decides the statement in other runs
    const by = decided_by === undefined || decided_by === 'timeout' ? null : decided_by
    if (before !== undefined) before.decided_by ??= by
    else {
      const fact = facts.get(text)
      found.set(text, {
        text,
        decided_by: by,
        indicator: fact?.indicator ?? (indicator === true ? 'author' : null),
        ...(diagnostic === true && { diagnostic }),
        discrimination: fact?.discrimination ?? null,
        remark: fact === undefined ? null : describeStatement(fact, alpha),
      })
    }
  }
  return [...found.values()]
}

function describeStatement(fact: StatisticsExpectation, alpha = usualOptions.alpha): string | null {
  const { always_passes, never_passes, redundant_with, p_adjusted, discrimination, candidate, baseline } = fact
  const scores = [candidate, baseline].flatMap(({ score }) => score ?? [])
  if (scores.length > 0) return `mean score ${scores.map((score) => formatFixed(score, 2)).join(' against ')}`
  if (always_passes) return 'passes in every run'
  if (never_passes) return 'fails in every run'
  if (redundant_with !== null) return `passes and fails in the same runs as “${redundant_with}”`
  if (p_adjusted === undefined) return null
  const counts = `${candidate.passed} of ${candidate.total} vs ${baseline.passed} of ${baseline.total}`
  if (p_adjusted <= furtherShare * alpha) return `significant difference: ${counts}`
  return Math.abs(discrimination ?? 0) === 1 ? `${counts}, not yet significant` : null
}
