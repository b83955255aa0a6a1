/** The search language: words with and without a field that must all match; a minus negates one. */

import { displayArm } from '../format.ts'
import { columnEntry, isUnverified, type Mark, type Model, toMark } from './model.ts'
import { ownEntry } from './own_property.ts'

type Test = (index: number) => boolean

/** Indices of the runs that match, in the order of the columns. */
export function searchRuns(model: Model, text: string): number[] {
  const tests = splitTerms(text).map((term) => createTermTest(model, term))
  const found: number[] = []
  for (let index = 0; index < model.size; index += 1) if (tests.every((test) => test(index))) found.push(index)
  return found
}

function splitTerms(text: string): string[] {
  return [...text.matchAll(/(?:[^\s"]|"[^"]*"?)+/g)].map(([term]) => term.replaceAll('"', ''))
}

function createTermTest(model: Model, term: string): Test {
  if (term.startsWith('-') && term.length > 1) {
    const test = createTermTest(model, term.slice(1))
    return (index) => !test(index)
  }
  const [, field = '', sign = '', value = ''] = /^([a-z]+)(:|>=|<=|>|<|=)(.*)$/i.exec(term) ?? []
  const number = ownEntry(numbers, field.toLowerCase())
  if (number !== undefined && sign !== '' && value !== '')
    return createComparison(number(model), sign, parseDisplayedNumber(value))
  const made = sign === ':' ? ownEntry(fields, field.toLowerCase()) : undefined
  return made?.(model, value.toLowerCase()) ?? createTextTest(model, term.toLowerCase())
}

/** Also as the page writes it: `$0.10`, `5,218`, `1.2 s`, `50%`. */
function parseDisplayedNumber(text: string): number {
  const figure = text.replace(/^\$/, '').replaceAll(',', '')
  const value = figure.replace(/[s%]$/i, '')
  return value === '' ? Number.NaN : Number(value) / (figure.endsWith('%') ? 100 : 1)
}

/** The first invalid search in a field; null: none. Its negation would match every run. */
export function findInvalidTerm(text: string): string | null {
  return splitTerms(text).find((term) => isOdd(term.replace(/^-/, ''))) ?? null
}

function isOdd(term: string): boolean {
  const [, field = '', sign = '', value = ''] = /^([a-z]+)(:|>=|<=|>|<|=)(.+)$/i.exec(term) ?? []
  const name = field.toLowerCase()
  if (ownEntry(numbers, name) !== undefined) return Number.isNaN(parseDisplayedNumber(value))
  return name === 'is' && sign === ':' && ownEntry(flagTests, value.toLowerCase()) === undefined
}

const numbers: Record<string, (model: Model) => readonly (number | null)[]> = {
  cost: ({ runs }) => runs.cost,
  time: ({ runs }) => runs.seconds,
  tokens: ({ runs }) => runs.tokens,
  calls: ({ runs }) => runs.calls,
  errors: ({ runs }) => runs.errors,
  rate: ({ runs }) => runs.rate,
  run: ({ runs }) => runs.number,
}

function createComparison(column: readonly (number | null)[], sign: string, value: number): Test {
  return (index) => {
    const one = column[index]
    if (one === null || one === undefined) return false
    if (sign === '>') return one > value
    if (sign === '<') return one < value
    if (sign === '>=') return one >= value
    return sign === '<=' ? one <= value : one === value
  }
}

const fields: Record<string, (model: Model, value: string) => Test> = {
  arm: ({ page, runs }, value) => {
    const wanted = page.arms.map((arm) => arm.toLowerCase() === value || displayArm(arm).toLowerCase() === value)
    return (index) => wanted[columnEntry(runs.arm, index)] ?? false
  },
  case: ({ page, runs }, value) => {
    const wanted = page.cases.map(
      ({ eval_id, eval_name, eval_key }) =>
        `${eval_id}` === value || eval_name.toLowerCase() === value || eval_key?.toLowerCase() === value,
    )
    return (index) => wanted[columnEntry(runs.case, index)] ?? false
  },
  status:
    ({ runs }, value) =>
    (index) => {
      const status = columnEntry(runs.status, index)
      // a run that broke is excluded; failed is what did not meet its expectations
      if (status !== 'graded')
        return value === 'excluded' || status === value || (value !== 'failed' && status.startsWith(`${value}:`))
      const rate = columnEntry(runs.rate, index)
      if (value === 'timed_out') return columnEntry(runs.timed_out, index) === 1
      if (value === 'passed') return rate === 1 && columnEntry(runs.undecided, index) === 0
      if (value === 'failed') return rate < 1
      return value === 'graded' || (value === 'partial' && rate > 0 && rate < 1)
    },
  passed: (model, value) => createStatementTest(model, value, 'pass'),
  failed: (model, value) => createStatementTest(model, value, 'fail'),
  is: (model, value) => ownEntry(flagTests, value)?.(model) ?? (() => false),
}

/** Runs in which a statement with this text has this verdict. */
function createStatementTest({ page, runs }: Model, text: string, wanted: Mark): Test {
  const places = page.cases.map(({ statements }) =>
    statements.flatMap((one, place) => (one.text.toLowerCase().includes(text) ? [place] : [])),
  )
  return (index) => {
    const marks = columnEntry(runs.marks, index)
    return columnEntry(places, columnEntry(runs.case, index)).some((place) => toMark(marks[place]) === wanted)
  }
}

const flagTests: Record<string, (model: Model) => Test> = {
  suspicious:
    ({ runs }) =>
    (index) =>
      columnEntry(runs.suspicious, index) === 1,
  unverified:
    ({ runs }) =>
    (index) =>
      [...columnEntry(runs.marks, index)].some(isUnverified),
  flaky:
    ({ page, runs }) =>
    (index) =>
      columnEntry(page.cases, columnEntry(runs.case, index)).flaky,
  regression:
    ({ page, runs }) =>
    (index) =>
      (columnEntry(page.cases, columnEntry(runs.case, index)).delta ?? 0) < 0,
  read:
    ({ runs }) =>
    (index) =>
      columnEntry(runs.read, index) === 1,
  unread:
    ({ runs }) =>
    (index) =>
      columnEntry(runs.read, index) === 0,
  error:
    ({ runs }) =>
    (index) =>
      columnEntry(runs.errors, index) > 0 ||
      columnEntry(runs.undecided, index) > 0 ||
      /^(failed|judge_error)/.test(columnEntry(runs.status, index)),
  asked:
    ({ runs }) =>
    (index) =>
      columnEntry(runs.asked_user, index) === 1,
  undecided:
    ({ runs }) =>
    (index) =>
      columnEntry(runs.undecided, index) > 0,
}

/** Matches the case's name, id, key and statements, and the message and status of the run. */
function createTextTest({ page, runs }: Model, text: string): Test {
  const wanted = page.cases.map(({ eval_id, eval_name, eval_key, statements }) =>
    [`${eval_id}`, eval_name, eval_key ?? '', ...statements.map((one) => one.text)].some((one) =>
      one.toLowerCase().includes(text),
    ),
  )
  return (index) =>
    wanted[columnEntry(runs.case, index)] === true ||
    columnEntry(runs.message, index).toLowerCase().includes(text) ||
    columnEntry(runs.status, index).includes(text)
}
