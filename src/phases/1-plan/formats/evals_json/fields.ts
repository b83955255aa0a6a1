/** The fields of a JSON object, taken by any of their names; what nobody took is left to warn about. */
import { nearest } from '../../../../base/nearest.ts'
import type { Warn } from '../../warnings.ts'

export interface Taken {
  /** The key as the file writes it. */
  key: string
  value: unknown
  /** JSON path. */
  at: string
}

export interface Fields {
  at: string
  /** The first of these names that the object has with a fitting value; null counts as absent. `expectedOutput` and `expected-output` are `expected_output`. */
  take(names: readonly string[], fits?: (value: unknown) => boolean): Taken | null
  /** Those not taken yet. */
  rest(): Taken[]
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Text with something in it, trimmed; else null. */
export function textIn(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}

export function openFields(object: Record<string, unknown>, at: string): Fields {
  const left = new Map<string, Taken>()
  for (const [key, value] of Object.entries(object)) {
    if (value !== null) left.set(key, { key, value, at: `${at}${keyPath(key)}` })
  }
  return {
    at,
    take(names, fits = () => true) {
      for (const name of names) {
        const spelt = [...left.values()].filter(({ key, value }) => snakeCase(key) === name && fits(value))
        const found = spelt.find(({ key }) => key === name) ?? spelt[0]
        if (found === undefined) continue
        left.delete(found.key)
        return found
      }
      return null
    },
    rest: () => [...left.values()],
  }
}

/** The text, trimmed, of the first of these names that has some. */
export function takeText(fields: Fields, names: readonly string[]): string | null {
  return textIn(fields.take(names, isText)?.value)
}

export function isText(value: unknown): value is string {
  return textIn(value) !== null
}

/** Warns where a field was taken by another name than the first. */
export function warnAlias(taken: Taken | null, names: readonly string[], warn: Warn): void {
  if (taken !== null && taken.key !== names[0]) warn(taken.at, `"${taken.key}" is read as "${names[0]}"`)
}

/** What nobody took, as it is written; what stands in its own field `metadata` is among it. */
export function notedIn(fields: Fields): Record<string, unknown> {
  const { metadata, ...others } = Object.fromEntries(fields.rest().map(({ key, value }) => [key, value]))
  return { ...(isObject(metadata) ? metadata : metadata !== undefined && { metadata }), ...others }
}

/** Warns about what nobody took, once for each name; harmless names carry nothing that shapes a run or a verdict. */
export function warnRest(fields: Fields, { what, warn, known = [] }: RestOf): void {
  for (const { key, at } of fields.rest()) {
    if (harmless.has(snakeCase(key))) continue
    const [meant] = nearest(snakeCase(key), known, 1)
    const isOther = meant !== undefined && meant !== snakeCase(key)
    warn(at, `"${key}" of ${what} is not read${isOther ? `; did you mean "${meant}"?` : ''}`)
  }
}

interface RestOf {
  what: string
  warn: Warn
  /** Names one of which a mistyped one may have meant. */
  known?: readonly string[]
}

const harmless = new Set([
  ...[
    '$schema',
    'schema',
    'schema_version',
    'version',
    'metadata',
    'meta',
    'author',
    'owner',
    'created_at',
    'updated_at',
  ],
  ...[
    'id',
    'name',
    'title',
    'description',
    'summary',
    'purpose',
    'rationale',
    'reason',
    'why',
    'note',
    'notes',
    'comment',
  ],
  ...[
    'comments',
    'tags',
    'labels',
    'category',
    'categories',
    'kind',
    'type',
    'difficulty',
    'priority',
    'severity',
    'level',
  ],
])

function snakeCase(key: string): string {
  return key
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[-\s]+/g, '_')
    .toLowerCase()
}

function keyPath(key: string): string {
  return /^[\w$]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
}
