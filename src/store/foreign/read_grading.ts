/** One grading.json of any dialect: the gradings in it, each with what its own words say of configuration and run. */
import { type GradedExpectation, type Grading, type JudgeError, judgeError } from '../../../schemas/grading.ts'
import { executionMetrics } from '../../../schemas/metrics.ts'
import { isConfiguration } from './arms.ts'
import {
  configurationNames,
  evidenceNames,
  failedNames,
  failWords,
  listNames,
  passedNames,
  passWords,
  rateNames,
  runListNames,
  runNumberNames,
  textNames,
  totalNames,
  verdictNames,
} from './names.ts'
import { type Fields, fieldsOf, listIn, numberIn, textIn } from './pick.ts'

export interface GradingFound {
  /** As the file says; null: it does not. */
  configuration: string | null
  run: number | null
  grading: Grading
  /** Everything else in the file, for times and names. */
  fields: Fields
}

/** How deep gradings may lie in each other: runs in a list, under a configuration. */
const deepest = 2

/** Empty: nothing in it that could be a grading. */
export function gradingsIn(value: unknown, depth = 0): GradingFound[] {
  if (depth > deepest) return []
  if (Array.isArray(value)) {
    return isRunList(value) ? value.flatMap((run) => gradingsIn(run, depth + 1)) : single({ expectations: value }, null)
  }
  const fields = fieldsOf(value)
  if (fields === null) return []
  const arms = Object.keys(fields)
    .filter(isConfiguration)
    .flatMap((name) => named(gradingsIn(fields[name], depth + 1), name))
  if (arms.length > 0) return arms
  const own = textIn(fields, configurationNames)
  for (const name of runListNames) {
    const runs = listIn(fields, [name])
    if (runs !== null && isRunList(runs, name === 'runs'))
      return runs
        .flatMap((run) => gradingsIn(run, depth + 1))
        .map((one) => ({ ...one, configuration: one.configuration ?? own }))
  }
  return single(fields, own)
}

/** Whether each entry has verdicts or counts of its own, and one of them is a run for sure: else it is a list of verdicts with parts. */
function isRunList(list: readonly unknown[], isCalledRuns = false): boolean {
  const entries = list.map(fieldsOf)
  return entries.every(isWhole) && (isCalledRuns || entries.some(isRun))
}

/** `passed` as a number beside a list of verdicts is a count, no verdict. */
function isRun(entry: Fields | null): boolean {
  const names = [...runNumberNames, ...configurationNames]
  return (
    fieldsOf(entry?.summary) !== null ||
    (numberIn(entry, runNumberNames) ?? textIn(entry, names)) !== null ||
    !isDecided(entry) ||
    (typeof entry?.passed === 'number' && verdictListIn(entry)?.some(isDecided) === true)
  )
}

function isWhole(entry: Fields | null): boolean {
  return listIn(entry, listNames) !== null || fieldsOf(entry?.summary) !== null
}

function named(found: readonly GradingFound[], configuration: string): GradingFound[] {
  return found.map((each) => ({ ...each, configuration }))
}

function single(fields: Fields, configuration: string | null): GradingFound[] {
  const grading = gradingOf(fields)
  if (grading === null) return []
  const run = numberIn(fields, runNumberNames)
  return [{ configuration, run: run !== null && run >= 1 && run < 1e9 ? Math.trunc(run) : null, grading, fields }]
}

/** Counted from the list where it holds verdicts; else from the counts; else, where no list is empty, the rate alone. Null: none of these. */
function gradingOf(fields: Fields): Grading | null {
  const list = verdictListIn(fields)
  const items = (list ?? []).map(itemOf)
  const expectations = items.flatMap(({ decided }) => decided ?? [])
  const undecided = items.flatMap((item) => item.undecided ?? [])
  const counts = countsOf(fields)
  // a rate beside an empty list may be that of nothing: 0 of 0
  const isOfNothing = list?.length === 0 && counts?.source !== 'counts'
  if (expectations.length === 0 && counts !== null && !isOfNothing)
    return { expectations, summary: counts, ...extrasOf(fields, []) }
  if (list === null) return null
  const passed = expectations.filter((item) => item.passed).length
  const total = expectations.length
  const summary = { passed, failed: total - passed, total, pass_rate: total === 0 ? 0 : passed / total }
  return { expectations, summary, ...extrasOf(fields, undecided) }
}

