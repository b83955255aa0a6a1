/** The runs of a benchmark as columns, which compress to a tenth of the size of rows. */
import type { Benchmark, BenchmarkRun, ExcludedRun } from '../../../../schemas/benchmark.ts'
import type { EvidencePack, PageCase, PageRuns } from '../../../../schemas/page.ts'
import { runPassRate } from '../benchmark/run_pass_rate.ts'
import { isSuspicious } from '../judge/suspicious_runs.ts'

export const packSize = 250

interface Places {
  cases: ReadonlyMap<number, number>
  statements: ReadonlyMap<number, ReadonlyMap<string, number>>
  arms: readonly string[]
  folderOf(run: { eval_id: number; configuration: string; run_number: number }): string
}

export function indexPlaces(cases: readonly PageCase[], arms: readonly string[], folderOf: Places['folderOf']): Places {
  return {
    cases: new Map(cases.map(({ eval_id }, index) => [eval_id, index])),
    statements: new Map(
      cases.map(({ eval_id, statements }) => [eval_id, new Map(statements.map(({ text }, at) => [text, at]))]),
    ),
    arms,
    folderOf,
  }
}

/** Graded runs in their order, then excluded runs. */
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
    suspicious: [],
    asked_user: [],
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
  columns.marks.push(encodeMarks(run, run.expectations, places))
  columns.passed.push(result.passed)
  columns.total.push(result.total)
  columns.undecided.push(result.undecided ?? run.judge_errors?.length ?? 0)
  columns.timed_out.push(result.timed_out === true ? 1 : 0)
  columns.suspicious.push(isSuspicious(run) ? 1 : 0)
  columns.asked_user.push(result.asked_user === true ? 1 : 0)
  columns.rate.push(runPassRate(run))
  columns.seconds.push(result.time_seconds ?? null)
  columns.tokens.push(result.tokens ?? null)
  columns.calls.push(result.tool_calls ?? null)
  columns.errors.push(result.errors)
  columns.cost.push(result.cost_usd ?? null)
  columns.read.push(typeof result.skill_read === 'boolean' ? (result.skill_read ? 1 : 0) : null)
}

function addExcluded(columns: PageRuns, run: ExcludedRun, places: Places): void {
  const { passed, total, timed_out, suspicious, asked_user, rate, errors } = columns
  const { seconds, tokens, calls, cost, read } = columns
  addPlace(columns, run, places)
  columns.status.push(run.kind === null ? run.reason : `${run.reason}: ${run.kind}`)
  columns.message.push(run.message)
  columns.marks.push(run.judge_errors === undefined ? '' : encodeMarks(run, [], places))
  columns.undecided.push(run.judge_errors?.length ?? 0)
  for (const column of [passed, total, timed_out, suspicious, asked_user, rate, errors]) column.push(0)
  for (const column of [seconds, tokens, calls, cost, read]) column.push(null)
}

type JudgedPlace = Pick<BenchmarkRun, 'eval_id' | 'judge_errors'>

function encodeMarks(run: JudgedPlace, expectations: BenchmarkRun['expectations'], { statements }: Places): string {
  const places = statements.get(run.eval_id) ?? new Map<string, number>()
  const marks = Array<string>(places.size).fill('-')
  for (const { text } of run.judge_errors ?? []) {
    const at = places.get(text)
    if (at !== undefined) marks[at] = '?'
  }
  for (const one of expectations) {
    const at = places.get(one.text)
    if (at === undefined) continue
    const doubtful = one.evidence_verified === 'absent' || one.evidence_verified === 'claim'
    marks[at] = one.passed ? (doubtful ? 'p' : '1') : doubtful ? 'f' : '0'
  }
  return marks.join('')
}

/** The ids of a run's decisions, in the order of its expectations; null: not decided by a judge. */
export type ReadDecisionIds = (run: BenchmarkRun) => (string | null)[]

/** The texts of `packSize` runs each, in the order of the columns. */
export function evidencePacks({ runs }: Benchmark, idsOf: ReadDecisionIds | null = null): EvidencePack[] {
  const packs: EvidencePack[] = []
  for (let from = 0; from < runs.length; from += packSize) {
    const pack = runs.slice(from, from + packSize).map((run) => {
      const { expectations, notes, rubric, judge_errors } = run
      return {
        expectations,
        notes,
        ...(idsOf === null ? {} : { ids: idsOf(run) }),
        ...(judge_errors === undefined ? {} : { undecided: judge_errors }),
        ...(rubric === undefined ? {} : { rubric }),
      }
    })
    packs.push(pack)
  }
  return packs
}
