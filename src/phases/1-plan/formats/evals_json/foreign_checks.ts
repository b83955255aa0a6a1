/** Checks as other tools write them among the assertions, where it is certain which of ours they mean. */
import { type Check, check } from '../../../../../schemas/check.ts'
import { plainMistakes } from '../check_mistakes.ts'
import { textIn } from './fields.ts'
import { readings, type Take, unsupported } from './foreign_readings.ts'

type Item = Readonly<Record<string, unknown>>

/** Keys that say nothing about what is checked. */
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

/** How much a criterion counts elsewhere; here each counts as one. */
const weights = ['weight', 'required', 'critical']

export type ForeignCheck =
  | { kind: 'check'; check: Check; notRead: string[] }
  | { kind: 'uncertain'; why: string }
  /** A check of another harness; a judge may still decide what it states. */
  | { kind: 'unsupported'; why: string }
  /** No type of a known shape: a statement like any other. */
  | { kind: 'statement' }

/** What an object among the assertions means, judged by its `type`. */
export function readForeignCheck(item: Item): ForeignCheck {
  const type = textIn(item.type)?.replaceAll('-', '_').toLowerCase() ?? ''
  const why = unsupported.get(type)
  if (why !== undefined && Object.keys(item).some((key) => !labels.has(key))) return { kind: 'unsupported', why }
  const reading = readings.get(type)
  if (reading === undefined) return { kind: 'statement' }
  const taken = new Set<string>()
  const take: Take = (...names) => {
    const found = names.find((name) => item[name] !== undefined && item[name] !== null)
    if (found !== undefined) taken.add(found)
    return found === undefined ? undefined : item[found]
  }
  const read = reading(take)
  const odd = Object.keys(item).filter((key) => !labels.has(key) && !taken.has(key) && item[key] !== null)
  if (odd.length > 0) return { kind: 'uncertain', why: `it has ${odd.join(', ')}` }
  const text = textIn(item.text) ?? textIn(item.description) ?? textIn(item.name)
  const own = { ...(text !== null && { text }), ...(item.indicator === true && { indicator: true }) }
  const ours = check.safeParse({ ...read, ...own })
  const mistakes = ours.success ? plainMistakes(ours.data) : []
  if (!ours.success || mistakes.length > 0) {
    return {
      kind: 'uncertain',
      why: taken.size === 0 ? 'its parameters are missing' : `unusable ${[...taken].join(', ')}`,
    }
  }
  return { kind: 'check', check: ours.data, notRead: weights.filter((name) => item[name] !== undefined) }
}
