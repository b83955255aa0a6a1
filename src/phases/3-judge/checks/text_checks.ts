/** Checks of texts: contains, not_contains, regex, equals. */
import { isDeepStrictEqual } from 'node:util'
import type { CheckOf } from '../../../../schemas/check.ts'
import { findPattern } from '../../../base/process/find_pattern.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'
import { type CheckSource, composeTexts, parseSource, readSource } from './inputs/checked_text.ts'
import { capText, quoteLine } from './inputs/evidence.ts'
import { isNear, parseNumber } from './inputs/range.ts'
import { decideUnseen, describeSearchPlaces, readSearchTexts, type SearchText } from './inputs/search_texts.ts'
import { describeUnfinished } from './results/search_limit.ts'

type TextCheck = CheckOf<'contains'> | CheckOf<'not_contains'>

/** A text occurs in the answer, the outputs or the transcript. */
export async function decideContains(check: CheckOf<'contains'>, context: CheckContext): Promise<CheckVerdict> {
  return decideTextSearch(check, context, true)
}

/** Quotes the line with the text, or says that it is missing. `wanted`: whether a match passes. */
async function decideTextSearch(check: TextCheck, context: CheckContext, wanted: boolean): Promise<CheckVerdict> {
  const where = await readSearchTexts(check, context)
  if (where.status === 'undecided') return where.verdict
  if (where.status === 'missing') return { passed: false, evidence: where.evidence }
  const value = check.value.normalize('NFC')
  for (const one of where.texts) {
    const index = findTextIndex(one, { value, ignore_case: check.ignore_case })
    if (index >= 0) return { passed: wanted, evidence: quoteLine(one.label, one.text, index) }
  }
  if (where.unseen !== null) return decideUnseen('the text may be in', where.unseen)
  const start = where.texts.length === 1 ? `; it begins "${capText(where.texts[0]?.text ?? '', 120)}"` : ''
  return {
    passed: !wanted,
    evidence: `"${capText(check.value, 120)}" is not in ${describeSearchPlaces(where.texts, where.binaries)}${start}`,
  }
}

function findTextIndex({ text }: SearchText, { value, ignore_case }: Pick<TextCheck, 'value' | 'ignore_case'>): number {
  if (!ignore_case) return text.indexOf(value)
  const index = text.toLowerCase().indexOf(value.toLowerCase())
  return Math.min(index, text.length) // lower case may be longer by a character or two
}

/**
 * A text does not occur in the answer, the outputs or the transcript.
 * Fails if the named file is missing, because there is nothing in which the text could be absent.
 */
export async function decideNotContains(check: CheckOf<'not_contains'>, context: CheckContext): Promise<CheckVerdict> {
  return decideTextSearch(check, context, false)
}

/** A JavaScript regular expression matches in the answer, the outputs or the transcript. */
export async function decideRegex(check: CheckOf<'regex'>, context: CheckContext): Promise<CheckVerdict> {
  const where = await readSearchTexts(check, context)
  if (where.status === 'undecided') return where.verdict
  if (where.status === 'missing') return { passed: false, evidence: where.evidence }
  const pattern = check.pattern.normalize('NFC')
  const texts = where.texts.map(({ text }) => text)
  const end = await findPattern({ pattern, flags: check.flags }, texts, context.signal)
  if ('error' in end) return describeUnfinished(`the pattern /${capText(check.pattern, 120)}/`, end)
  const found = where.texts[end.value.index]
  const isAbsent = check.absent === true
  if (found) return { passed: !isAbsent, evidence: quoteLine(found.label, found.text, end.value.at) }
  if (where.unseen !== null) return decideUnseen('the pattern may match in', where.unseen)
  return {
    passed: isAbsent,
    evidence: `/${capText(check.pattern, 120)}/ matches nothing in ${describeSearchPlaces(where.texts, where.binaries)}`,
  }
}

/** The final answer, or an output file, equals this text, this number or this JSON. */
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
