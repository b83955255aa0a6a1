/** Reads a grading.json of any dialect: its gradings, each with the configuration and run that the file states. */
import {
  type Claim,
  type GradedExpectation,
  type Grading,
  type JudgeError,
  judgeError,
} from '../../../schemas/grading.ts'
import { executionMetrics } from '../../../schemas/metrics.ts'
import { keepRated, weightedPassRate } from '../../../schemas/pass_rate.ts'
import { isConfiguration } from './arms.ts'
import {
  configurationNames,
  evidenceNames,
  failedNames,
  failWords,
  listNames,
  passedNames,
  passWords,
  percentNames,
  rateNames,
  runListNames,
  runNumberNames,
  textNames,
  totalNames,
  verdictNames,
} from './names.ts'
import {
  type ForeignFields,
  listTexts,
  mostUsable,
  pickList,
  pickNumber,
  pickText,
  toForeignFields,
} from './pick_values.ts'

export interface GradingFound {
  /** As stated in the file; null: not stated. */
  configuration: string | null
  run: number | null
  grading: Grading
  /** The rest of the file, for times and names. */
  fields: ForeignFields
}

/** Maximum nesting of gradings: runs in a list, under a configuration. */
const deepest = 2

export function findGradings(value: unknown, depth = 0): GradingFound[] {
  if (depth > deepest) return []
  if (Array.isArray(value)) {
    return isRunList(value)
      ? value.flatMap((run) => findGradings(run, depth + 1))
      : single({ expectations: value }, null)
  }
  const fields = toForeignFields(value)
  if (fields === null) return []
  const arms = Object.keys(fields)
    .filter(isConfiguration)
    .flatMap((name) => withConfiguration(findGradings(fields[name], depth + 1), name))
  if (arms.length > 0) return arms
  const own = pickText(fields, configurationNames)
  for (const name of runListNames) {
    const runs = pickList(fields, [name])
    if (runs !== null && isRunList(runs, name === 'runs'))
      return runs
        .flatMap((run) => findGradings(run, depth + 1))
        .map((one) => ({ ...one, configuration: one.configuration ?? own }))
  }
  return single(fields, own)
}

/** Whether each entry has its own verdicts or counts, and one of them is certainly a run; otherwise it is a list of verdicts with parts. */
function isRunList(list: readonly unknown[], isCalledRuns = false): boolean {
  const entries = list.map(toForeignFields)
  return entries.every(isWhole) && (isCalledRuns || entries.some(isRun))
}

/** `passed` as a number next to a list of verdicts is a count, not a verdict. */
function isRun(entry: ForeignFields | null): boolean {
  const names = [...runNumberNames, ...configurationNames]
  return (
    toForeignFields(entry?.summary) !== null ||
    (pickNumber(entry, runNumberNames) ?? pickText(entry, names)) !== null ||
    !isDecided(entry) ||
    (typeof entry?.passed === 'number' && findVerdictList(entry)?.some(isDecided) === true)
  )
}

function isWhole(entry: ForeignFields | null): boolean {
  return pickList(entry, listNames) !== null || toForeignFields(entry?.summary) !== null
}

function withConfiguration(found: readonly GradingFound[], configuration: string): GradingFound[] {
  return found.map((each) => ({ ...each, configuration }))
}

function single(fields: ForeignFields, configuration: string | null): GradingFound[] {
  const grading = toGrading(fields)
  if (grading === null) return []
  const run = pickNumber(fields, runNumberNames)
  return [{ configuration, run: run !== null && run >= 1 && run < 1e9 ? Math.trunc(run) : null, grading, fields }]
}

/** Counted from a list with verdicts; else from the counts; else, unless a list is empty, from the rate alone. null: none of these. */
function toGrading(fields: ForeignFields): Grading | null {
  const list = findVerdictList(fields)
  const marks = readVerdictMarks(list ?? [])
  const items = (list ?? []).map((item, index) => readGradingItem(item, { index, marks: marks[index] ?? {} }))
  const expectations = items.flatMap(({ decided }) => decided ?? [])
  const undecided = items.flatMap((item) => item.undecided ?? [])
  const counts = readSummaryCounts(fields)
  // a rate next to an empty list may mean 0 of 0
  const isOfNothing = list?.length === 0 && counts?.source !== 'counts'
  if (expectations.length === 0 && counts !== null && !isOfNothing)
    return { expectations, summary: counts, ...gradingExtras(fields, []) }
  if (list === null) return null
  const rated = keepRated(expectations)
  const passed = rated.filter((item) => item.passed).length
  const total = rated.length
  const summary = { passed, failed: total - passed, total, pass_rate: weightedPassRate(rated) }
  return { expectations, summary, ...gradingExtras(fields, undecided) }
}

