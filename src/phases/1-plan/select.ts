/** Picks the cases that the user named. */
import picomatch from 'picomatch'
import type { ChosenCases, Suite, SuiteCase } from '../../../schemas/suite.ts'
import { UserError } from '../../base/error.ts'
import { nearest } from '../../base/nearest.ts'

/**
 * The cases named by eval_id, eval_key, eval_name or a glob over them, in the suite's order; all of them when nothing
 * is named. `named`: what names them, for messages. Throws UserError with the nearest names for a text that means no case.
 */
export function selectCases(suite: Suite, wanted: readonly string[], named = '--case'): Suite {
  if (wanted.length === 0) return suite
  const chosen = new Set(wanted.flatMap((text) => meant(suite.cases, text, named)))
  return { ...suite, cases: suite.cases.filter((one) => chosen.has(one)) }
}

/** What was chosen of a suite; undefined: all of it. */
export function chosenOf(whole: Suite, { cases }: Suite): ChosenCases | undefined {
  if (cases.length === whole.cases.length) return undefined
  return { eval_ids: cases.map(({ eval_id }) => eval_id), of: whole.cases.length }
}

/** The first way to read the text that finds a case: so an id never picks a case whose name only looks like it. */
function meant(cases: readonly SuiteCase[], text: string, named: string): SuiteCase[] {
  const fits = globOf(text)
  const readings: ((one: SuiteCase) => boolean)[] = [
    (one) => String(one.eval_id) === text,
    (one) => one.eval_key === text,
    (one) => one.eval_name === text,
    (one) => namesOf(one).some(fits),
  ]
  for (const reading of readings) {
    const found = cases.filter(reading)
    if (found.length > 0) return found
  }
  const near = nearNames(cases, text)
  const hint = near.length > 0 ? `nearest: ${near.join(', ')}` : `there is ${listed(cases)}`
  throw new UserError(`${named} ${text}: no such case`, hint)
}

/** A long name is also near when one of its words is. */
function nearNames(cases: readonly SuiteCase[], text: string): string[] {
  const names = [...new Set(cases.flatMap(namesOf))]
  const near = nearest(text, names)
  if (near.length > 0) return near
  const words = new Set(nearest(text, [...new Set(names.flatMap(wordsOf))]))
  return names.filter((name) => wordsOf(name).some((word) => words.has(word))).slice(0, 3)
}

function wordsOf(name: string): string[] {
  return name.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 2)
}

function namesOf(one: SuiteCase): string[] {
  return [String(one.eval_id), one.eval_name, ...(one.eval_key === null ? [] : [one.eval_key])]
}

/** Names are no paths: `*` goes over slashes and leading dots too. */
function globOf(text: string): (name: string) => boolean {
  if (text === '') return () => false
  const matches = picomatch(text, { bash: true, dot: true })
  return (name) => matches(name)
}

function listed(cases: readonly SuiteCase[]): string {
  const names = cases.slice(0, 8).map((one) => `${one.eval_id} (${one.eval_name})`)
  return names.join(', ') + (cases.length > 8 ? `, and ${cases.length - 8} more` : '')
}
