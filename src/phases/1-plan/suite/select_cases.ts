/** Selects the cases that the user names. */
import picomatch from 'picomatch'
import type { Plan } from '../../../../schemas/plan.ts'
import type { ChosenCases, Suite, SuiteCase } from '../../../../schemas/suite.ts'
import { UserError } from '../../../base/errors/error.ts'
import { findNearest } from '../../../base/text/did_you_mean.ts'
import { type InspectedSuite, indexOfCase } from './inspected_suite.ts'

/**
 * Returns the cases named by eval_id, eval_key, eval_name or a glob over them, in the suite's order; all if nothing is
 * named. `named`: the flag, for messages. Throws UserError with the nearest names for a text that matches no case.
 */
export function selectCases(suite: Suite, wanted: readonly string[], named = '--case'): Suite {
  if (wanted.length === 0) return suite
  const chosen = new Set(wanted.flatMap((text) => matchCases(suite.cases, text, named)))
  return { ...suite, cases: suite.cases.filter((one) => chosen.has(one)) }
}

export function rebuildSuite(plan: Plan): Suite {
  const { format, path: file } = plan.suite
  return { format, path: file, skill_name: plan.skill.name, cases: plan.cases, warnings: plan.warnings }
}

/** The same for a suite as `check` sees it; drops mistakes of other cases. */
export function selectInspected(inspected: InspectedSuite, wanted: readonly string[]): InspectedSuite {
  const { suite, places, mistakes } = inspected
  const selected = selectCases(suite, wanted)
  const kept = new Set(selected.cases)
  const isKept = (index: number) => suite.cases[index] === undefined || kept.has(suite.cases[index])
  return {
    suite: selected,
    places: places.filter((_, index) => isKept(index)),
    mistakes: mistakes.filter((mistake) => isKept(indexOfCase(places, mistake))),
  }
}

/** The selected part of a suite; undefined: all of it. */
export function describeChosenCases(whole: Suite, { cases }: Suite): ChosenCases | undefined {
  if (cases.length === whole.cases.length) return undefined
  return { eval_ids: cases.map(({ eval_id }) => eval_id), of: whole.cases.length }
}

type NamedCase = Pick<SuiteCase, 'eval_id' | 'eval_key' | 'eval_name'>

/**
 * The cases with this id, key or name, or matched by this glob. Uses the first reading of the text that finds a case, so that an id
 * never selects a case by its name. `named`: the flag. Throws UserError as selectCases does.
 */
export function matchCases<T extends NamedCase>(cases: readonly T[], text: string, named: string): T[] {
  const fits = createNameMatcher(text)
  const readings: ((one: NamedCase) => boolean)[] = [
    (one) => String(one.eval_id) === text,
    (one) => one.eval_key === text,
    (one) => one.eval_name === text,
    (one) => listCaseNames(one).some(fits),
  ]
  const found = readings.map((reading) => cases.filter(reading)).find(({ length }) => length > 0)
  if (found !== undefined) return found
  throw new UserError(`${named} "${text}": no such case`, suggestCases(cases, text))
}

/** Names the nearest case, or all of them where several are near or the text is a number. */
function suggestCases(cases: readonly NamedCase[], text: string): string {
  if (/^\d+$/.test(text)) return `the cases are ${cases.map(({ eval_id }) => eval_id).join(', ')}`
  const near = nearNames(cases, text)
  if (near.length === 0 || (near.length > 1 && cases.length <= mostLabels))
    return `expected one of ${listCaseLabels(cases)}`
  return `did you mean ${near.map((name) => `"${name}"`).join(' or ')}?`
}

/** A long name also counts as near if one of its words is near. */
function nearNames(cases: readonly NamedCase[], text: string): string[] {
  const names = [...new Set(cases.flatMap(listCaseNames))]
  const near = findNearest(text, names)
  if (near.length > 0) return near
  const words = new Set(findNearest(text, [...new Set(names.flatMap(splitNameWords))]))
  return names.filter((name) => splitNameWords(name).some((word) => words.has(word))).slice(0, 3)
}

function splitNameWords(name: string): string[] {
  return name.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 2)
}

function listCaseNames(one: NamedCase): string[] {
  return [String(one.eval_id), one.eval_name, ...(one.eval_key === null ? [] : [one.eval_key])]
}

/** Names are not paths, so `*` also matches slashes and leading dots. */
function createNameMatcher(text: string): (name: string) => boolean {
  if (text === '') return () => false
  const matches = picomatch(text, { bash: true, dot: true })
  return (name) => matches(name)
}

const mostLabels = 8

function listCaseLabels(cases: readonly NamedCase[]): string {
  const names = cases.slice(0, mostLabels).map((one) => `${one.eval_id} (${one.eval_name})`)
  return names.join(', ') + (cases.length > mostLabels ? `, and ${cases.length - mostLabels} more` : '')
}
