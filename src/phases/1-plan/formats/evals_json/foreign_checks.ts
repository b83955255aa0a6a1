/** Reads checks that other tools write among the assertions, where the equivalent Whetstone check is certain. */
import { type Check, check } from '../../../../../schemas/check.ts'
import { findPlainMistakes } from '../check_mistakes.ts'
import { readNonEmptyText } from './fields.ts'
import { foreignReadings, type TakeParameter, unsupportedCheckTypes } from './foreign_readings.ts'

type Item = Readonly<Record<string, unknown>>

/** Keys that do not affect what is checked. */
const labels = new Set([
  ...[
    'type',
    'text',
    'description',
    'name',
    'id',
    'category',
    'tags',
    'note',
    'notes',
    'rationale',
    'reason',
    'indicator',
  ],
  ...['weight', 'severity', 'priority', 'required', 'critical', 'metric'],
])

/** Marks of other tools that are not read. */
const unreadMarks = ['required', 'critical']

export type ForeignCheck =
  | { kind: 'check'; check: Check; notRead: string[] }
  | { kind: 'uncertain'; why: string }
  /** A check of another harness; a judge may still decide its statement. */
  | { kind: 'unsupported'; why: string }
  /** Not a known type, so a statement like any other. */
  | { kind: 'statement' }

/** Interprets an object among the assertions by its `type`. */
export function readForeignCheck(item: Item): ForeignCheck {
  const type = readNonEmptyText(item.type)?.replaceAll('-', '_').toLowerCase() ?? ''
  const why = unsupportedCheckTypes.get(type)
  if (why !== undefined && Object.keys(item).some((key) => !labels.has(key))) return { kind: 'unsupported', why }
  const reading = foreignReadings.get(type)
  if (reading === undefined) return { kind: 'statement' }
  const taken = new Set<string>()
  const take: TakeParameter = (...names) => {
    const found = names.find((name) => item[name] !== undefined && item[name] !== null)
    if (found !== undefined) taken.add(found)
    return found === undefined ? undefined : item[found]
  }
  const read = reading(take)
  const odd = Object.keys(item).filter((key) => !labels.has(key) && !taken.has(key) && item[key] !== null)
  if (odd.length > 0) return { kind: 'uncertain', why: `it has ${odd.join(', ')}` }
  const text = readNonEmptyText(item.text) ?? readNonEmptyText(item.description) ?? readNonEmptyText(item.name)
  const own = {
    ...(text !== null && { text }),
    ...(item.indicator === true && { indicator: true }),
    ...(typeof item.weight === 'number' && { weight: item.weight }),
  }
  const ours = check.safeParse({ ...read, ...own })
  const mistakes = ours.success ? findPlainMistakes(ours.data) : []
  if (!ours.success || mistakes.length > 0) {
    return {
      kind: 'uncertain',
      why: taken.size === 0 ? 'its parameters are missing' : `unusable ${[...taken].join(', ')}`,
    }
  }
  return { kind: 'check', check: ours.data, notRead: unreadMarks.filter((name) => item[name] !== undefined) }
}
