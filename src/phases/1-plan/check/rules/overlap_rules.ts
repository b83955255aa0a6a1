/** Rules about several skills, which `check --overlap` compares. */
import type { DescriptionOverlap } from '../../../../../schemas/overlap.ts'
import type { LintFinding, RuleFacts } from './rule.ts'

export const overlapRules = {
  sameName: {
    id: 'skill-name-twice',
    severity: 'error',
    about: '`--overlap`: two skills have the same name; an agent gets only one of them.',
  },
  descriptions: {
    id: 'descriptions-overlap',
    severity: 'warning',
    about:
      '`--overlap`: the descriptions of two skills share many rare words, or a trigger phrase, and neither says when to use the other.',
  },
} satisfies Record<string, RuleFacts>

/** For the first of both skills. */
export function describeOverlap(overlap: DescriptionOverlap): LintFinding {
  return {
    message: `its description is close to that of ${overlap.b}: ${formatOverlap(overlap)}`,
    fix: `say in both when to use which ("not for …: use ${overlap.b}"); whetstone triggers --all measures who takes whose queries`,
    at: 'description',
  }
}

/** "similarity 0.42; both say pdf, form; both have "fill in"". */
export function formatOverlap({ similarity, words, phrases }: DescriptionOverlap): string {
  return [
    `similarity ${similarity.toFixed(2)}`,
    ...(words.length === 0 ? [] : [`both say ${words.join(', ')}`]),
    ...(phrases.length === 0 ? [] : [`both have the phrase ${phrases.map((one) => `"${one}"`).join(', ')}`]),
  ].join('; ')
}
