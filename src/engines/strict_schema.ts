/** A JSON Schema as OpenAI's strict structured answers take it: closed objects, every property required. Pure. */

type Schema = Readonly<Record<string, unknown>>

/** Keywords that strict mode refuses, or that mean nothing there. */
const dropped = new Set(['$schema', 'default', '$id', 'format', 'minLength', 'maxLength', 'propertyNames'])

/** The strict form; null where it has none: an object whose properties are open. */
export function strictSchema(schema: Schema): Schema | null {
  try {
    return strict(schema)
  } catch (error) {
    if (error instanceof OpenObject) return null
    throw error
  }
}

class OpenObject extends Error {}

function strict(schema: Schema): Schema {
  const kept = Object.entries(schema).filter(([name]) => !dropped.has(name))
  const mapped = Object.fromEntries(kept.map(([name, value]) => [name, inside(name, value)]))
  if (schema.type !== 'object') return mapped
  if (!isSchema(mapped.properties)) throw new OpenObject()
  return { ...mapped, required: Object.keys(mapped.properties), additionalProperties: false }
}

/** Names below `properties` and `$defs` are anybody's; below any other keyword stand schemas, or plain values. */
function inside(name: string, value: unknown): unknown {
  if (name === 'properties' || name === '$defs') {
    return isSchema(value) ? mapValues(value, (one) => (isSchema(one) ? strict(one) : one)) : value
  }
  if (name === 'enum' || name === 'const' || name === 'required') return value
  if (Array.isArray(value)) return value.map((one) => (isSchema(one) ? strict(one) : one))
  return isSchema(value) ? strict(value) : value
}

function mapValues(record: Schema, change: (value: unknown) => unknown): Schema {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
