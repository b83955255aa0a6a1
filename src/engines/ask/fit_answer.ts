/** Converts values that mean one thing only to the type that the answer's schema asks for, such as "1" and "true". */
import { parseTolerantText } from '../answers/tolerant_json.ts'

type Schema = Readonly<Record<string, unknown>>

/** 1 and 0 are not among them: they may be scores. */
const truths = new Set(['true', 'yes', 'pass', 'passed'])
const falsehoods = new Set(['false', 'no', 'fail', 'failed'])

/** The value with what could be converted; everything else stays as it is, for the check against the schema. */
export function fitAnswer(value: unknown, schema: Schema): unknown {
  if (Array.isArray(schema.anyOf)) return fitToAny(value, schema.anyOf.filter(isSchema))
  switch (schema.type) {
    case 'boolean':
      return typeof value === 'string' ? fitBoolean(value) : value
    case 'number':
    case 'integer':
      return typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value
    case 'array':
      return fitList(fitText(value), isSchema(schema.items) ? schema.items : {})
    case 'object':
      return fitObject(fitText(value), isSchema(schema.properties) ? schema.properties : {})
    default:
      return value
  }
}

/** null stays null; anything else is fitted if only one type is possible. */
function fitToAny(value: unknown, kinds: readonly Schema[]): unknown {
  const [only, second] = kinds.filter(({ type }) => type !== 'null')
  return value === null || only === undefined || second !== undefined ? value : fitAnswer(value, only)
}

function fitBoolean(text: string): unknown {
  const word = text.trim().toLowerCase()
  if (truths.has(word)) return true
  return falsehoods.has(word) ? false : text
}

/** A list or an object that was sent as text. */
function fitText(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const parsed = parseTolerantText(value)
  return 'value' in parsed ? parsed.value : value
}

function fitObject(value: unknown, properties: Schema): unknown {
  if (!isSchema(value)) return value
  const fitted = Object.entries(value).map(([name, inner]) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
    return [name, isSchema(schema) ? fitAnswer(inner, schema) : inner]
  })
  return Object.fromEntries(fitted)
}

/** Also an object by number, whose names are the numbers `n` of its entries. */
function fitList(value: unknown, items: Schema): unknown {
  const list = isSchema(value) ? toNumberedList(value, items) : value
  return Array.isArray(list) ? list.map((one) => fitAnswer(one, items)) : list
}

function toNumberedList(value: Schema, { properties }: Schema): unknown {
  const entries = Object.entries(value)
  const isNumbered = isSchema(properties) && 'n' in properties && entries.length > 0
  if (!isNumbered || !entries.every(([name, one]) => isNumber(name) && isSchema(one) && agrees(one.n, name)))
    return value
  return entries.map(([name, one]) => (isSchema(one) ? { ...one, n: Number(name) } : one))
}

function isNumber(name: string): boolean {
  return /^\d+$/.test(name)
}

function agrees(n: unknown, name: string): boolean {
  return n === undefined || String(n) === name
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
