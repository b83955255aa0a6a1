/** The subject of the rules for cases: a case and its place in the file. */
import type { SuiteCase } from '../../../../../schemas/suite.ts'
import type { CasePlaceInFile } from '../../suite/inspected_suite.ts'
import type { SkillStep } from '../text/leaked_steps.ts'
import type { LintFinding, LintRule, RuleFacts } from './rule.ts'

export interface CaseSubject {
  case: SuiteCase
  place: CasePlaceInFile
  skillName: string
  /** The skill's instructions; empty: no skill is known. */
  steps: readonly SkillStep[]
  /** Paths of the skill's files, as agents see them. */
  skillFiles: readonly string[]
  /** Whetstone's own fields have mistakes, so the criteria are not fully known. */
  isPartial: boolean
}

/** Builds a finding about a field of the case, or about the case itself (`field` null). The message names the case. */
export function buildCaseFinding(
  subject: Pick<CaseSubject, 'case' | 'place'>,
  field: string | null,
  words: { message: string; fix: string },
): LintFinding {
  const { file, at } = subject.place
  const { eval_id } = subject.case
  const place = at === null ? {} : { at: field === null ? at : `${at}.${field}` }
  return { ...place, file, eval_id, message: `${nameCase(subject.case)}: ${words.message}`, fix: words.fix }
}

interface CaseRule extends RuleFacts {
  /** null: the case itself. */
  field: string | null
  fix: string
  messages: (subject: CaseSubject) => readonly string[]
}

/** A rule whose findings differ in their message alone. */
export function buildCaseRule({ field, fix, messages, ...facts }: CaseRule): LintRule<CaseSubject> {
  const find = (subject: CaseSubject) =>
    messages(subject).map((message) => buildCaseFinding(subject, field, { message, fix }))
  return { ...facts, find }
}

/** The case by the number and the name that the suite gives it: one whose number is taken runs under another. */
export function nameCase({ eval_id, eval_key, eval_name }: SuiteCase): string {
  const isNumber = eval_key !== null && /^\d+$/.test(eval_key)
  return `case ${isNumber ? eval_key : eval_id} (${eval_name})`
}

/** What the user of a case says or may tell, each with a name of its place that ends a sentence. */
export function listUserTexts({ prompt, turns = [], user }: SuiteCase): { text: string; where: string }[] {
  return [
    { text: prompt, where: 'the prompt' },
    ...turns.map((turn, index) => ({ text: turn.prompt, where: `message ${index + 2} of the user` })),
    ...(user === undefined ? [] : [{ text: user.goal, where: 'the goal of the user' }]),
    ...(user?.facts ?? []).map((text, index) => ({ text, where: `fact ${index + 1} of the user` })),
  ]
}

/** Quotes a text for a message, on one line of at most 80 characters. */
export function quoteText(text: string): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim()
  return JSON.stringify(flat.length > 80 ? `${flat.slice(0, 79)}…` : flat)
}
