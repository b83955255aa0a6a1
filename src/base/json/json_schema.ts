/** Reads JSON Schema as suites write it: supported dialects, their modules, and the strictness. */
import { toLinearPattern } from '../text/linear_pattern.ts'

/** An unknown keyword or format is a mistake, not an annotation: the schema is refused. */
export const ajvOptions = {
  strictSchema: true,
  strictNumbers: true,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  allowUnionTypes: true,
  logger: false,
} as const

const modules = [
  [/^https?:\/\/json-schema\.org\/draft-07\/schema#?$/, 'ajv'],
  [/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, 'ajv/dist/2019.js'],
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, 'ajv/dist/2020.js'],
] as const

/** The module for this schema's dialect (2020-12 by default); null: not supported. */
export function ajvModule(schema: unknown): (typeof modules)[number][1] | null {
  const dialect = typeof schema === 'object' && schema !== null && '$schema' in schema ? schema.$schema : undefined
  if (dialect === undefined) return 'ajv/dist/2020.js'
  return modules.find(([form]) => form.test(String(dialect)))?.[1] ?? null
}

/** Why this is not a usable schema; null: it is one. */
export async function findSchemaMistake(schema: boolean | Record<string, unknown>): Promise<string | null> {
  const name = ajvModule(schema)
  if (name === null) return 'its $schema is unknown; expected one of 2020-12, 2019-09, draft-07'
  if (typeof schema === 'object' && '$async' in schema) return '$async is not supported'
  try {
    const [{ default: formats }, ajv] = await Promise.all([import('ajv-formats'), openAjv(name)])
    formats.default(ajv)
    ajv.compile(schema)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Loaded only when a suite has a schema: loading takes longer than the rest of the program. */
async function openAjv(name: (typeof modules)[number][1]) {
  switch (name) {
    case 'ajv':
      return new (await import('ajv')).Ajv(ajvOptions)
    case 'ajv/dist/2019.js':
      return new (await import('ajv/dist/2019.js')).Ajv2019(ajvOptions)
    case 'ajv/dist/2020.js':
      return new (await import('ajv/dist/2020.js')).Ajv2020(ajvOptions)
  }
}

/** The patterns of a schema that RE2 can run, each as RE2 reads it. */
export function listLinearPatterns(schema: unknown): Map<string, string> {
  const found = new Map<string, string>()
  const add = (source: string) => {
    const linear = toLinearPattern(source, 'u')
    if (linear !== null) found.set(source, linear.source)
  }
  const look = (one: unknown) => {
    if (typeof one !== 'object' || one === null) return
    if ('pattern' in one && typeof one.pattern === 'string') add(one.pattern)
    if ('patternProperties' in one && typeof one.patternProperties === 'object' && one.patternProperties !== null)
      Object.keys(one.patternProperties).forEach(add)
    Object.values(one).forEach(look)
  }
  look(schema)
  return found
}
