/** Reads checks that other tools write among the assertions, where the equivalent Whetstone check is certain. */
import { type Check, check } from '../../../schemas/check.ts'
import { findPlainMistakes, patternMistake } from '../../phases/1-plan/formats/check_mistakes.ts'
import { readNonEmptyText } from '../../phases/1-plan/formats/evals_json/fields.ts'
import type { ForeignCheck, OtherAssertions } from '../../phases/1-plan/formats/evals_json/other_assertions.ts'
import { foreignReadings, type TakeParameter, unsupportedCheckTypes } from './foreign_readings.ts'
import { listsOfOtherTools, noText, takeForeignLists } from './text_lists.ts'
import { stateTrajectory, trajectoryReadings } from './trajectory_readings.ts'

type Item = Readonly<Record<string, unknown>>

/** Keys that do not affect what is checked. */
const labels = new Set(
  'type text description name id category tags note notes rationale reason indicator weight turn severity priority required critical metric'.split(
    ' ',
  ),
)

/** Interprets an object among the assertions by its `type`. `wantsFiles`: the case asks for files, not for the answer alone. */
function readForeignCheck(item: Item, wantsFiles: boolean): ForeignCheck {
  if (noText in item) return { kind: 'mistake', why: 'it is an object, not a text' }
  const type = readNonEmptyText(item.type)?.replaceAll('-', '_').toLowerCase() ?? ''
  if (item.negate === true || item.negated === true || /^(?:not|must_not|negated|forbidden)$/.test(type))
    return { kind: 'mistake', why: 'it is negated: say in its text what must not be so, and remove the negation' }
  const statement = stateTrajectory(type, item)
  const why = unsupportedCheckTypes.get(type)
  if (why !== undefined && Object.keys(item).some((key) => !labels.has(key))) {
    return { kind: 'unsupported', why, statement }
  }
  const reading = foreignReadings.get(type) ?? trajectoryReadings.get(type)
  if (reading === undefined) return { kind: 'statement' }
  const taken = new Set<string>()
  const take: TakeParameter = (...names) => {
    const found = names.find((name) => item[name] !== undefined && item[name] !== null)
    if (found !== undefined) taken.add(found)
    return found === undefined ? undefined : item[found]
  }
  const read = reading(take)
  const odd = Object.keys(item).filter((key) => !labels.has(key) && !taken.has(key) && item[key] !== null)
  if (odd.length > 0 && !Array.isArray(read)) return { kind: 'uncertain', why: `it has ${odd.join(', ')}`, statement }
  const drafts = Array.isArray(read) ? read : [read]
  const pattern = drafts.flatMap((draft) => (draft?.type === 'regex' ? (findPatternMistake(draft) ?? []) : []))
  if (pattern[0] !== undefined) return { kind: 'mistake', why: pattern[0] }
  const checks = drafts.flatMap((draft) => {
    const ours = check.safeParse({ ...draft, ...readLabels(item, drafts.length) })
    return ours.success && findPlainMistakes(ours.data).length === 0 ? [ours.data] : []
  })
  if (checks.length === 0 || checks.length < drafts.length) {
    return { kind: 'uncertain', why: statement === null ? describeUnusable(taken) : otherTools, statement }
  }
  const looksAnywhere = wantsFiles && !taken.has('target') && !type.startsWith('response')
  return {
    kind: 'checks',
    checks: looksAnywhere ? checks.map(lookInOutputsToo) : checks,
    notRead: [...['required', 'critical'].filter((name) => item[name] !== undefined), ...odd],
  }
}

export const otherAssertions: OtherAssertions = {
  lists: listsOfOtherTools,
  takeLists: takeForeignLists,
  readCheck: readForeignCheck,
}

/** Why it is not a JavaScript regular expression; null: it is one, or not a text. */
function findPatternMistake({ pattern, flags }: Readonly<Record<string, unknown>>): string | null {
  return typeof pattern === 'string' ? patternMistake(pattern, typeof flags === 'string' ? flags : '') : null
}

const otherTools = 'its tools may have other names here, or a parameter has no equivalent'

function describeUnusable(taken: ReadonlySet<string>): string {
  return taken.size === 0 ? 'its parameters are missing' : `unusable ${[...taken].join(', ')}`
}

/** Several checks of one item weigh as much as it does, together. */
function readLabels(item: Item, count: number): { text?: string; indicator?: true; weight?: number; turn?: number } {
  const text = readNonEmptyText(item.text) ?? readNonEmptyText(item.description) ?? readNonEmptyText(item.name)
  const weight = typeof item.weight === 'number' ? item.weight : 1
  return {
    ...(text !== null && count === 1 && { text }),
    ...(item.indicator === true && { indicator: true }),
    ...(typeof item.turn === 'number' && { turn: item.turn }),
    ...((typeof item.weight === 'number' || count > 1) && { weight: weight / count }),
  }
}

/** A check of a text without a place of its own. */
function lookInOutputsToo(one: Check): Check {
  switch (one.type) {
    case 'contains':
    case 'not_contains':
    case 'regex':
      return one.path === undefined && one.target === undefined ? { ...one, target: 'answer_or_outputs' } : one
    default:
      return one
  }
}
