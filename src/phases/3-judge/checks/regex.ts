/** regex: a JavaScript regular expression matches in the answer, the outputs or the transcript. */
import type { CheckOf } from '../../../../schemas/check.ts'
import { findPattern } from '../../../base/process/find_pattern.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'
import { capText, quoteLine } from './inputs/evidence.ts'
import { decideUnseen, describeSearchPlaces, readSearchTexts } from './inputs/search_texts.ts'
import { describeUnfinished } from './results/search_limit.ts'

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
