/** The cases of a benchmark as the page carries them: prompt, statements, interval. */
import { z } from 'zod'
import type { Benchmark, BenchmarkRun } from '../../../../schemas/benchmark.ts'
import type { StatisticsExpectation } from '../../../../schemas/benchmark_statistics.ts'
import type { GradedExpectation } from '../../../../schemas/grading.ts'
import type { PageCase, PageFile, PageStatement } from '../../../../schemas/page.ts'
import { rowsOf } from '../case_rows.ts'

/** Where a case's prompt is found: a plan, or what was read of another tool. */
export interface Prompts {
  cases: readonly { eval_id: number; prompt: string }[]
}

/** By eval_id. `files`: the input files of a case. */
export function pageCases(
  benchmark: Benchmark,
  prompts: Prompts | null,
  files: ReadonlyMap<number, PageFile[]>,
): PageCase[] {
  const asked = new Map(prompts?.cases.map(({ eval_id, prompt }) => [eval_id, prompt]))
  const sure = new Map(benchmark.statistics?.cases.map((one) => [one.eval_id, one]))
  const runs = byCase<Judged>([...benchmark.runs, ...(benchmark.excluded_runs ?? [])])
  const stuck = new Map(stuckIn(benchmark.metadata))
  const known = byCase(benchmark.statistics?.expectations ?? [])
  return rowsOf(benchmark).map((row) => {
    const own = sure.get(row.eval_id)
    return {
      ...row,
      prompt: asked.get(row.eval_id) || null,
      files: files.get(row.eval_id) ?? [],
      statements: statementsOf(runs.get(row.eval_id) ?? [], known.get(row.eval_id) ?? []),
      flaky: own?.flaky ?? false,
      cannot_run: stuck.get(row.eval_id) ?? null,
      ci_low: own?.ci_low ?? null,
      ci_high: own?.ci_high ?? null,
    }
  })
}

function byCase<T extends { eval_id: number }>(all: readonly T[]): Map<number, T[]> {
  const groups = new Map<number, T[]>()
  for (const one of all) {
    const group = groups.get(one.eval_id)
    if (group === undefined) groups.set(one.eval_id, [one])
    else group.push(one)
  }
  return groups
}

const cannotRun = z.array(z.object({ eval_id: z.number(), reason: z.string() })).catch([])

/** Case and reason. */
export function stuckIn(metadata: Benchmark['metadata']): [number, string][] {
  return cannotRun.parse(metadata.cannot_run ?? []).map(({ eval_id, reason }) => [eval_id, reason])
}

/** A run as far as it was judged; of one in no rate only what stayed undecided is known. */
type Judged = Pick<BenchmarkRun, 'eval_id' | 'judge_errors'> & Partial<Pick<BenchmarkRun, 'expectations'>>

/** Those without any verdict too, behind the others. */
function statementsOf(runs: readonly Judged[], known: readonly StatisticsExpectation[]): PageStatement[] {
  const facts = new Map(known.map((one) => [one.text, one]))
  const found = new Map<string, PageStatement>()
  const decided = runs.flatMap(({ expectations = [] }) => expectations)
  const open = runs.flatMap(({ judge_errors = [] }) => judge_errors.map(({ text }) => ({ text })))
  for (const one of [...decided, ...open]) {
    const { text, decided_by, indicator }: Pick<GradedExpectation, 'text' | 'decided_by' | 'indicator'> = one
    const before = found.get(text)
    // a time-out says nothing of who decides the statement in the other runs
    const by = decided_by === undefined || decided_by === 'timeout' ? null : decided_by
    if (before !== undefined) before.decided_by ??= by
    else {
      const fact = facts.get(text)
      found.set(text, {
        text,
        decided_by: by,
        indicator: fact?.indicator ?? (indicator === true ? 'author' : null),
        discrimination: fact?.discrimination ?? null,
        remark: fact === undefined ? null : remarkOf(fact),
      })
    }
  }
  return [...found.values()]
}

function remarkOf({ always_passes, never_passes, redundant_with }: StatisticsExpectation): string | null {
  if (always_passes) return 'always met: tells nothing apart'
  if (never_passes) return 'never met'
  return redundant_with === null ? null : `same verdicts as “${redundant_with}”`
}
