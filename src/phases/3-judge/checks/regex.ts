/** regex: a JavaScript regular expression matches in the answer, the outputs or the transcript. */
import type { CheckOf } from '../../../../schemas/check.ts'
import { findPattern } from '../../../base/bounded.ts'
import { capped, named, quoteAt } from './evidence.ts'
import type { CheckScene, CheckVerdict } from './scene.ts'
import { placesOf, searchTexts } from './search_texts.ts'

export async function regex(check: CheckOf<'regex'>, scene: CheckScene): Promise<CheckVerdict> {
  const where = await searchTexts(check, scene)
  if (where.status === 'undecided') return { error: where.error }
  if (where.status === 'missing') return { passed: false, evidence: where.evidence }
  const texts = where.texts.map(({ text }) => text)
  const end = await findPattern({ pattern: check.pattern, flags: check.flags ?? '', texts }, scene.signal)
  if ('error' in end) return { error: `the pattern /${capped(check.pattern, 120)}/ could not be tried: ${end.error}` }
  const found = where.texts[end.value.index]
  if (found) return { passed: true, evidence: quoteAt(found.label, found.text, end.value.at) }
  if (where.unseen.length > 0) return { error: `it may match in what was not collected: ${named(where.unseen)}` }
  return { passed: false, evidence: `/${capped(check.pattern, 120)}/ matches nothing in ${placesOf(where.texts)}` }
}
