/** The rules for checks that say nothing, whatever the agent does. */
import type { Check } from '../../../../schemas/check.ts'
import type { SuiteCase } from '../../../../schemas/suite.ts'
import { type CaseSubject, inCase } from './case_subject.ts'
import type { Rule } from './rule.ts'

export const checkRules: readonly Rule<CaseSubject>[] = [
  {
    id: 'check-cannot-pass',
    severity: 'error',
    about: 'A `file_modified` check of a case that gives the agent no file: there is none that it could change.',
    find: (subject) =>
      subject.case.checks.some((check) => check.type === 'file_modified') && startsEmpty(subject.case)
        ? [
            inCase(subject, 'checks', {
              message: 'file_modified, and the case gives the agent no file to change',
              fix: 'name the input in "files", or use file_exists',
            }),
          ]
        : [],
  },
  {
    id: 'criteria-only-indicators',
    severity: 'warning',
    about: 'All criteria of a case are indicators: they are left out of the gain, so the case says nothing about it.',
    find: (subject) => {
      const { expectations, checks } = subject.case
      if (subject.isPartial || expectations.length + checks.length === 0 || counts(subject.case)) return []
      const words = { message: 'all of its criteria are indicators', fix: 'add one that both arms can meet' }
      return [inCase(subject, null, words)]
    },
  },
]

function startsEmpty({ files, git, setup }: SuiteCase): boolean {
  return files.length === 0 && setup === null && (git === null || git === true)
}

/** Whether a case has a criterion that enters the gain. */
export function counts({ expectations, checks }: SuiteCase): boolean {
  return expectations.some((one) => one.indicator !== true) || !checks.every(isIndicator)
}

/** What says that the skill was used, not that it helps. */
export function isIndicator(check: Check): boolean {
  return check.type === 'skill_read' || check.type === 'script_executed' || check.indicator === true
}
