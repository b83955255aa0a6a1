/** The cases of a benchmark as the page carries them: prompt, statements, interval. */
import type { Benchmark, BenchmarkRun } from '../../../../schemas/benchmark.ts'
import type { StatisticsExpectation } from '../../../../schemas/benchmark_statistics.ts'
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
  const runs = byCase(benchmark.runs)
  const known = byCase(benchmark.statistics?.expectations ?? [])
  return rowsOf(benchmark).map((row) => {
    const own = sure.get(row.eval_id)
    return {
      ...row,
      prompt: asked.get(row.eval_id) || null,
      files: files.get(row.eval_id) ?? [],
      statements: statementsOf(runs.get(row.eval_id) ?? [], known.get(row.eval_id) ?? []),
      flaky: own?.flaky ?? false,
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

function statementsOf(runs: readonly BenchmarkRun[], known: readonly StatisticsExpectation[]): PageStatement[] {
  const facts = new Map(known.map((one) => [one.text, one]))
  const found = new Map<string, PageStatement>()
  for (const { expectations } of runs) {
    for (const { text, decided_by = null, indicator } of expectations) {
      if (found.has(text)) continue
      const fact = facts.get(text)
      found.set(text, {
        text,
        decided_by,
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
