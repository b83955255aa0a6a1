/** What is typed into the search: words with and without a field, all of which must hold; a minus turns one around. */

import { armLabel } from '../words.ts'
import { at, isUnverified, type Mark, type Model, markOf } from './model.ts'
import { own } from './own.ts'

type Test = (index: number) => boolean

/** Indices of the runs that match, in the order of the columns. */
export function runsMatching(model: Model, text: string): number[] {
  const tests = termsOf(text).map((term) => testOf(model, term))
  const found: number[] = []
  for (let index = 0; index < model.size; index += 1) if (tests.every((test) => test(index))) found.push(index)
  return found
}

function termsOf(text: string): string[] {
  return [...text.matchAll(/(?:[^\s"]|"[^"]*"?)+/g)].map(([term]) => term.replaceAll('"', ''))
}

function testOf(model: Model, term: string): Test {
  if (term.startsWith('-') && term.length > 1) {
    const test = testOf(model, term.slice(1))
    return (index) => !test(index)
  }
  const [, field = '', sign = '', value = ''] = /^([a-z]+)(:|>=|<=|>|<|=)(.*)$/i.exec(term) ?? []
  const number = own(numbers, field.toLowerCase())
  if (number !== undefined && sign !== '' && value !== '') return compared(number(model), sign, numberOf(value))
  const made = sign === ':' ? own(fields, field.toLowerCase()) : undefined
  return made?.(model, value.toLowerCase()) ?? anywhere(model, term.toLowerCase())
}

/** Also as the page writes them: `$0.10`, `5,218`, `1.2s`, `50%`. */
function numberOf(text: string): number {
  const figure = text.replace(/^\$/, '').replaceAll(',', '')
  const value = figure.replace(/[s%]$/i, '')
  return value === '' ? Number.NaN : Number(value) / (figure.endsWith('%') ? 100 : 1)
}

/** The first word that looks like a search in a field and cannot be one; null: none does. Turned around such a word would find all. */
export function notUnderstood(text: string): string | null {
  return termsOf(text).find((term) => isOdd(term.replace(/^-/, ''))) ?? null
}

function isOdd(term: string): boolean {
  const [, field = '', sign = '', value = ''] = /^([a-z]+)(:|>=|<=|>|<|=)(.+)$/i.exec(term) ?? []
  const name = field.toLowerCase()
  if (own(numbers, name) !== undefined) return Number.isNaN(numberOf(value))
  return name === 'is' && sign === ':' && own(is, value.toLowerCase()) === undefined
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

function compared(column: readonly (number | null)[], sign: string, value: number): Test {
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
    const wanted = page.arms.map((arm) => arm.toLowerCase() === value || armLabel(arm).toLowerCase() === value)
    return (index) => wanted[at(runs.arm, index)] ?? false
  },
  case: ({ page, runs }, value) => {
    const wanted = page.cases.map(
      ({ eval_id, eval_name, eval_key }) =>
        `${eval_id}` === value || eval_name.toLowerCase() === value || eval_key?.toLowerCase() === value,
    )
    return (index) => wanted[at(runs.case, index)] ?? false
  },
  status:
    ({ runs }, value) =>
    (index) => {
      const status = at(runs.status, index)
      if (status !== 'graded') return value === 'excluded' || status === value || status.startsWith(`${value}:`)
      const rate = at(runs.rate, index)
      if (value === 'timed_out') return at(runs.timed_out, index) === 1
      if (value === 'passed') return rate === 1 && at(runs.undecided, index) === 0
      if (value === 'failed') return rate < 1
      return value === 'graded' || (value === 'partial' && rate > 0 && rate < 1)
    },
  passed: (model, value) => ofStatement(model, value, 'pass'),
  failed: (model, value) => ofStatement(model, value, 'fail'),
  is: (model, value) => own(is, value)?.(model) ?? (() => false),
}

/** Runs in which a statement with this text came to that. */
function ofStatement({ page, runs }: Model, text: string, wanted: Mark): Test {
  const places = page.cases.map(({ statements }) =>
    statements.flatMap((one, place) => (one.text.toLowerCase().includes(text) ? [place] : [])),
  )
  return (index) => {
    const marks = at(runs.marks, index)
    return at(places, at(runs.case, index)).some((place) => markOf(marks[place]) === wanted)
  }
}

const is: Record<string, (model: Model) => Test> = {
  unverified:
    ({ runs }) =>
    (index) =>
      [...at(runs.marks, index)].some(isUnverified),
  flaky:
    ({ page, runs }) =>
    (index) =>
      at(page.cases, at(runs.case, index)).flaky,
  regression:
    ({ page, runs }) =>
    (index) =>
      (at(page.cases, at(runs.case, index)).delta ?? 0) < 0,
  read:
    ({ runs }) =>
    (index) =>
      at(runs.read, index) === 1,
  unread:
    ({ runs }) =>
    (index) =>
      at(runs.read, index) === 0,
  error:
    ({ runs }) =>
    (index) =>
      at(runs.errors, index) > 0 ||
      at(runs.undecided, index) > 0 ||
      /^(failed|judge_error)/.test(at(runs.status, index)),
  undecided:
    ({ runs }) =>
    (index) =>
      at(runs.undecided, index) > 0,
}

/** In the case's name, number, key and statements, or in what the run said when it failed. */
function anywhere({ page, runs }: Model, text: string): Test {
  const wanted = page.cases.map(({ eval_id, eval_name, eval_key, statements }) =>
    [`${eval_id}`, eval_name, eval_key ?? '', ...statements.map((one) => one.text)].some((one) =>
      one.toLowerCase().includes(text),
    ),
  )
  return (index) =>
    wanted[at(runs.case, index)] === true ||
    at(runs.message, index).toLowerCase().includes(text) ||
    at(runs.status, index).includes(text)
}
