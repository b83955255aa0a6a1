/** The table of other systems, in the order in which a document is held against them. */
import { UserError } from '../../../../base/errors/error.ts'
import { caseList } from './case_list.ts'
import type { OtherSystem } from './other_suite.ts'
import { promptfoo } from './promptfoo/promptfoo.ts'
import { scenarios } from './scenarios.ts'
import { skillUp } from './skill_up.ts'
import { skillgrade } from './skillgrade.ts'
import { vally } from './vally.ts'
import { waza } from './waza.ts'

const systems: readonly OtherSystem[] = [skillUp, vally, scenarios, skillgrade, waza, promptfoo, caseList]

/** The system whose signs the document has; null: none. */
export function findSystem(document: unknown): OtherSystem | null {
  return systems.find(({ signs }) => signs.every(({ holds }) => holds(document))) ?? null
}

/** Throws UserError with what was looked for, and the system that comes nearest. */
export function requireSystem(document: unknown, file: string): OtherSystem {
  const found = findSystem(document)
  if (found !== null) return found
  const looked = systems.map(({ title, signs }) => `${title} (${signs.map(({ words }) => words).join(', ')})`)
  const near = systems
    .map((system) => ({ system, held: system.signs.filter(({ holds }) => holds(document)) }))
    .sort((a, b) => b.held.length / b.system.signs.length - a.held.length / a.system.signs.length)
    .find(({ held }) => held.length > 0)
  const lacking = near?.system.signs.find(({ holds }) => !holds(document))
  const hint =
    near === undefined || lacking === undefined
      ? 'docs/reference/suites-of-others.md shows each'
      : `nearest is ${near.system.title}, which also has ${lacking.words}`
  throw new UserError(`${file}: a suite of no system that is known. Looked for: ${looked.join('; ')}`, hint)
}
