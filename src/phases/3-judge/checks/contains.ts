/** contains: a text occurs in the answer, the outputs or the transcript. */
import type { CheckOf } from '../../../../schemas/check.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'
import { capText, quoteLine } from './inputs/evidence.ts'
import { decideUnseen, describeSearchPlaces, readSearchTexts, type SearchText } from './inputs/search_texts.ts'

type TextCheck = CheckOf<'contains'> | CheckOf<'not_contains'>

export async function decideContains(check: CheckOf<'contains'>, context: CheckContext): Promise<CheckVerdict> {
  return decideTextSearch(check, context, true)
}

/** Quotes the line with the text, or says that it is missing. `wanted`: whether a match passes. */
export async function decideTextSearch(
  check: TextCheck,
  context: CheckContext,
  wanted: boolean,
): Promise<CheckVerdict> {
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
