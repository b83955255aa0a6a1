/** Converts a JSON Schema to what OpenAI's strict structured answers accept: closed objects, every property required. Pure. */
import { attempt } from '../../base/errors/attempt.ts'
import { isRecord } from '../../base/json/json_text.ts'

type Schema = Readonly<Record<string, unknown>>

/** Keywords that strict mode refuses, or that have no meaning in it. */
const droppedKeywords = new Set(['$schema', 'default', '$id', 'format', 'minLength', 'maxLength', 'propertyNames'])

/** The strict form; null if the schema has none, because an object's properties are open. */
export function toStrictSchema(schema: Schema): Schema | null {
  return attempt(
    () => strict(schema),
    null,
    (error) => error instanceof OpenObject,
  )
}

class OpenObject extends Error {}

function strict(schema: Schema): Schema {
  const kept = Object.entries(schema).filter(([name]) => !droppedKeywords.has(name))
  const mapped = Object.fromEntries(kept.map(([name, value]) => [name, strictInner(name, value)]))
  if (schema.type !== 'object') return mapped
  if (!isRecord(mapped.properties)) throw new OpenObject()
  return { ...mapped, required: Object.keys(mapped.properties), additionalProperties: false }
}

/** Below `properties` and `$defs`, any name may occur; the value of any other keyword is a schema, several, or a plain value. */
function strictInner(name: string, value: unknown): unknown {
  if (name === 'properties' || name === '$defs') {
    return isRecord(value) ? mapValues(value, (one) => (isRecord(one) ? strict(one) : one)) : value
  }
  if (name === 'enum' || name === 'const' || name === 'required') return value
  if (Array.isArray(value)) return value.map((one) => (isRecord(one) ? strict(one) : one))
  return isRecord(value) ? strict(value) : value
}

function mapValues(record: Schema, change: (value: unknown) => unknown): Schema {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
}
