/** Criteria of other tools in the form that evals.json reads among its assertions. */
import { listEntries } from '../../base/fs/files.ts'
import type { OtherInput } from './other_suite.ts'
import type { OtherFields } from './read_fields.ts'

export type Item = Readonly<Record<string, unknown>>
type Criteria = (values: readonly string[], marks?: Item) => Item[]

/** A check for each value. `marks`: weight, text, … of each. */
function each(type: string, key: string, place: Item = {}): Criteria {
  return (values, marks = {}) => values.map((value) => ({ type, [key]: value, ...place, ...marks }))
}

/** One check for all values; none without any. */
function oneOf(type: string): Criteria {
  return (value, marks = {}) => (value.length === 0 ? [] : [{ type, value, ...output, ...marks }])
}

const output = { target: 'output' }

/** Checks of the agent's answer. */
export const answerHas = {
  texts: each('contains', 'value', output),
  textsInAnyCase: each('icontains', 'value', output),
  anyText: oneOf('contains-any'),
  anyTextInAnyCase: oneOf('icontains-any'),
  patterns: each('regex', 'pattern', output),
}

export const answerLacks = {
  texts: each('not-contains', 'value', output),
  textsInAnyCase: each('not-icontains', 'value', output),
  patterns: each('not-regex', 'pattern', output),
}

/** Checks of the texts or patterns in the file "path"; one without a path is refused. */
export function fileText(type: 'file_contains' | 'file_not_contains' | 'file_matches' | 'not_regex') {
  return (fields: OtherFields, marks: Item): Item[] => {
    const path = fields.text('path')
    const texts = fields.texts('value', 'substring', 'content', 'text', 'pattern')
    if (path === null) fields.notes.refuse(`${fields.at} has no "path"`)
    const key = type === 'file_matches' || type === 'not_regex' ? 'pattern' : 'value'
    return path === null ? [] : texts.map((text) => ({ ...marks, type, path, [key]: text }))
  }
}

export const filesExist = each('file_exists', 'path')
export const filesAbsent = each('file_absent', 'path')
export const toolsUsed = each('trajectory:tool-used', 'value')
export const toolsNotUsed = each('not-trajectory:tool-used', 'value')

/** Everything in a folder, at the top of the working folder. `folder`: relative to `base`. */
export function folderContents(base: string, folder: string, at: string): OtherInput[] {
  const root = folder === '.' ? base : `${base}/${folder}`
  return listEntries(root)
    .filter(({ name }) => name !== '.git' && name !== '.DS_Store')
    .map(({ name }) => ({ from: folder === '.' ? name : `${folder}/${name}`, to: name, at }))
}

/** Seconds of "120s", "2m", "1h" or a number; null: another form. */
export function parseSeconds(value: unknown): number | null {
  if (typeof value === 'number') return value > 0 && Number.isFinite(value) ? value : null
  const [, count, unit = 's'] = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h)?\s*$/.exec(String(value)) ?? []
  const factor = { ms: 0.001, s: 1, m: 60, h: 3600 }[unit]
  const seconds = Number(count) * (factor ?? Number.NaN)
  return seconds > 0 ? seconds : null
}
