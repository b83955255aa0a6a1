/** equals: the final answer, or an output file, is this text, this number or this JSON. */
import { isDeepStrictEqual } from 'node:util'
import type { CheckOf } from '../../../../schemas/check.ts'
import { capped } from './evidence.ts'
import { isNear, numberIn } from './number.ts'
import type { CheckScene, CheckVerdict } from './scene.ts'
import { parseSource, readSource, type Source } from './source.ts'

export async function equals(check: CheckOf<'equals'>, scene: CheckScene): Promise<CheckVerdict> {
  const source = await readSource(check.path, scene)
  if ('verdict' in source) return source.verdict
  const { value } = check
  if (typeof value === 'string') return asText(source, value, check.ignore_case === true)
  if (typeof value === 'number') return asNumber(source, value, check.tolerance ?? 0)
  const parsed = parseSource(source)
  if ('mistake' in parsed) return { passed: false, evidence: capped(parsed.mistake) }
  const said = `${source.label}: ${capped(JSON.stringify(parsed.value))}`
  return isDeepStrictEqual(parsed.value, value)
    ? { passed: true, evidence: said }
    : { passed: false, evidence: `${said}, not ${capped(JSON.stringify(value))}` }
}

/** White space at both ends and the kind of line ends are no part of a text. */
function asText({ label, text }: Source, wanted: string, ignoreCase: boolean): CheckVerdict {
  const plain = (one: string) =>
    one
      .replace(/^\uFEFF/, '')
      .replaceAll('\r\n', '\n')
      .trim()
      .normalize('NFC')
  const [is, want] = [text, wanted].map((one) => (ignoreCase ? plain(one).toLowerCase() : plain(one)))
  const said = `${label}: "${capped(text.trim(), 200)}"`
  if (is === want) return { passed: true, evidence: said }
  return { passed: false, evidence: `${said}, not "${capped(wanted.trim(), 200)}"` }
}

function asNumber({ label, fenced }: Source, wanted: number, tolerance: number): CheckVerdict {
  const said = `${label}: "${capped(fenced.trim(), 200)}"`
  const number = numberIn(fenced)
  if (number === null) return { passed: false, evidence: `${said} is no number` }
  const off = tolerance === 0 ? '' : ` ± ${tolerance}`
  return isNear(number, wanted, tolerance)
    ? { passed: true, evidence: said }
    : { passed: false, evidence: `${said}, not ${wanted}${off}` }
}
