/**
 * Finds added text of a skill that makes an agent write for its grader. This is a first line of defence and not complete: it knows
 * English phrases, and prefers to miss one over refusing an honest edit. A second judge decides the certification.
 */
import { findAttempts } from '../../../base/text/injection_rules.ts'
import { readableVersions } from '../../../base/text/readable_text.ts'
import { addedText, allText, type SkillEdit } from '../skill_edit.ts'
import { judgeSentence } from './judge_gaming_rules.ts'

/** Why the edit is refused; null: no sentence of it games a judge. Text that the skill had before is allowed. */
export function findJudgeGaming(edit: SkillEdit): string | null {
  const mayGrade = aboutGrading.test(allText(edit.before))
  for (const version of readableVersions(addedText(edit))) {
    const counts = (rule: string) => rule === 'instruction' || (rule === 'verdict' && !mayGrade)
    for (const { rule, line } of findAttempts(version, counts)) {
      if (counts(rule)) return `it instructs a grader: ${quote(line)}`
    }
    for (const sentence of splitSentences(version.text)) {
      const kind = judgeSentence(sentence)
      if (kind !== null) return `it ${kind}: ${quote(sentence)}`
    }
  }
  return null
}

/** A quotation mark without its end joins no more than this. */
const longestQuotation = 400

/** A skill that grades writes verdicts. */
const aboutGrading =
  /\b(?:grad(?:e[sdr]?|ing)|graders|evals?|verdicts?|rubrics?|judges?|expectations?|quiz(?:zes)?|exams?)\b/i

/** Lines of one paragraph are joined, items of lists and rows of tables are not; what follows a colon belongs to its sentence. */
function splitSentences(text: string): string[] {
  const lines = text
    .replaceAll('\u2028', '\n')
    .replace(/:[ \t]*\n+/g, ': ')
    .replace(/(?<![.!?]["”')]?)\n(?!\s*(?:[-*+|#>]|\d+[.)]|\n))/g, ' ')
    .split(/\n+/)
  return lines.flatMap(splitLine).flatMap(cutSentence)
}

/** Pieces of at most 600 characters: the patterns take too long on longer ones, such as a script in a single line. */
function cutSentence(sentence: string): string[] {
  return sentence.length < 9 ? [] : (sentence.match(/[\s\S]{1,600}/g) ?? [])
}

/** Sentences of one quotation stay together. */
function splitLine(line: string): string[] {
  const found: string[] = []
  let open = ''
  for (const part of line.split(/(?<=[.!?]["”')]?)\s+(?=[A-Z"“'<([])/)) {
    open = open === '' ? part : `${open} ${part}`
    if ((open.match(/["“”]/g) ?? []).length % 2 === 1 && open.length < longestQuotation) continue
    found.push(open.trim())
    open = ''
  }
  return open === '' ? found : [...found, open.trim()]
}

function quote(text: string): string {
  return JSON.stringify(text.length > 160 ? `${text.slice(0, 160)}…` : text)
}
