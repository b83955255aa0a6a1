/** The runs of a benchmark as columns: a tenth of the bytes of rows, once they are compressed. */
import type { Benchmark, BenchmarkRun, ExcludedRun } from '../../../../schemas/benchmark.ts'
import type { EvidencePack, PageCase, PageRuns } from '../../../../schemas/page.ts'

/** Runs in one pack of evidence. */
export const packSize = 250

interface Places {
  cases: ReadonlyMap<number, number>
  statements: ReadonlyMap<number, ReadonlyMap<string, number>>
  arms: readonly string[]
  folderOf(run: { eval_id: number; configuration: string; run_number: number }): string
}

export function placesOf(cases: readonly PageCase[], arms: readonly string[], folderOf: Places['folderOf']): Places {
  return {
    cases: new Map(cases.map(({ eval_id }, index) => [eval_id, index])),
    statements: new Map(
      cases.map(({ eval_id, statements }) => [eval_id, new Map(statements.map(({ text }, at) => [text, at]))]),
    ),
    arms,
    folderOf,
  }
}

/** Graded runs in their order, then those in no rate. */
export function runColumns({ runs, excluded_runs = [] }: Benchmark, places: Places): PageRuns {
  const columns = emptyColumns()
  for (const run of runs) addGraded(columns, run, places)
  for (const run of excluded_runs) addExcluded(columns, run, places)
  return columns
}

function emptyColumns(): PageRuns {
  return {
    case: [],
    arm: [],
    number: [],
    status: [],
    message: [],
    marks: [],
    passed: [],
    total: [],
    undecided: [],
    timed_out: [],
    rate: [],
    seconds: [],
    tokens: [],
    calls: [],
    errors: [],
    cost: [],
    read: [],
    folder: [],
    detail: [],
  }
}

function addPlace(columns: PageRuns, run: BenchmarkRun | ExcludedRun, places: Places): void {
  columns.case.push(places.cases.get(run.eval_id) ?? 0)
  columns.arm.push(places.arms.indexOf(run.configuration))
  columns.number.push(run.run_number)
  columns.folder.push(places.folderOf(run))
  columns.detail.push(0)
}

function addGraded(columns: PageRuns, run: BenchmarkRun, places: Places): void {
  const { result } = run
  addPlace(columns, run, places)
  columns.status.push('graded')
  columns.message.push('')
  columns.marks.push(marksOf(run, run.expectations, places))
  columns.passed.push(result.passed)
  columns.total.push(result.total)
  columns.undecided.push(result.undecided ?? run.judge_errors?.length ?? 0)
  columns.timed_out.push(result.timed_out === true ? 1 : 0)
  columns.rate.push(result.total > 0 ? result.passed / result.total : result.pass_rate)
  columns.seconds.push(result.time_seconds ?? null)
  columns.tokens.push(result.tokens ?? null)
  columns.calls.push(result.tool_calls ?? null)
  columns.errors.push(result.errors)
  columns.cost.push(result.cost_usd ?? null)
  columns.read.push(typeof result.skill_read === 'boolean' ? (result.skill_read ? 1 : 0) : null)
}

function addExcluded(columns: PageRuns, run: ExcludedRun, places: Places): void {
  addPlace(columns, run, places)
  columns.status.push(run.kind === null ? run.reason : `${run.reason}: ${run.kind}`)
  columns.message.push(run.message)
  columns.marks.push(run.judge_errors === undefined ? '' : marksOf(run, [], places))
  columns.passed.push(0)
  columns.total.push(0)
  columns.undecided.push(run.judge_errors?.length ?? 0)
  columns.timed_out.push(0)
  columns.rate.push(0)
  columns.seconds.push(null)
  columns.tokens.push(null)
  columns.calls.push(null)
  columns.errors.push(0)
  columns.cost.push(null)
  columns.read.push(null)
}

type Judged = Pick<BenchmarkRun, 'eval_id' | 'judge_errors'>

function marksOf(run: Judged, expectations: BenchmarkRun['expectations'], { statements }: Places): string {
  const places = statements.get(run.eval_id) ?? new Map<string, number>()
  const marks = Array<string>(places.size).fill('-')
  for (const { text } of run.judge_errors ?? []) {
    const at = places.get(text)
    if (at !== undefined) marks[at] = '?'
  }
  for (const one of expectations) {
    const at = places.get(one.text)
    if (at === undefined) continue
    const doubtful = one.evidence_verified === 'absent'
    marks[at] = one.passed ? (doubtful ? 'p' : '1') : doubtful ? 'f' : '0'
  }
  return marks.join('')
}

/** Of the decisions of a run, in the order of its expectations; null: not a judge's. */
export type IdsOf = (run: BenchmarkRun) => (string | null)[]

/** The texts of `packSize` runs each, in the order of the columns; one at a time, since those of very many runs take much. */
export function* evidencePacks({ runs }: Benchmark, idsOf: IdsOf | null = null): Generator<EvidencePack> {
  for (let from = 0; from < runs.length; from += packSize) {
    yield runs.slice(from, from + packSize).map((run) => {
      const { expectations, notes, rubric, judge_errors } = run
      return {
        expectations,
        notes,
        ...(idsOf === null ? {} : { ids: idsOf(run) }),
        ...(judge_errors === undefined ? {} : { undecided: judge_errors }),
        ...(rubric === undefined ? {} : { rubric }),
      }
    })
  }
}
