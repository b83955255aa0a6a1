/** Values in a tool call's input, as written: texts are templates, an object with one $operator is computed. */
import { z } from 'zod'
import { pattern } from './pattern.ts'
import { choose, didYouMean, isObject, strict } from './strict.ts'
import { type Template, template } from './template.ts'

/** Where an operator looks: a part of the conversation by name, or a template's text. */
export type Source = { kind: 'part'; name: SourceName } | { kind: 'text'; template: Template }
type SourceName = (typeof sourceNames)[number]

const sourceNames = ['results', 'last', 'lastResult', 'user', 'system'] as const

export interface Each<As> {
  in: Source
  match: RegExp
  as: As
}

/** What is looked for (all that a regex takes from a text), and where; `from`: only in results whose call holds this text. */
export interface Search {
  needles: RegExp
  of: Template
  in: Source
  from: Template | null
}

export type Value =
  | { kind: 'constant'; value: number | boolean | null }
  | { kind: 'text'; template: Template }
  | { kind: 'list'; items: readonly Value[] }
  | { kind: 'object'; fields: Readonly<Record<string, Value>> }
  | { kind: 'each'; each: Each<Value> }
  | { kind: 'found'; search: Search; ifNone: boolean }
  | { kind: 'line'; search: Search; as: Template | null; otherwise: Template | null }
  | { kind: 'number'; template: Template }

const source = choose((text): z.ZodType<Source> => {
  const name = sourceNames.find((one) => one === text)
  if (name !== undefined) return z.unknown().transform(() => ({ kind: 'part', name }))
  if (String(text).includes('{{')) return template.transform((filled) => ({ kind: 'text', template: filled }))
  return z.custom<Source>(() => false, `no such source: "${text}"${didYouMean(String(text), sourceNames)}`)
})

/** The spec of `$each`, whose `as` is read by the schema given. */
export function eachOf<A extends z.ZodType>(as: A) {
  return strict({ in: source, match: pattern, as })
}

const inResults: Source = { kind: 'part', name: 'results' }

const search = {
  needles: pattern,
  of: template,
  in: source.default(inResults),
  from: template.optional(),
}

const found = strict({ ...search, if_none: z.boolean().default(true) }).transform(
  ({ if_none: ifNone, from = null, ...rest }): Value => ({ kind: 'found', search: { ...rest, from }, ifNone }),
)

const line = strict({ ...search, as: template.optional(), otherwise: template.optional() }).transform(
  ({ as = null, otherwise = null, from = null, ...rest }): Value => {
    return { kind: 'line', search: { ...rest, from }, as, otherwise }
  },
)

/** A value as written in a scenario. */
export const value: z.ZodType<Value> = choose((given): z.ZodType<Value> => {
  if (typeof given === 'string') return template.transform((text) => ({ kind: 'text', template: text }))
  if (Array.isArray(given)) return z.array(z.lazy(() => value)).transform((items) => ({ kind: 'list', items }))
  if (!isObject(given)) {
    const constant = z.union([z.number(), z.boolean(), z.null()])
    return constant.transform((one) => ({ kind: 'constant', value: one }))
  }
  const name = Object.keys(given).find((key) => key.startsWith('$'))
  if (name !== undefined) return operator(name)
  return z
    .record(
      z.string(),
      z.lazy(() => value),
    )
    .transform((fields) => ({ kind: 'object', fields }))
})

const operators: Readonly<Record<string, () => z.ZodType<Value>>> = {
  $each: () => strict({ $each: eachOf(z.lazy(() => value)) }).transform(({ $each }) => ({ kind: 'each', each: $each })),
  $found: () => strict({ $found: found }).transform(({ $found }) => $found),
  $line: () => strict({ $line: line }).transform(({ $line }) => $line),
  $number: () => strict({ $number: template }).transform(({ $number }) => ({ kind: 'number', template: $number })),
}

function operator(name: string): z.ZodType<Value> {
  const known = operators[name]
  if (known) return known()
  return z.custom<Value>(() => false, `no such operator: "${name}"${didYouMean(name, Object.keys(operators))}`)
}