function gradingExtras(fields: ForeignFields, undecided: readonly JudgeError[]): Partial<Grading> {
  const metrics = executionMetrics.safeParse(fields.execution_metrics)
  const errors = [...undecided, ...findJudgeErrors(fields)]
  return {
    ...(metrics.success ? { execution_metrics: metrics.data } : {}),
    ...readRemarks(fields),
    ...(errors.length > 0 ? { judge_errors: errors } : {}),
  }
}

/** What else it says, in whatever form; user notes first in the order of skill-creator's aggregator, then what has no place of its own. */
function readRemarks({ user_notes_summary, claims, eval_feedback, notes, feedback }: ForeignFields): Partial<Grading> {
  const { uncertainties, needs_review, workarounds, ...more } = toForeignFields(user_notes_summary) ?? {
    more: user_notes_summary,
  }
  const items = Array.isArray(claims) ? claims : [claims]
  const open = items.filter((item) => readClaim(item) === null)
  const said = [uncertainties, needs_review, workarounds, ...Object.values(more), notes, feedback, open]
  const advice = Object.values(toForeignFields(eval_feedback) ?? { eval_feedback }).flatMap(listTexts)
  return {
    user_notes_summary: { uncertainties: said.flatMap(listTexts), needs_review: [], workarounds: [] },
    claims: items.flatMap((item) => readClaim(item) ?? []),
    eval_feedback: { suggestions: advice.map((reason) => ({ reason })), overall: '' },
  }
}

function readClaim(item: unknown): Claim | null {
  const fields = toForeignFields(item)
  const claim = pickText(fields, ['claim', ...textNames])
  const verified = readForeignVerdict({ passed: fields?.verified, ...fields })
  if (claim === null || verified === null) return null
  const type = pickText(fields, ['type', 'category']) ?? 'claim'
  return { claim, type, verified, evidence: pickText(fields, evidenceNames) ?? '' }
}

function findJudgeErrors(fields: ForeignFields): JudgeError[] {
  return (pickList(fields, ['judge_errors']) ?? []).flatMap((one) => judgeError.safeParse(one).data ?? [])
}

function readGradingItem(
  item: unknown,
  { index, marks }: { index: number; marks: VerdictMarks },
): { decided?: GradedExpectation; undecided?: JudgeError } {
  const fields = toForeignFields(item)
  const text = typeof item === 'string' ? item : (pickText(fields, textNames) ?? `criterion ${index + 1}`)
  const verdict = readForeignVerdict(fields)
  if (verdict === null) return { undecided: { text, reason: 'the grading contains no verdict for it' } }
  const by = pickText(fields, ['decided_by'])
  const evidence = pickText(fields, evidenceNames) ?? ''
  const indicator = typeof fields?.indicator === 'boolean' ? { indicator: fields.indicator } : {}
  return { decided: { text, passed: verdict, evidence, ...(by && { decided_by: by }), ...indicator, ...marks } }
}

/** The first list that contains a verdict; else the first list. */
function findVerdictList(fields: ForeignFields | null): readonly unknown[] | null {
  const name = listNames.find((each) => pickList(fields, [each])?.some(isDecided))
  return pickList(fields, name === undefined ? listNames : [name])
}

function isDecided(item: unknown): boolean {
  return readForeignVerdict(toForeignFields(item)) !== null
}

