/** Values in a tool call's input, as written: texts are templates, an object with one $operator is computed. */
import * as z from 'zod'
import { isRecord } from '../../../base/json/json_text.ts'
import { patternSchema } from './pattern.ts'
import { choiceNote, chooseSchema, strictObject } from './strict_schema.ts'
import { type Template, templateSchema } from './template.ts'

/** Where an operator searches: a part of the conversation by name, or a template's text. */
export type ValueSource = { kind: 'part'; name: SourceName } | { kind: 'text'; template: Template }
type SourceName = (typeof sourceNames)[number]

const sourceNames = ['results', 'last', 'lastResult', 'user', 'system'] as const

export interface EachSpec<As> {
  in: ValueSource
  match: RegExp
  as: As
}

/** The needles (all matches of a regex in a text), and where to search; `from`: only in results whose call contains this text. */
export interface SearchSpec {
  needles: RegExp
  of: Template
  in: ValueSource
  from: Template | null
}

export type ScenarioValue =
  | { kind: 'constant'; value: number | boolean | null }
  | { kind: 'text'; template: Template }
  | { kind: 'list'; items: readonly ScenarioValue[] }
  | { kind: 'object'; fields: Readonly<Record<string, ScenarioValue>> }
  | { kind: 'each'; each: EachSpec<ScenarioValue> }
  | { kind: 'found'; search: SearchSpec; ifNone: boolean }
  | { kind: 'line'; search: SearchSpec; as: Template | null; otherwise: Template | null }
  | { kind: 'number'; template: Template }

const source = chooseSchema((text): z.ZodType<ValueSource> => {
  const name = sourceNames.find((one) => one === text)
  if (name !== undefined) return z.unknown().transform(() => ({ kind: 'part', name }))
  if (String(text).includes('{{')) return templateSchema.transform((filled) => ({ kind: 'text', template: filled }))
  return z.custom<ValueSource>(() => false, `no such source: "${text}"${choiceNote(String(text), sourceNames)}`)
})

/** The schema of `$each`, with `as` as the schema of its `as`. */
export function eachSchema<A extends z.ZodType>(as: A) {
  return strictObject({ in: source, match: patternSchema, as })
}

const resultsSource: ValueSource = { kind: 'part', name: 'results' }

const search = {
  needles: patternSchema,
  of: templateSchema,
  in: source.default(resultsSource),
  from: templateSchema.optional(),
}

const foundOperator = strictObject({ ...search, if_none: z.boolean().default(true) }).transform(
  ({ if_none: ifNone, from = null, ...rest }): ScenarioValue => ({ kind: 'found', search: { ...rest, from }, ifNone }),
)

const line = strictObject({ ...search, as: templateSchema.optional(), otherwise: templateSchema.optional() }).transform(
  ({ as = null, otherwise = null, from = null, ...rest }): ScenarioValue => {
    return { kind: 'line', search: { ...rest, from }, as, otherwise }
  },
)

export const valueSchema: z.ZodType<ScenarioValue> = chooseSchema((given): z.ZodType<ScenarioValue> => {
  if (typeof given === 'string') return templateSchema.transform((text) => ({ kind: 'text', template: text }))
  if (Array.isArray(given)) return z.array(z.lazy(() => valueSchema)).transform((items) => ({ kind: 'list', items }))
  if (!isRecord(given)) {
    const constant = z.union([z.number(), z.boolean(), z.null()])
    return constant.transform((one) => ({ kind: 'constant', value: one }))
  }
  const name = Object.keys(given).find((key) => key.startsWith('$'))
  if (name !== undefined) return operator(name)
  return z
    .record(
      z.string(),
      z.lazy(() => valueSchema),
    )
    .transform((fields) => ({ kind: 'object', fields }))
})

const operators: Readonly<Record<string, () => z.ZodType<ScenarioValue>>> = {
  $each: () =>
    strictObject({ $each: eachSchema(z.lazy(() => valueSchema)) }).transform(({ $each }) => ({
      kind: 'each',
      each: $each,
    })),
  $found: () => strictObject({ $found: foundOperator }).transform(({ $found }) => $found),
  $line: () => strictObject({ $line: line }).transform(({ $line }) => $line),
  $number: () =>
    strictObject({ $number: templateSchema }).transform(({ $number }) => ({ kind: 'number', template: $number })),
}

function operator(name: string): z.ZodType<ScenarioValue> {
  const known = operators[name]
  if (known) return known()
  return z.custom<ScenarioValue>(() => false, `no such operator: "${name}"${choiceNote(name, Object.keys(operators))}`)
}
