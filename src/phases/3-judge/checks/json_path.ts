/** json_path: a JSONPath query (RFC 9535) finds something in a JSON output or in the answer, and its first match equals a value. */
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { CheckOf } from '../../../../schemas/check.ts'
import { bounded, moduleFile } from '../../../base/bounded.ts'
import { capped } from './evidence.ts'
import type { CheckScene, CheckVerdict } from './scene.ts'
import { parseSource, readSource } from './source.ts'

const found = z.object({ matches: z.number(), first: z.unknown(), at: z.string().optional() })

export async function jsonPath(check: CheckOf<'json_path'>, scene: CheckScene): Promise<CheckVerdict> {
  const source = await readSource(check.path, scene)
  if ('verdict' in source) return source.verdict
  const parsed = parseSource(source)
  if ('mistake' in parsed) return { passed: false, evidence: capped(parsed.mistake) }
  const job = { kind: 'json_path', library: moduleFile('json-p3'), query: check.query, value: parsed.value } as const
  const end = await bounded(job, found, scene.signal)
  if ('error' in end) return { error: `the query ${capped(check.query, 120)} could not be tried: ${end.error}` }
  const { matches, first, at } = end.value
  if (matches === 0) return { passed: false, evidence: `${check.query} finds nothing in ${source.label}` }
  const said = `${source.label}: ${at} is ${capped(JSON.stringify(first))}`
  if (check.equals === undefined) return { passed: true, evidence: said }
  if (isDeepStrictEqual(first, check.equals)) return { passed: true, evidence: said }
  return { passed: false, evidence: `${said}, not ${capped(JSON.stringify(check.equals))}` }
}
