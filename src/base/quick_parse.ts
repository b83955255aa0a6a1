/** Parsing with a zod schema in a fraction of the time, where the value surely fits; what is in doubt is zod's to decide and to explain. */
import type * as core from 'zod/v4/core'

/** Gives what zod's parse would, or `unsure`. */
type Quick = (value: unknown) => unknown

/** The value may be unfit, or fit in a way that only zod knows. */
export const unsure = Symbol('unsure')

const quicks = new WeakMap<core.$ZodType, Quick>()

/**
 * What zod's parse gives, keys in the schema's order too: the value itself where that changes nothing. `unsure` for every value
 * that it refuses, and for some that it takes.
 */
export function quickParse(schema: core.$ZodType, value: unknown): unknown {
  let quick = quicks.get(schema)
  if (quick === undefined) {
    quick = quickOf(schema as core.$ZodTypes)
    quicks.set(schema, quick)
  }
  return quick(value)
}

/** Made when a first value comes to it: of a large schema most parts are never seen. */
function later(schema: core.$ZodType): Quick {
  let quick: Quick = (value) => {
    quick = quickOf(schema as core.$ZodTypes)
    return quick(value)
  }
  return (value) => quick(value)
}

function quickOf(schema: core.$ZodTypes): Quick {
  const { def } = schema._zod
  if (!hasChecks(schema)) {
    if (def.type === 'array') return quickArray(later(def.element))
    if (def.type === 'nullable') return quickNullable(later(def.innerType))
    if (def.type === 'object' && isOpen(def) !== null) return quickObject(def) ?? byZod(schema)
    if (def.type === 'record' && isAnyText(def.keyType)) return quickRecord(later(def.valueType))
    if (def.type === 'union' && 'discriminator' in def) return quickUnion(def as core.$ZodDiscriminatedUnionDef)
  }
  return quickPlain(schema) ?? byZod(schema)
}

/** A plain value, which stays as it is. Null: it is none, or the test can't be made. */
function quickPlain(schema: core.$ZodTypes): Quick | null {
  const known: unknown[] = []
  const fits = testOf(schema, 'value', (value) => `known[${known.push(value) - 1}]`)
  return fits === null ? null : made(`return (value) => ${fits} ? value : unsure`, known)
}

/** The function that a text of our own makes. Null: a host may forbid to make code of text. */
function made(body: string, known: readonly unknown[]): Quick | null {
  try {
    return new Function('known', 'unsure', body)(known, unsure)
  } catch {
    return null
  }
}

/** Whether keys that it does not name are kept; null: they are checked. */
function isOpen({ catchall }: core.$ZodObjectDef): boolean | null {
  if (catchall === undefined) return false
  return catchall._zod.def.type === 'unknown' ? true : null
}

function hasChecks({ _zod: { def, traits } }: core.$ZodType): boolean {
  return traits.has('$ZodCheck') || (def.checks?.length ?? 0) > 0
}

/** A part of which only zod knows what it takes. */
function byZod(schema: core.$ZodType): Quick {
  return (value) => {
    const result = schema._zod.run({ value, issues: [] }, { async: false })
    return result instanceof Promise || result.issues.length > 0 ? unsure : result.value
  }
}

function quickNullable(inner: Quick): Quick {
  return (value) => (value === null ? null : inner(value))
}

function quickArray(element: Quick): Quick {
  return (value) => {
    if (!Array.isArray(value)) return unsure
    let changed: unknown[] | null = null
    for (let at = 0; at < value.length; at += 1) {
      const given: unknown = value[at]
      const item = element(given)
      if (item === unsure) return unsure
      if (item !== given) changed ??= value.slice(0, at)
      changed?.push(item)
    }
    return changed ?? value
  }
}

function isAnyText(schema: core.$ZodType): boolean {
  const { def } = (schema as core.$ZodTypes)._zod
  return def.type === 'string' && !hasChecks(schema) && !('coerce' in def && def.coerce)
}

/** Under any names; a value as JSON gives it. */
function quickRecord(inner: Quick): Quick {
  return (value) => {
    if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return unsure
    let changed: Record<string, unknown> | null = null
    for (const key of Reflect.ownKeys(value)) {
      if (typeof key === 'symbol' || key === '__proto__' || key === 'constructor') return unsure
      const given: unknown = Reflect.get(value, key)
      const item = inner(given)
      if (item === unsure) return unsure
      if (item === given) continue
      changed ??= { ...value }
      changed[key] = item
    }
    return changed ?? value
  }
}

/** The option that the discriminator names. */
function quickUnion({ options, discriminator }: core.$ZodDiscriminatedUnionDef): Quick {
  const byValue = new Map<unknown, Quick>()
  for (const option of options as readonly core.$ZodType[]) {
    const quick = later(option)
    for (const value of option._zod.propValues?.[discriminator] ?? []) byValue.set(value, quick)
  }
  return (value) => {
    if (typeof value !== 'object' || value === null) return unsure
    const quick = byValue.get(Reflect.get(value, discriminator))
    return quick === undefined ? unsure : quick(value)
  }
}

