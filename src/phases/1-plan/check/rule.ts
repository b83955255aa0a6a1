/** What a rule of `check` is: an id, how bad it is, one sentence for the docs, and a function that finds it. */
import type { Problem, Severity } from '../../../../schemas/check_report.ts'

/** How a rule is listed; docs/check.md holds the same. */
export interface RuleFacts {
  id: string
  severity: Severity
  /** One sentence: what it finds. */
  about: string
}

/** One place where a rule is broken. */
export interface Finding {
  message: string
  /** What to do about it. */
  fix: string
  /** JSON path in the subject's file. */
  at?: string
  /** From 1. */
  line?: number
  /** Absolute; where it is not the subject's own. */
  file?: string
}

/** A rule over subjects of one kind; pure. */
export interface Rule<Subject> extends RuleFacts {
  find: (subject: Subject) => Finding[]
}

/** Every finding of every rule, in the rules' order. `file`: the subject's own, absolute. */
export function apply<Subject>(rules: readonly Rule<Subject>[], subject: Subject, file: string): Problem[] {
  return rules.flatMap((rule) => rule.find(subject).map((finding) => problemOf(rule, finding, file)))
}

export function problemOf({ id, severity }: RuleFacts, finding: Finding, file: string): Problem {
  return {
    rule: id,
    severity,
    file: finding.file ?? file,
    at: finding.at ?? null,
    line: finding.line ?? null,
    message: finding.message,
    fix: finding.fix,
  }
}
