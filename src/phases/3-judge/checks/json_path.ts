/** json_path: a JSONPath query (RFC 9535) finds something in a JSON output or in the answer, and its first match equals a value. */
import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import type { CheckOf } from '../../../../schemas/check.ts'
import { messageOf } from '../../../base/error.ts'
import { parseJson } from '../../../base/json.ts'
import { queryJson } from './bounded.ts'
import { capped } from './evidence.ts'
import { locate } from './locate.ts'
import type { CheckScene, CheckVerdict } from './scene.ts'

export async function jsonPath(check: CheckOf<'json_path'>, scene: CheckScene): Promise<CheckVerdict> {
  const source = await sourceOf(check, scene)
  if (source.status === 'undecided') return { error: source.error }
  if (source.status === 'missing') return { passed: false, evidence: source.evidence }
  const parsed = parse(source.text, source.label)
  if ('mistake' in parsed) return { passed: false, evidence: capped(parsed.mistake) }
  const end = await queryJson({ query: check.query, value: parsed.value }, scene.signal)
  if ('error' in end) return { error: `the query ${capped(check.query, 120)} could not be tried: ${end.error}` }
  const { matches, first, at } = end.value
  if (matches === 0) return { passed: false, evidence: `${check.query} finds nothing in ${source.label}` }
  const found = `${source.label}: ${at} is ${capped(JSON.stringify(first))}`
  if (check.equals === undefined) return { passed: true, evidence: found }
  if (isDeepStrictEqual(first, check.equals)) return { passed: true, evidence: found }
  return { passed: false, evidence: `${found}, not ${capped(JSON.stringify(check.equals))}` }
}

async function sourceOf(check: CheckOf<'json_path'>, scene: CheckScene) {
  if (check.path === undefined) {
    return { status: 'text', label: 'final answer', text: inFence(scene.finalResponse) } as const
  }
  const located = await locate(check.path, scene)
  if (located.status !== 'found') return located
  return { status: 'text', label: located.path, text: await readFile(located.file, 'utf8') } as const
}

function parse(text: string, label: string): { value: unknown } | { mistake: string } {
  try {
    return { value: parseJson(text, label) }
  } catch (error) {
    return { mistake: messageOf(error) }
  }
}

/** The content of the only code fence of an answer, or the answer as it is. */
function inFence(answer: string): string {
  const fences = [...answer.matchAll(/^```[a-zA-Z]*\r?\n([\s\S]*?)^```/gm)]
  return fences.length === 1 ? (fences[0]?.[1] ?? answer) : answer
}
