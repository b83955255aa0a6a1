/** The page's data with what every view asks of it: a run by its address, the runs of a case, an arm's place. */
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
  /** Decided expectations; those undecided are outside. */
  total: number
  undecided: number
  /** It counts as it stands, though the agent ran out of time. */
  timedOut: boolean
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
  /** Indices of a case's runs: by arm, then number. */
  ofCase(caseIndex: number): number[]
  find(evalId: number, arm: string, number: number): number
  caseAt(evalId: number): number
}

export function modelOf(page: Page): Model {
  const { runs, cases, arms } = page
  const size = runs.case.length
  const groups: number[][] = cases.map(() => [])
  const places = new Map<string, number>()
  for (let index = 0; index < size; index += 1) {
    groups[at(runs.case, index)]?.push(index)
    places.set(`${at(runs.case, index)}/${at(runs.arm, index)}/${at(runs.number, index)}`, index)
  }
  for (const group of groups) {
    group.sort((a, b) => at(runs.arm, a) - at(runs.arm, b) || at(runs.number, a) - at(runs.number, b))
  }
  const ids = new Map(cases.map(({ eval_id }, index) => [eval_id, index]))
  const caseAt = (evalId: number) => ids.get(evalId) ?? -1
  return {
    page,
    runs,
    size,
    run: (index) => runAt(page, index),
    ofCase: (caseIndex) => groups[caseIndex] ?? [],
    find: (evalId, arm, number) => places.get(`${caseAt(evalId)}/${arms.indexOf(arm)}/${number}`) ?? -1,
    caseAt,
  }
}

/** An entry of a column; every column has one a run. */
export function at<T>(column: readonly T[], index: number): T {
  const value = column[index]
  if (value === undefined) throw new RangeError(`no run ${index}`)
  return value
}

function runAt({ runs, cases, arms }: Page, index: number): Run {
  const status = at(runs.status, index)
  const read = at(runs.read, index)
  return {
    index,
    case: at(cases, at(runs.case, index)),
    caseIndex: at(runs.case, index),
    arm: arms[at(runs.arm, index)] ?? '?',
    armIndex: at(runs.arm, index),
    number: at(runs.number, index),
    status,
    message: at(runs.message, index),
    marks: at(runs.marks, index),
    passed: at(runs.passed, index),
    total: at(runs.total, index),
    undecided: at(runs.undecided, index),
    timedOut: at(runs.timed_out, index) === 1,
    rate: at(runs.rate, index),
    seconds: at(runs.seconds, index),
    tokens: at(runs.tokens, index),
    calls: at(runs.calls, index),
    errors: at(runs.errors, index),
    cost: at(runs.cost, index),
    read: read === null ? null : read === 1,
    folder: at(runs.folder, index),
    detail: at(runs.detail, index),
    graded: status === 'graded',
  }
}

/** What a statement came to in a run. */
export type Mark = 'pass' | 'fail' | 'undecided' | 'none'

export function markOf(sign: string | undefined): Mark {
  if (sign === '1' || sign === 'p') return 'pass'
  if (sign === '0' || sign === 'f') return 'fail'
  return sign === '?' ? 'undecided' : 'none'
}

export function isUnverified(sign: string | undefined): boolean {
  return sign === 'p' || sign === 'f'
}
