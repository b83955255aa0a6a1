/** Checks as other tools write them among the assertions, where it is certain which of ours they mean. */
import { type Check, check } from '../../../../../schemas/check.ts'
import { patternMistake } from '../check_mistakes.ts'
import { textIn } from './fields.ts'

type Item = Readonly<Record<string, unknown>>
type Reading = { type: Check['type']; parameters: readonly string[]; read: (item: Item) => unknown }

const contains: Reading = {
  type: 'contains',
  parameters: ['value'],
  read: ({ value }) => ({ type: 'contains', value }),
}
const notContains: Reading = {
  type: 'not_contains',
  parameters: ['value'],
  read: ({ value }) => ({ type: 'not_contains', value }),
}

/** By the foreign `type`, hyphens as underscores. */
const readings = new Map<string, Reading>([
  ['contains', contains],
  ['output_contains', contains],
  ['not_contains', notContains],
  ['output_not_contains', notContains],
  ['output_does_not_contain', notContains],
  ['regex', { type: 'regex', parameters: ['pattern', 'value'], read: readRegex }],
  ['file_exists', { type: 'file_exists', parameters: ['path'], read: readFileExists }],
])

/** Keys that say nothing about what is checked. */
const labels = new Set(['type', 'text', 'description', 'name', 'id', 'category', 'tags', 'note', 'notes', 'rationale'])

export type ForeignCheck =
  | { kind: 'check'; check: Check }
  | { kind: 'uncertain'; why: string }
  /** No type of a known shape: a statement like any other. */
  | { kind: 'statement' }

/** What an object among the assertions means, judged by its `type`. */
export function readForeignCheck(item: Item): ForeignCheck {
  const type = textIn(item.type)?.replaceAll('-', '_').toLowerCase()
  const reading = type === undefined ? undefined : readings.get(type)
  if (reading === undefined) return { kind: 'statement' }
  const odd = Object.keys(item).filter((key) => !labels.has(key) && !reading.parameters.includes(key))
  if (odd.length > 0) return { kind: 'uncertain', why: `it has ${odd.join(', ')}` }
  const text = textIn(item.text) ?? textIn(item.description) ?? textIn(item.name)
  const ours = check.safeParse(withText(reading.read(item), text))
  if (ours.success) return { kind: 'check', check: ours.data }
  const given = reading.parameters.some((name) => item[name] !== undefined)
  return { kind: 'uncertain', why: `${given ? 'unusable' : 'no'} ${reading.parameters.join(' or ')}` }
}

function withText(value: unknown, text: string | null): unknown {
  return typeof value === 'object' && value !== null && text !== null ? { ...value, text } : value
}

/** `(?i)` at the start, as other languages write it, becomes a flag. */
function readRegex(item: Item): unknown {
  if (item.pattern !== undefined && item.value !== undefined) return null
  const source = textIn(item.pattern ?? item.value)
  if (source === null) return null
  const [, inline = '', pattern = ''] = /^(?:\(\?([ims]+)\))?([\s\S]*)$/.exec(source) ?? []
  const flags = [...new Set(inline)].join('')
  if (patternMistake(pattern, flags) !== null) return null
  return { type: 'regex', pattern, ...(flags === '' ? {} : { flags }) }
}

function readFileExists({ path }: Item): unknown {
  const text = textIn(path)
  const leaves = text === null || text.startsWith('/') || text.startsWith('~') || text.split(/[/\\]/).includes('..')
  return leaves ? null : { type: 'file_exists', path: text.replace(/^\.\//, '') }
}
