/** json_schema: the JSON in an output file or in the answer fits a JSON Schema. */
import { z } from 'zod'
import type { CheckOf } from '../../../../schemas/check.ts'
import { bounded, moduleFile } from '../../../base/bounded.ts'
import { ajvModule, ajvOptions } from '../../../base/json_schema.ts'
import { capped } from './evidence.ts'
import type { CheckScene, CheckVerdict } from './scene.ts'
import { parseSource, readSource } from './source.ts'

/** Where the first thing stands that does not fit; null: all fits. */
const mistake = z.object({ at: z.string(), message: z.string(), extra: z.string().optional() }).nullable()

/** In a thread of its own: a pattern of the author's may never end on a text of the agent's. */
export async function jsonSchema(check: CheckOf<'json_schema'>, scene: CheckScene): Promise<CheckVerdict> {
  const { schema } = check
  if (schema === undefined) return { error: `the schema ${check.file} was not read` }
  const library = ajvModule(schema)
  if (library === null) return { error: 'the schema is of a dialect that is not known' }
  const source = await readSource(check.path, scene)
  if ('verdict' in source) return source.verdict
  const parsed = parseSource(source)
  if ('mistake' in parsed) return { passed: false, evidence: capped(parsed.mistake) }
  const [ajv, formats] = [moduleFile(library), moduleFile('ajv-formats')]
  const job = { kind: 'json_schema', ajv, formats, options: ajvOptions, schema, value: parsed.value } as const
  const end = await bounded(job, mistake, scene.signal)
  if ('error' in end) return { error: `the schema could not be tried: ${capped(end.error)}` }
  const wrong = end.value
  if (wrong === null) return { passed: true, evidence: `${source.label} fits the schema` }
  const extra = wrong.extra === undefined ? '' : ` (${wrong.extra})`
  return { passed: false, evidence: capped(`${source.label}: ${wrong.at || '/'} ${wrong.message}${extra}`) }
}
