/** Merges two benchmarks for one page: cases match by key, and each configuration gets the letter of its benchmark. */
import type { Benchmark, CaseRow } from '../../../schemas/benchmark.ts'
import type { PageCompared, PageSaid } from '../../../schemas/page.ts'
import { findArms, summarizeArms } from '../../phases/4-report/benchmark/arms.ts'
import { buildCaseRows, readCaseRows } from '../../phases/4-report/benchmark/case_rows.ts'
import { incompleteness } from '../../phases/4-report/benchmark/incomplete.ts'
import { listBenchmarkFacts } from '../../phases/4-report/benchmark/provenance.ts'
import { type DiffSide, diffBenchmarks } from '../../phases/4-report/diff/diff.ts'
import { diffHeadline } from '../../phases/4-report/diff/diff_text.ts'
import { countSuspicious } from '../../phases/4-report/judge/suspicious_runs.ts'
import { mostNotes } from '../../phases/4-report/notes/rules/attempts.ts'
import { listUnrunnableCases } from '../../phases/4-report/page/cases.ts'
import { buildStatistics } from '../../phases/4-report/stats/build_statistics.ts'

export type SideLetter = 'A' | 'B'

interface RunPlace {
  eval_id: number
  configuration: string
  run_number: number
}

export interface ComparedBenchmarks {
  benchmark: Benchmark
  two: PageCompared
  said: Partial<PageSaid>
  /** A run of one benchmark, with its case id and configuration in the merged one. */
  placed<R extends RunPlace>(letter: SideLetter, run: R): R
  caseOf(letter: SideLetter, evalId: number): number
}

/** `b` compared with `a`. null: one of them has no configuration to compare. */
export function mergeBenchmarks(a: DiffSide, b: DiffSide): ComparedBenchmarks | null {
  const sides = { A: a, B: b }
  // the configuration under test first, as everywhere
  const letters = ['B', 'A'] as const
  const [candidate, baseline] = letters.map((letter) =>
    nameArmByLetter(letter, findArms(sides[letter].benchmark).candidate),
  )
  if (candidate == null || baseline == null) return null
  const arms = { candidate, baseline }
  const { caseOf, named } = commonCases(sides)
  const placed: ComparedBenchmarks['placed'] = (letter, run) => ({
    ...run,
    eval_id: caseOf(letter, run.eval_id),
    configuration: nameArmByLetter(letter, run.configuration) ?? '',
  })
  const both = <T>(of: (side: DiffSide, letter: SideLetter) => readonly T[]): T[] => [...of(a, 'A'), ...of(b, 'B')]
  const runs = letters.flatMap((letter) => sides[letter].benchmark.runs.map((run) => placed(letter, run)))
  const excluded_runs = letters.flatMap((letter) =>
    (sides[letter].benchmark.excluded_runs ?? []).map((run) => placed(letter, run)),
  )
  const compared = runs.filter(({ configuration }) => [candidate, baseline].includes(configuration))
  const others = letters.map((letter) => nameArmByLetter(letter, findArms(sides[letter].benchmark).baseline))
  const statistics = buildStatistics(compared, arms, { leftOut: excluded_runs })
  const benchmark: Benchmark = {
    metadata: {
      ...b.benchmark.metadata,
      skill_name: [...new Set([a, b].map((one) => one.benchmark.metadata.skill_name))].join(' · '),
      evals_run: named.map(({ eval_id }) => eval_id),
      candidate_configuration: candidate,
      baseline_configuration: baseline,
      cannot_run: both(({ benchmark: { metadata } }, letter) =>
        listUnrunnableCases(metadata).map(([id, why]) => ({
          eval_id: caseOf(letter, id),
          reason: `${letter}: ${why}`,
        })),
      ),
    },
    runs,
    excluded_runs,
    run_summary: summarizeArms(compared, arms),
    injection_attempts: countSuspicious(
      compared.map((run) => ({ runId: `${run.configuration} run ${run.run_number} of case ${run.eval_id}`, run })),
      arms,
    ),
    notes: limitNotesOfTwo(
      a.benchmark.notes.map((note) => `A: ${note}`),
      b.benchmark.notes.map((note) => `B: ${note}`),
    ),
    cases: mergeCaseRows(
      buildCaseRows(named, runs, arms),
      buildCaseRows(named, runs, { candidate: others[0] ?? null, baseline: others[1] ?? null }),
    ),
    statistics: { ...statistics, scopes: statistics.scopes && dropSentences(statistics.scopes) },
    problems: both(({ benchmark: { problems = [] } }, letter) =>
      problems.map(({ file, message }) => ({ file: `${letter}: ${file}`, message })),
    ),
  }
  const diff = diffBenchmarks(a, b, 'candidate')
  const ids = new Map(named.map(({ eval_id, key }) => [key, eval_id]))
  const changes = new Map(diff.cases.map(({ name, change }) => [ids.get(name), change]))
  const incomplete = both((side, letter) => {
    const text = incompleteness(side.benchmark)
    return text === null ? [] : [`${letter}: ${text}`]
  })
  const turned = diff.turned.flatMap((one) => {
    const eval_id = ids.get(one.case)
    return eval_id === undefined ? [] : { ...one, eval_id }
  })
  const facts = both((side, letter) =>
    listBenchmarkFacts(side.benchmark).map(({ name, value }) => ({ name: `${letter}: ${name}`, value })),
  )
  const two = {
    ...{ a: nameSide(a), b: nameSide(b), plan: diff.plan, turned },
    changes: named.map(({ eval_id }) => changes.get(eval_id) ?? null),
  }
  const headline = `B against A: ${diffHeadline(diff)}`
  const said = { headline, sureness: [], incomplete: incomplete.length === 0 ? null : incomplete.join(' '), facts }
  return { benchmark, placed, caseOf, two, said }
}