/** null: undecided, not failed. */
function readForeignVerdict(fields: ForeignFields | null): boolean | null {
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
function readSummaryCounts(fields: ForeignFields): Grading['summary'] | null {
  const places = [toForeignFields(fields.summary), fields].filter((place) => place !== null)
  for (const place of places) {
    const passed = pickNumber(place, passedNames)
    const failed = pickNumber(place, failedNames)
    const total = pickNumber(place, totalNames) ?? (passed === null || failed === null ? null : passed + failed)
    const isContradiction = passed !== null && total !== null && passed + (failed ?? 0) > total
    if (total === 0 || isContradiction) return null
    if (passed !== null && total !== null && passed <= total && Number.isInteger(passed) && Number.isInteger(total)) {
      return { passed, failed: total - passed, total, pass_rate: passed / total, source: 'counts' }
    }
  }
  const rate = readRate(fields)
  return rate === null ? null : { passed: 0, failed: 0, total: 0, pass_rate: rate, source: 'rate' }
}

/** What is doubtful about a grading, by its kind, for those whose text is not null. */
export const doubts: Readonly<Record<string, (fields: ForeignFields, grading: Grading) => string | null>> = {
  'A contradiction': (fields, grading) => describeOtherCounts(fields, grading) ?? describeOtherRate(fields, grading),
  'A pass rate read as a percentage': (fields, { summary }) => {
    const stated = summary.source === 'rate' ? findRate(fields) : null
    return stated === null || stated.isSure ? null : `its ${stated.name} is ${stated.value}`
  },
  'Counts without verdicts': (fields, { summary: { source, passed, total } }) => {
    const empty = source === 'counts' ? listNames.find((name) => fields[name] === null) : undefined
    return empty === undefined ? null : `its ${empty} is null; its summary counts: ${passed} of ${total} passed`
  },
}

/** How the counts in `summary` differ from the items, which count; null: they agree, or one of them is missing. */
function describeOtherCounts(fields: ForeignFields, { expectations, summary }: Grading): string | null {
  const stated = readSummaryCounts({ summary: fields.summary })
  if (expectations.length === 0 || stated === null || stated.source !== 'counts') return null
  if (stated.passed === summary.passed && stated.total >= summary.total) return null
  return `its summary says ${stated.passed} of ${stated.total} passed, its items ${summary.passed} of ${summary.total}; the items count`
}

/** How the stated pass rate differs from the counts or verdicts; null: it does not, or they have weights. */
function describeOtherRate(fields: ForeignFields, { expectations, summary }: Grading): string | null {
  const stated = findRate(fields)
  const { source, passed, total } = summary
  const isWeighted = expectations.some(({ weight, score }) => (weight ?? score) !== undefined)
  if (stated === null || isWeighted || source === 'rate' || total === 0) return null
  if (stated.rate !== null && Math.abs(stated.rate - passed / total) <= 0.01) return null
  return `its ${stated.name} is ${stated.value}, and ${passed} of ${total} passed, which counts`
}

/** 0 to 1; from `summary`, else from the top level. */
export function readRate(fields: ForeignFields): number | null {
  return findRate(fields)?.rate ?? null
}

/** `rate`: 0 to 1; a larger number is a percentage, as is a text such as "85%"; null: neither. `isSure`: it is not a guess. */
function findRate(fields: ForeignFields) {
  for (const place of [toForeignFields(fields.summary), fields])
    for (const name of [...rateNames, ...percentNames]) {
      const value = place?.[name] ?? null
      const percent = typeof value === 'string' ? /^\s*(\d+(?:\.\d+)?)\s*%/.exec(value)?.[1] : undefined
      const number = percent === undefined ? value : Number(percent)
      if (typeof number !== 'number') continue
      const isPercent = percent !== undefined || percentNames.includes(name) || number > 1
      const rate = number >= 0 && number <= 100 ? number / (isPercent ? 100 : 1) : null
      return { name, value, rate, isSure: percent !== undefined || !isPercent }
    }
  return null
}

type VerdictMarks = Pick<GradedExpectation, 'weight' | 'score' | 'diagnostic'>

/**
 * In the order of the list. Weights are read if all of the list are above 0, scores if all are from 0 to 1; others, such as marks from 1
 * to 10, are not.
 */
function readVerdictMarks(list: readonly unknown[]): VerdictMarks[] {
  const fields = list.map((item) => toForeignFields(item) ?? {})
  const fits = (name: string, isOnScale: (value: number) => boolean) =>
    fields.every(({ [name]: value }) => value == null || (typeof value === 'number' && isOnScale(value)))
  const hasWeights = fits('weight', (value) => value > 0 && value <= mostUsable)
  const hasScores = fits('score', (value) => value >= 0 && value <= 1)
  return fields.map(({ weight, score, diagnostic }) => ({
    ...(hasWeights && typeof weight === 'number' && { weight }),
    ...(hasScores && typeof score === 'number' && { score }),
    ...(diagnostic === true && { diagnostic }),
  }))
}
