/** Types and helpers of the rules of `check`: an id, a severity, one sentence for the docs, and a function that finds problems. */
import type { Problem, Severity } from '../../../../../schemas/check_report.ts'

/** How a rule is listed; docs/reference/check.md has the same facts. */
export interface RuleFacts {
  id: string
  severity: Severity
  /** `bench` refuses to start, because such a case could not count; --allow-invalid skips the case. */
  stops_bench?: true
  /** `eval` skips such a case without running it. */
  skips_eval?: true
  /** One sentence about what it finds. */
  about: string
}

/** One place where a rule is broken. */
export interface LintFinding {
  message: string
  /** What the user can do about it. */
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

/** A pure rule over subjects of one kind. */
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