function nameSide({ name, benchmark }: DiffSide) {
  return { name, timestamp: benchmark.metadata.timestamp }
}

function nameArmByLetter(letter: SideLetter, configuration: string | null): string | null {
  return configuration === null ? null : `${letter}_${configuration}`
}

/** These sentences mention a skill and runs without one. */
function dropSentences<S extends object>(scopes: S): S {
  const entries = Object.entries(scopes).map(([name, scope]) => [name, { ...scope, sentence: '' }])
  return Object.fromEntries(entries)
}

function mergeCaseRows(rows: readonly CaseRow[], more: readonly CaseRow[]): CaseRow[] {
  return rows.map((row, index) => ({ ...row, arms: { ...row.arms, ...more[index]?.arms } }))
}

interface NamedCase {
  eval_id: number
  eval_key: string | null
  eval_name: string
  cannot_run: null
  /** Matches the cases of the two. */
  key: string
}

/** Ids come from B; cases that only A has get ids after them. */
function commonCases(sides: Record<SideLetter, DiffSide>): Pick<ComparedBenchmarks, 'caseOf'> & { named: NamedCase[] } {
  const found = new Map<string, NamedCase>()
  const ids = { A: new Map<number, number>(), B: new Map<number, number>() }
  let last = Math.max(0, ...readCaseRows(sides.B.benchmark).map(({ eval_id }) => eval_id))
  for (const letter of ['B', 'A'] as const) {
    const own = new Set<string>()
    for (const { eval_id, eval_key, eval_name } of readCaseRows(sides[letter].benchmark)) {
      let key = eval_key ?? eval_name
      // two cases with one name stay separate
      while (own.has(key)) key += ' (again)'
      own.add(key)
      const known = found.get(key)
      if (known === undefined && letter === 'A') last += 1
      const id = known?.eval_id ?? (letter === 'A' ? last : eval_id)
      ids[letter].set(eval_id, id)
      if (known === undefined) found.set(key, { eval_id: id, eval_key, eval_name, cannot_run: null, key })
    }
  }
  return {
    named: [...found.values()].sort((one, two) => one.eval_id - two.eval_id),
    caseOf: (letter, evalId) => ids[letter].get(evalId) ?? evalId,
  }
}

/** Notes of two benchmarks: three of each, or more of one where the other has fewer. */
export function limitNotesOfTwo(a: readonly string[], b: readonly string[]): string[] {
  const ofB = b.slice(0, Math.max(mostNotes / 2, mostNotes - a.length))
  return [...a.slice(0, mostNotes - ofB.length), ...ofB]
}