/**
 * A function made for this shape, as zod makes them too: a loop over fields takes as long as zod. Keys that the schema does
 * not name are left out, or kept after the others where it takes any. Null: it can't be made.
 */
function quickObject(def: core.$ZodObjectDef): Quick | null {
  const { shape } = def
  const known: unknown[] = []
  const know = (value: unknown) => `known[${known.push(value) - 1}]`
  const order = Object.keys(shape)
  const fields = Object.entries(shape).map(([key, schema], at) => fieldOf({ key, name: `f${at}`, schema, know }))
  const named = know(new Set([...order, '__proto__']))
  const body = `return (value) => {
if (typeof value !== 'object' || value === null || Array.isArray(value)) return unsure
let isSame = Object.getPrototypeOf(value) === Object.prototype
${fields.map(({ test }) => test).join('\n')}
if (isSame) {
  const order = ${know(order)}
  let at = 0
  for (const key in value) {
    while (at < ${order.length} && order[at] !== key) at += 1
    if (at === ${order.length} && ${isOpen(def) ? `${named}.has(key)` : 'true'}) { isSame = false; break }
  }
  if (isSame) return value
}
const parsed = {}
${fields.map(({ put }) => put).join('\n')}
${isOpen(def) ? `for (const key in value) if (!${named}.has(key)) parsed[key] = value[key]` : ''}
return parsed
}`
  return made(body, known)
}

interface Field {
  key: string
  name: string
  schema: core.$ZodType
  know: (value: unknown) => string
}

/** Lines that look at a field, and that put it into the copy. What may be absent in another way than `optional` is in doubt where it is. */
function fieldOf({ key, name, schema, know }: Field): { test: string; put: string } {
  const { def } = (schema as core.$ZodTypes)._zod
  const isOptional = def.type === 'optional' && schema._zod.optin === 'optional' && !hasChecks(schema)
  const inner = isOptional ? def.innerType : schema
  const [text, fits] = [JSON.stringify(key), testOf(inner as core.$ZodTypes, name, know)]
  const part = `const p = ${know(later(inner))}(${name}); if (p === unsure) return unsure; if (p !== ${name}) { ${name} = p; isSame = false }`
  const look = fits === null ? part : `if (!(${fits})) return unsure`
  // there without a value: it stays so, unless what is inside knows better
  const isExact = schema._zod.traits.has('$ZodExactOptional')
  const isKept = isOptional && !isExact && (inner as core.$ZodTypes)._zod.optin !== 'optional'
  const absent = isKept ? '' : isOptional ? `if (${text} in value) return unsure` : 'return unsure'
  return {
    test: `let ${name} = value[${text}]; if (${name} === undefined) { ${absent} } else { ${look} }`,
    put: `if (${name} !== undefined${isKept ? ` || ${text} in value` : ''}) parsed[${text}] = ${name}`,
  }
}

/** An expression that says whether a plain value fits; null: it is no plain one, or has a check that is not known here. */
function testOf(schema: core.$ZodTypes, name: string, know: Field['know']): string | null {
  const { def } = schema._zod
  if ('coerce' in def && def.coerce) return null
  switch (def.type) {
    case 'string':
    case 'number': {
      const own = schema._zod.traits.has('$ZodCheck') ? [schema] : []
      const checks = ([...own, ...(def.checks ?? [])] as core.$ZodChecks[]).map((one) => checkOf(one, name, know))
      const kind = def.type === 'number' ? `Number.isFinite(${name})` : `typeof ${name} === 'string'`
      return checks.includes(null) ? null : [kind, ...checks].join(' && ')
    }
    case 'boolean':
      return hasChecks(schema) ? null : `typeof ${name} === 'boolean'`
    case 'unknown':
      return hasChecks(schema) ? null : 'true'
    case 'enum':
    case 'literal':
      return hasChecks(schema) ? null : `${know(schema._zod.values)}.has(${name})`
    case 'nullable': {
      const inner = hasChecks(schema) ? null : testOf(def.innerType as core.$ZodTypes, name, know)
      return inner && `(${name} === null || ${inner})`
    }
    default:
      return null
  }
}

function checkOf(check: core.$ZodChecks, name: string, know: Field['know']): string | null {
  const { def } = check._zod
  switch (def.check) {
    case 'greater_than':
      return `${name} ${def.inclusive ? '>=' : '>'} ${Number(def.value)}`
    case 'less_than':
      return `${name} ${def.inclusive ? '<=' : '<'} ${Number(def.value)}`
    case 'number_format':
      return def.format === 'safeint' ? `Number.isSafeInteger(${name})` : null
    case 'min_length':
      return def.minimum === 1 ? `${name}.length > 0` : null
    case 'string_format': {
      const isPattern =
        (def.format === 'regex' || def.format === 'datetime') &&
        def.pattern &&
        !def.pattern.global &&
        !def.pattern.sticky
      return isPattern ? `${know(def.pattern)}.test(${name})` : null
    }
    default:
      return null
  }
}
