/** Criteria of other tools in the form that evals.json reads among its assertions. */
import { listEntries } from '../../../../base/fs/files.ts'
import type { OtherInput } from './other_suite.ts'

type Item = Readonly<Record<string, unknown>>

/** Checks of the agent's answer. `marks`: weight, text, … of each. */
export const answerHas = {
  texts: (all: readonly string[], marks: Item = {}) => all.map((value) => text('contains', value, marks)),
  textsInAnyCase: (all: readonly string[], marks: Item = {}) => all.map((value) => text('icontains', value, marks)),
  anyText: (all: readonly string[], marks: Item = {}) =>
    all.length === 0 ? [] : [{ type: 'contains-any', value: all, target: 'output', ...marks }],
  anyTextInAnyCase: (all: readonly string[], marks: Item = {}) =>
    all.length === 0 ? [] : [{ type: 'icontains-any', value: all, target: 'output', ...marks }],
  patterns: (all: readonly string[], marks: Item = {}) => all.map((pattern) => regex('regex', pattern, marks)),
}

export const answerLacks = {
  texts: (all: readonly string[], marks: Item = {}) => all.map((value) => text('not-contains', value, marks)),
  textsInAnyCase: (all: readonly string[], marks: Item = {}) => all.map((value) => text('not-icontains', value, marks)),
  patterns: (all: readonly string[], marks: Item = {}) => all.map((pattern) => regex('not-regex', pattern, marks)),
}

function text(type: string, value: string, marks: Item): Item {
  return { type, value, target: 'output', ...marks }
}

function regex(type: string, pattern: string, marks: Item): Item {
  return { type, pattern, target: 'output', ...marks }
}

export function filesExist(paths: readonly string[], marks: Item = {}): Item[] {
  return paths.map((path) => ({ type: 'file_exists', path, ...marks }))
}

export function filesAbsent(paths: readonly string[], marks: Item = {}): Item[] {
  return paths.map((path) => ({ type: 'file_absent', path, ...marks }))
}

export function toolsUsed(names: readonly string[], marks: Item = {}): Item[] {
  return names.map((value) => ({ type: 'trajectory:tool-used', value, ...marks }))
}

export function toolsNotUsed(names: readonly string[], marks: Item = {}): Item[] {
  return names.map((value) => ({ type: 'not-trajectory:tool-used', value, ...marks }))
}

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
