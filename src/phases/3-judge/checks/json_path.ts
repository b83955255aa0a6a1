/** json_path: a JSONPath query (RFC 9535) has a match in a JSON output or in the answer, and the first match equals a value. */
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import type { CheckOf } from '../../../../schemas/check.ts'
import { moduleFile, runBounded } from '../../../base/process/time_limited_worker.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'
import { composeTexts, parseSource, readSource } from './inputs/checked_text.ts'
import { capText } from './inputs/evidence.ts'
import { describeUnfinished } from './results/search_limit.ts'

const found = z.object({ matches: z.number(), first: z.unknown(), at: z.string().optional() })

export async function decideJsonPath(check: CheckOf<'json_path'>, context: CheckContext): Promise<CheckVerdict> {
  const source = await readSource(check.path, context)
  if ('verdict' in source) return source.verdict
  const parsed = parseSource(source)
  if ('mistake' in parsed) return { passed: false, evidence: capText(parsed.mistake) }
  const job = {
    kind: 'json_path',
    library: moduleFile('json-p3'),
    query: check.query.normalize('NFC'),
    value: parsed.value,
  } as const
  const end = await runBounded(job, found, context.signal)
  if ('error' in end) return describeUnfinished(`the query ${capText(check.query, 120)}`, end)
  const { matches, first, at } = end.value
  if (matches === 0) return { passed: false, evidence: `${check.query} finds nothing in ${source.label}` }
  const said = `${source.label}: ${at} is ${capText(JSON.stringify(first))}`
  if (check.equals === undefined) return { passed: true, evidence: said }
  if (isDeepStrictEqual(composeTexts(first), composeTexts(check.equals))) return { passed: true, evidence: said }
  return { passed: false, evidence: `${said}, not ${capText(JSON.stringify(check.equals))}` }
}
