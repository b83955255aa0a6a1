/** contains: a text stands in the answer, the outputs or the transcript. */
import type { CheckOf } from '../../../../schemas/check.ts'
import { capped, named, quoteAt } from './evidence.ts'
import type { CheckScene, CheckVerdict } from './scene.ts'
import { placesOf, type SearchText, searchTexts } from './search_texts.ts'

type TextCheck = CheckOf<'contains'> | CheckOf<'not_contains'>

export async function contains(check: CheckOf<'contains'>, scene: CheckScene): Promise<CheckVerdict> {
  return search(check, scene, true)
}

/** The place where the text stands, quoted; or that it stands nowhere. `wanted`: whether standing there passes. */
export async function search(check: TextCheck, scene: CheckScene, wanted: boolean): Promise<CheckVerdict> {
  const where = await searchTexts(check, scene)
  if (where.status === 'undecided') return { error: where.error }
  if (where.status === 'missing') return { passed: false, evidence: where.evidence }
  for (const one of where.texts) {
    const index = indexIn(one, check)
    if (index >= 0) return { passed: wanted, evidence: quoteAt(one.label, one.text, index) }
  }
  if (where.unseen.length > 0) return { error: `it may stand in what was not collected: ${named(where.unseen)}` }
  const start = where.texts.length === 1 ? `; it begins "${capped(where.texts[0]?.text ?? '', 120)}"` : ''
  return { passed: !wanted, evidence: `"${capped(check.value, 120)}" is not in ${placesOf(where.texts)}${start}` }
}

function indexIn({ text }: SearchText, { value, ignore_case }: TextCheck): number {
  if (!ignore_case) return text.indexOf(value)
  const index = text.toLowerCase().indexOf(value.toLowerCase())
  return Math.min(index, text.length) // lowering may lengthen a text by a letter or two
}
