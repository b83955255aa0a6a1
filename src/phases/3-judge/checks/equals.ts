/** equals: the final answer, or an output file, equals this text, this number or this JSON. */
import { isDeepStrictEqual } from 'node:util'
import type { CheckOf } from '../../../../schemas/check.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'
import { type CheckSource, composeTexts, parseSource, readSource } from './inputs/checked_text.ts'
import { capText } from './inputs/evidence.ts'
import { isNear, parseNumber } from './inputs/number.ts'

export async function decideEquals(check: CheckOf<'equals'>, context: CheckContext): Promise<CheckVerdict> {
  const source = await readSource(check.path, context)
  if ('verdict' in source) return source.verdict
  const { value } = check
  if (typeof value === 'string') return asText(source, value, check.ignore_case === true)
  if (typeof value === 'number') return asNumber(source, value, check.tolerance ?? 0)
  const parsed = parseSource(source)
  if ('mistake' in parsed) return { passed: false, evidence: capText(parsed.mistake) }
  const said = `${source.label}: ${capText(JSON.stringify(parsed.value))}`
  return isDeepStrictEqual(composeTexts(parsed.value), composeTexts(value))
    ? { passed: true, evidence: said }
    : { passed: false, evidence: `${said}, not ${capText(JSON.stringify(value))}` }
}

/** Ignores white space at both ends and the kind of line ends. */
function asText({ label, text }: CheckSource, wanted: string, ignoreCase: boolean): CheckVerdict {
  const plain = (one: string) =>
    one
      .replace(/^\uFEFF/, '')
      .replaceAll('\r\n', '\n')
      .trim()
      .normalize('NFC')
  const [is, want] = [text, wanted].map((one) => (ignoreCase ? plain(one).toLowerCase() : plain(one)))
  const said = `${label}: "${capText(text.trim(), 200)}"`
  if (is === want) return { passed: true, evidence: said }
  return { passed: false, evidence: `${said}, not "${capText(wanted.trim(), 200)}"` }
}

function asNumber({ label, fenced }: CheckSource, wanted: number, tolerance: number): CheckVerdict {
  const said = `${label}: "${capText(fenced.trim(), 200)}"`
  const number = parseNumber(fenced)
  if (number === null) return { passed: false, evidence: `${said} is not a number` }
  const off = tolerance === 0 ? '' : ` ± ${tolerance}`
  return isNear(number, wanted, tolerance)
    ? { passed: true, evidence: said }
    : { passed: false, evidence: `${said}, not ${wanted}${off}` }
}
