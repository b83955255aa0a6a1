/** Types and helpers of the rules of `check`: an id, a severity, one sentence for the docs, and a function that finds problems, such as of a case. */
import type { Problem, Severity } from '../../../../../schemas/check_report.ts'
import type { SuiteCase } from '../../../../../schemas/suite.ts'
import type { CasePlaceInFile } from '../../suite/inspected_suite.ts'
import type { SkillStep } from '../text/leaked_steps.ts'

/** How a rule is listed; docs/reference/check.md has the same facts. */
export interface RuleFacts {
  id: string
  severity: Severity
  /** `bench` refuses to start, because such a case could not count; --allow-invalid skips the case. */
  stops_bench?: true
  /** `eval` skips such a case without running it. */
  skips_eval?: true
  about: string
}

export interface LintFinding {
  message: string
  fix: string
  /** JSON path in the subject's file. */
  at?: string
  /** From 1. */
  line?: number
  /** Absolute; only if it differs from the subject's own file. */
  file?: string
  /** Id of the case; absent: it concerns the skill or suite as a whole. */
  eval_id?: number
}

export interface LintRule<Subject> extends RuleFacts {
  find: (subject: Subject) => LintFinding[]
}

/** Returns every finding in the order of the rules. `file`: the subject's own, absolute. */
export function applyRules<Subject>(rules: readonly LintRule<Subject>[], subject: Subject, file: string): Problem[] {
  return rules.flatMap((rule) => rule.find(subject).map((finding) => toProblem(rule, finding, file)))
}

export function toProblem({ id, severity, stops_bench }: RuleFacts, finding: LintFinding, file: string): Problem {
  return {
    rule: id,
    severity,
    file: finding.file ?? file,
    at: finding.at ?? null,
    line: finding.line ?? null,
    message: finding.message,
    fix: finding.fix,
    ...(finding.eval_id !== undefined && { eval_id: finding.eval_id }),
    ...(stops_bench && { stops_bench }),
  }
}

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