function extrasOf(fields: Fields, undecided: readonly JudgeError[]): Partial<Grading> {
  const metrics = executionMetrics.safeParse(fields.execution_metrics)
  const errors = [...undecided, ...judgeErrorsIn(fields)]
  return {
    ...(metrics.success ? { execution_metrics: metrics.data } : {}),
    ...(errors.length > 0 ? { judge_errors: errors } : {}),
  }
}

function judgeErrorsIn(fields: Fields): JudgeError[] {
  return (listIn(fields, ['judge_errors']) ?? []).flatMap((one) => judgeError.safeParse(one).data ?? [])
}

function itemOf(item: unknown, index: number): { decided?: GradedExpectation; undecided?: JudgeError } {
  const fields = fieldsOf(item)
  const text = typeof item === 'string' ? item : (textIn(fields, textNames) ?? `criterion ${index + 1}`)
  const verdict = verdictOf(fields)
  if (verdict === null) return { undecided: { text, reason: 'the grading holds no verdict for it' } }
  const by = textIn(fields, ['decided_by'])
  const evidence = textIn(fields, evidenceNames) ?? ''
  return { decided: { text, passed: verdict, evidence, ...(by === null ? {} : { decided_by: by }) } }
}

/** The first list that holds a verdict; where none does, the first list. */
function verdictListIn(fields: Fields | null): readonly unknown[] | null {
  const name = listNames.find((each) => listIn(fields, [each])?.some(isDecided))
  return listIn(fields, name === undefined ? listNames : [name])
}

function isDecided(item: unknown): boolean {
  return verdictOf(fieldsOf(item)) !== null
}

/** Null is undecided, not a fail. */
function verdictOf(fields: Fields | null): boolean | null {
  for (const name of verdictNames) {
    const value = fields?.[name]
    if (typeof value === 'boolean') return value
    if (value === 0 || value === 1) return value === 1
    const word = typeof value === 'string' ? value.trim().toLowerCase() : ''
    if (passWords.includes(word)) return true
    if (failWords.includes(word)) return false
  }
  return null
}

/** From `summary`, else from the top level. */
function countsOf(fields: Fields): Grading['summary'] | null {
  const places = [fieldsOf(fields.summary), fields].filter((place) => place !== null)
  for (const place of places) {
    const passed = numberIn(place, passedNames)
    const failed = numberIn(place, failedNames)
    const total = numberIn(place, totalNames) ?? (passed === null || failed === null ? null : passed + failed)
    if (total === 0) return null
    if (passed !== null && total !== null && passed <= total && Number.isInteger(passed) && Number.isInteger(total)) {
      return { passed, failed: total - passed, total, pass_rate: passed / total, source: 'counts' }
    }
  }
  const rate = places.map(rateIn).find((found) => found !== null)
  return rate === undefined ? null : { passed: 0, failed: 0, total: 0, pass_rate: rate, source: 'rate' }
}

/** 0 to 1; above that it is a percentage, as is a text such as "85%". */
export function rateIn(fields: Fields | null): number | null {
  for (const name of rateNames) {
    const value = fields?.[name]
    const percent = typeof value === 'string' ? /^\s*(\d+(?:\.\d+)?)\s*%/.exec(value)?.[1] : undefined
    const rate = percent === undefined ? value : Number(percent) / 100
    if (typeof rate !== 'number' || !(rate >= 0 && rate <= 100)) continue
    return rate > 1 ? rate / 100 : rate
  }
  return null
}
