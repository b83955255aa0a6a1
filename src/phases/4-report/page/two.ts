/** Two benchmarks as one, for a page that shows both: cases meet by their key, the arms of each bear its letter. */
import type { Benchmark, CaseRow } from '../../../../schemas/benchmark.ts'
import type { PageCompared, PageSaid } from '../../../../schemas/page.ts'
import { armsOf, summarizeArms } from '../arms.ts'
import { caseRows, rowsOf } from '../case_rows.ts'
import { diffBenchmarks, type Side } from '../diff.ts'
import { diffHeadline } from '../diff_text.ts'
import { factsOf } from '../facts.ts'
import { incompleteness } from '../incomplete.ts'
import { buildStatistics } from '../stats/build.ts'
import { stuckIn } from './cases.ts'

export type Letter = 'A' | 'B'

/** What tells a run of a benchmark apart. */
interface RunPlace {
  eval_id: number
  configuration: string
  run_number: number
}

export interface TwoInOne {
  benchmark: Benchmark
  two: PageCompared
  said: Partial<PageSaid>
  /** The place here of a run of one of them. */
  placed<R extends RunPlace>(letter: Letter, run: R): R
  /** The case here of a case of one of them. */
  caseOf(letter: Letter, evalId: number): number
}

/** `b` against `a`. Null: one of them has no arm to compare. */
export function twoInOne(a: Side, b: Side): TwoInOne | null {
  const sides = { A: a, B: b }
  // the arm under test first, as everywhere
  const letters = ['B', 'A'] as const
  const [candidate, baseline] = letters.map((letter) => nameOf(letter, armsOf(sides[letter].benchmark).candidate))
  if (candidate == null || baseline == null) return null
  const arms = { candidate, baseline }
  const { caseOf, named } = commonCases(sides)
  const placed: TwoInOne['placed'] = (letter, run) => ({
    ...run,
    eval_id: caseOf(letter, run.eval_id),
    configuration: nameOf(letter, run.configuration) ?? '',
  })
  const both = <T>(of: (side: Side, letter: Letter) => readonly T[]): T[] => [...of(a, 'A'), ...of(b, 'B')]
  const runs = letters.flatMap((letter) => sides[letter].benchmark.runs.map((run) => placed(letter, run)))
  const excluded_runs = letters.flatMap((letter) =>
    (sides[letter].benchmark.excluded_runs ?? []).map((run) => placed(letter, run)),
  )
  const compared = runs.filter(({ configuration }) => [candidate, baseline].includes(configuration))
  const others = letters.map((letter) => nameOf(letter, armsOf(sides[letter].benchmark).baseline))
  const statistics = buildStatistics(compared, arms)
  const benchmark: Benchmark = {
    metadata: {
      ...b.benchmark.metadata,
      skill_name: [...new Set([a, b].map((one) => one.benchmark.metadata.skill_name))].join(' · '),
      evals_run: named.map(({ eval_id }) => eval_id),
      candidate_configuration: candidate,
      baseline_configuration: baseline,
      cannot_run: both(({ benchmark: { metadata } }, letter) =>
        stuckIn(metadata).map(([id, why]) => ({ eval_id: caseOf(letter, id), reason: `${letter}: ${why}` })),
      ),
    },
    runs,
    excluded_runs,
    run_summary: summarizeArms(compared, arms),
    notes: both((side, letter) => side.benchmark.notes.map((note) => `${letter}: ${note}`)),
    cases: rowsWith(
      caseRows(named, runs, arms),
      caseRows(named, runs, { candidate: others[0] ?? null, baseline: others[1] ?? null }),
    ),
    statistics: { ...statistics, scopes: statistics.scopes && unsaid(statistics.scopes) },
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
  return {
    benchmark,
    placed,
    caseOf,
    two: {
      a: { name: a.name, timestamp: a.benchmark.metadata.timestamp },
      b: { name: b.name, timestamp: b.benchmark.metadata.timestamp },
      plan: diff.plan,
      turned: diff.turned.flatMap((one) => {
        const eval_id = ids.get(one.case)
        return eval_id === undefined ? [] : { ...one, eval_id }
      }),
      changes: named.map(({ eval_id }) => changes.get(eval_id) ?? null),
    },
    said: {
      headline: `B against A: ${diffHeadline(diff)}`,
      sureness: [],
      incomplete: incomplete.length === 0 ? null : incomplete.join(' '),
      facts: both((side, letter) =>
        factsOf(side.benchmark).map(({ name, value }) => ({ name: `${letter}: ${name}`, value })),
      ),
    },
  }
}

function nameOf(letter: Letter, configuration: string | null): string | null {
  return configuration === null ? null : `${letter}_${configuration}`
}

/** They speak of a skill and of being without one. */
function unsaid<S extends object>(scopes: S): S {
  const entries = Object.entries(scopes).map(([name, scope]) => [name, { ...scope, sentence: '' }])
  return Object.fromEntries(entries)
}

function rowsWith(rows: readonly CaseRow[], more: readonly CaseRow[]): CaseRow[] {
  return rows.map((row, index) => ({ ...row, arms: { ...row.arms, ...more[index]?.arms } }))
}

interface NamedCase {
  eval_id: number
  eval_key: string | null
  eval_name: string
  cannot_run: null
  /** By which the two meet. */
  key: string
}

/** The numbers of B; what A alone has comes behind them. */
function commonCases(sides: Record<Letter, Side>): Pick<TwoInOne, 'caseOf'> & { named: NamedCase[] } {
  const found = new Map<string, NamedCase>()
  const ids = { A: new Map<number, number>(), B: new Map<number, number>() }
  let last = Math.max(0, ...rowsOf(sides.B.benchmark).map(({ eval_id }) => eval_id))
  for (const letter of ['B', 'A'] as const) {
    const own = new Set<string>()
    for (const { eval_id, eval_key, eval_name } of rowsOf(sides[letter].benchmark)) {
      let key = eval_key ?? eval_name
      // two cases of one name stay two
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
