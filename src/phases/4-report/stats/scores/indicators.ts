/** Indicators: statements that only the arm with the skill can pass by construction. They show that it was used, not that it helps. */
import type { StatisticsExpectation } from '../../../../../schemas/benchmark_statistics.ts'
import type { GradedExpectation } from '../../../../../schemas/grading.ts'

type Indicator = StatisticsExpectation['indicator']

const skill = String.raw`\bthe (?:[\w-]+ )?skill(?:'s|\u2019s)?(?![-\w])`
const usePhrase = String.raw`\b(?:reads?|opens?|opened|loads?|loaded|consult(?:s|ed)?|invokes?|invoked|activates?|activated|triggers?|triggered|uses?|used|follows?|followed|applies|applied)\b`
const runPhrase = String.raw`\b(?:runs?|ran|uses?|used|executes?|executed|calls?|called|invokes?|invoked)\b`
const script = String.raw`(?:\bscripts/[\w./-]+|\bthe (?:[\w-]+ )?skill(?:'s|\u2019s) (?:\w+ )?(?:script|helper|tool)s?\b)`

/** The first rule that matches gives the name. Rules read only the words, never the verdicts. */
const rules: readonly [NonNullable<Indicator>, RegExp][] = [
  [
    'skill_script',
    new RegExp(`${runPhrase}[^.]{0,60}?${script}|${script}[^.]{0,30}\\b(?:run|used|executed|called|invoked)\\b`, 'i'),
  ],
  [
    'skill_wording',
    new RegExp(
      `\\b(?:as|per|according to|wording|phras(?:e|ing)|template|checklist)\\b[^.]{0,40}?${skill}|\\bskill(?:'s|’s) (?:own )?(?:wording|template|checklist|phrase|format)`,
      'i',
    ),
  ],
  [
    'skill_read',
    new RegExp(
      `\\bSKILL\\.md\\b|${usePhrase}[^.]{0,40}?${skill}|${skill} (?:is|was|gets|got) (?:read|loaded|used|invoked|activated|triggered|followed|consulted)`,
      'i',
    ),
  ],
]

/** `byRule`: false if both arms have a skill, an older and a newer one. The author's mark always counts. */
export function classifyIndicator(
  { text, indicator }: Pick<GradedExpectation, 'text' | 'indicator'>,
  byRule: boolean,
): Indicator {
  if (indicator === true) return 'author'
  if (!byRule || indicator === false) return null
  return rules.find(([, pattern]) => pattern.test(text))?.[0] ?? null
}
