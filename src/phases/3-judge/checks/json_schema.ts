/** json_schema: the JSON in an output file or in the answer matches a JSON Schema. */
import * as z from 'zod'
import type { CheckOf } from '../../../../schemas/check.ts'
import { ajvModule, ajvOptions, listLinearPatterns } from '../../../base/json/json_schema.ts'
import { moduleFile, runBounded } from '../../../base/process/time_limited_worker.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'
import { parseSource, readSource } from './inputs/checked_text.ts'
import { capText, failUnreadable } from './inputs/evidence.ts'

/** The first mismatch and its place; null: valid. */
const mistake = z.object({ at: z.string(), message: z.string(), extra: z.string().optional() }).nullable()

/** Runs in a worker thread with a time limit, because a pattern that RE2 cannot run may never end on the agent's text. */
export async function decideJsonSchema(check: CheckOf<'json_schema'>, context: CheckContext): Promise<CheckVerdict> {
  const { schema } = check
  if (schema === undefined) return { error: `the schema ${check.file} could not be read` }
  const library = ajvModule(schema)
  if (library === null) return { error: 'the schema has an unknown dialect' }
  const source = await readSource(check.path, context)
  if ('verdict' in source) return source.verdict
  const parsed = parseSource(source)
  if ('mistake' in parsed) return { passed: false, evidence: capText(parsed.mistake) }
  const modules = { ajv: moduleFile(library), formats: moduleFile('ajv-formats'), re2: moduleFile('re2js') }
  const patterns = await listLinearPatterns(schema)
  const job = { kind: 'json_schema', ...modules, options: ajvOptions, patterns, schema, value: parsed.value } as const
  const end = await runBounded(job, mistake, context.signal)
  if ('error' in end) {
    const why = `the schema could not be evaluated: ${capText(end.error)}`
    const alone = await runBounded({ ...job, value: null }, mistake, context.signal)
    return 'error' in alone ? { error: why } : failUnreadable(`${source.label}: ${why}`)
  }
  const wrong = end.value
  if (wrong === null) return { passed: true, evidence: `${source.label} matches the schema` }
  const extra = wrong.extra === undefined ? '' : ` (${wrong.extra})`
  return { passed: false, evidence: capText(`${source.label}: ${wrong.at || '/'} ${wrong.message}${extra}`) }
}
