/** The page's data with the lookups of all views: a run by address, the runs of a case, the place of a configuration. */
import type { Page, PageCase, PageRuns } from '../../schemas/page.ts'

export interface Run {
  index: number
  case: PageCase
  caseIndex: number
  arm: string
  armIndex: number
  number: number
  status: string
  message: string
  marks: string
  passed: number
  /** Decided expectations only. */
  total: number
  undecided: number
  /** The agent ran out of time, but the run counts. */
  timedOut: boolean
  /** It contains text that seems to instruct the judge. */
  suspicious: boolean
  /** It ended with a question to the user. */
  askedUser: boolean
  rate: number
  seconds: number | null
  tokens: number | null
  calls: number | null
  errors: number
  cost: number | null
  read: boolean | null
  folder: string
  detail: 0 | 1 | 2
  graded: boolean
}

export interface Model {
  page: Page
  runs: PageRuns
  size: number
  run(index: number): Run
  /** Indices of a case's runs: by configuration, then number. */
  ofCase(caseIndex: number): number[]
  find(evalId: number, arm: string, number: number): number
  caseAt(evalId: number): number
}

export function createModel(page: Page): Model {
  const { runs, cases, arms } = page
  const size = runs.case.length
  const groups: number[][] = cases.map(() => [])
  const places = new Map<string, number>()
  for (let index = 0; index < size; index += 1) {
    groups[columnEntry(runs.case, index)]?.push(index)
    places.set(
      `${columnEntry(runs.case, index)}/${columnEntry(runs.arm, index)}/${columnEntry(runs.number, index)}`,
      index,
    )
  }
  for (const group of groups) {
    group.sort(
      (a, b) =>
        columnEntry(runs.arm, a) - columnEntry(runs.arm, b) ||
        columnEntry(runs.number, a) - columnEntry(runs.number, b),
    )
  }
  const ids = new Map(cases.map(({ eval_id }, index) => [eval_id, index]))
  const caseAt = (evalId: number) => ids.get(evalId) ?? -1
  return {
    page,
    runs,
    size,
    run: (index) => createRun(page, index),
    ofCase: (caseIndex) => groups[caseIndex] ?? [],
    find: (evalId, arm, number) => places.get(`${caseAt(evalId)}/${arms.indexOf(arm)}/${number}`) ?? -1,
    caseAt,
  }
}

/** An entry of a column; every column has one per run. Throws RangeError if there is no such run. */
export function columnEntry<T>(column: readonly T[], index: number): T {
  const value = column[index]
  if (value === undefined) throw new RangeError(`no run ${index}`)
  return value
}

function createRun({ runs, cases, arms }: Page, index: number): Run {
  const status = columnEntry(runs.status, index)
  const read = columnEntry(runs.read, index)
  return {
    index,
    case: columnEntry(cases, columnEntry(runs.case, index)),
    caseIndex: columnEntry(runs.case, index),
    arm: arms[columnEntry(runs.arm, index)] ?? '?',
    armIndex: columnEntry(runs.arm, index),
    number: columnEntry(runs.number, index),
    status,
    message: columnEntry(runs.message, index),
    marks: columnEntry(runs.marks, index),
    passed: columnEntry(runs.passed, index),
    total: columnEntry(runs.total, index),
    undecided: columnEntry(runs.undecided, index),
    timedOut: columnEntry(runs.timed_out, index) === 1,
    suspicious: columnEntry(runs.suspicious, index) === 1,
    askedUser: columnEntry(runs.asked_user, index) === 1,
    rate: columnEntry(runs.rate, index),
    seconds: columnEntry(runs.seconds, index),
    tokens: columnEntry(runs.tokens, index),
    calls: columnEntry(runs.calls, index),
    errors: columnEntry(runs.errors, index),
    cost: columnEntry(runs.cost, index),
    read: read === null ? null : read === 1,
    folder: columnEntry(runs.folder, index),
    detail: columnEntry(runs.detail, index),
    graded: status === 'graded',
  }
}

/** The verdict on a statement in a run. */
export type Mark = 'pass' | 'fail' | 'undecided' | 'none'

export function toMark(sign: string | undefined): Mark {
  if (sign === '1' || sign === 'p') return 'pass'
  if (sign === '0' || sign === 'f') return 'fail'
  return sign === '?' ? 'undecided' : 'none'
}

export function isUnverified(sign: string | undefined): boolean {
  return sign === 'p' || sign === 'f'
}
