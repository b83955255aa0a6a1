/** Rules for checks that say nothing, whatever the agent does. */
import type { Check, CheckOf } from '../../../../../schemas/check.ts'
import type { SuiteCase } from '../../../../../schemas/suite.ts'
import { findCommandScripts } from '../text/command_scripts.ts'
import type { LintRule } from './rule.ts'
import { buildCaseFinding, buildCaseRule, type CaseSubject, quoteText } from './rule.ts'

export const checkRules: readonly LintRule<CaseSubject>[] = [
  buildCaseRule({
    id: 'check-cannot-pass',
    severity: 'error',
    stops_bench: true,
    about: 'A `file_modified` check of a case without input files: there is no file to modify, so it cannot pass.',
    field: 'checks',
    fix: 'name the input in "files", or use file_exists',
    messages: ({ case: one }) =>
      one.checks.some((check) => check.type === 'file_modified') && startsEmpty(one)
        ? ['file_modified, and the case gives the agent no file to change']
        : [],
  }),
  {
    id: 'command-file-missing',
    severity: 'warning',
    about:
      "A `command` check starts a script that is not among the case's files, and that nothing asks the agent to write.",
    find: (subject) =>
      subject.case.checks
        .flatMap((check) => (check.type === 'command' ? findMissingScripts(check, subject.case) : []))
        .map((script) =>
          buildCaseFinding(subject, 'checks', {
            message: `the command starts ${quoteText(script)}, which is not copied into the working folder`,
            fix: describeScriptFix(subject.case, script),
          }),
        ),
  },
]

function startsEmpty({ files, git, setup, repo }: SuiteCase): boolean {
  return repo === undefined && files.length === 0 && setup === null && (git === null || git === true)
}

/** Scripts that the command starts and that neither the case nor the check brings. */
function findMissingScripts({ run, files = [] }: CheckOf<'command'>, one: SuiteCase): string[] {
  const placed = files.map((file) => (typeof file === 'string' ? file : file.to))
  return findCommandScripts(run).filter(
    (script) =>
      !isScriptThere(one, script) &&
      !placed.some((place) => `${script}/`.startsWith(`${place}/`)) &&
      one.cannot_run?.includes(`file of a check ${script}: `) !== true,
  )
}

/** Whether the script is given under that path, may be made by the start, or is asked of the agent. */
function isScriptThere(one: SuiteCase, script: string): boolean {
  const { files, git, setup, checks } = one
  if (setup !== null || one.repo !== undefined || (git !== null && git !== true)) return true
  const isGiven = files.some(({ path: given, kind }) =>
    kind === 'directory' ? `${script}/`.startsWith(`${given}/`) : given === script,
  )
  const name = readFileName(script)
  return (
    isGiven || checks.some((check) => namesOutput(check, name)) || listTexts(one).some((text) => text.includes(name))
  )
}

/** Input files keep their path below the skill's folder. */
function describeScriptFix({ files }: SuiteCase, script: string): string {
  const given = files.find((file) => readFileName(file.path) === readFileName(script))
  return given === undefined
    ? "put it into evals/ and add it to the check's files, which agents don't see"
    : `write its path there in the command: ${given.path}`
}

function readFileName(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1)
}

function namesOutput(check: Check, name: string): boolean {
  return 'path' in check && check.path?.endsWith(name) === true
}

/** What tells the agent or the judge of the outcome. */
function listTexts({ prompt, expected_output, expectations, reference, environment }: SuiteCase): string[] {
  return [
    prompt,
    expected_output ?? '',
    ...expectations.map(({ text }) => text),
    ...Object.keys(reference?.files ?? {}),
    ...Object.keys(environment?.texts ?? {}),
  ]
}

export function hasGainCriterion(one: SuiteCase): boolean {
  return countGainCriteria(one) > 0
}

/** The criteria of each case that can run, is not in quarantine, and has some that count towards the gain. */
export function listGainCriteria(cases: readonly SuiteCase[]): number[] {
  return cases.filter((one) => canCount(one) && hasGainCriterion(one)).map(countGainCriteria)
}

function canCount({ cannot_run, quarantine }: SuiteCase): boolean {
  return cannot_run === null && quarantine === undefined
}

function countGainCriteria({ expectations, checks }: SuiteCase): number {
  return expectations.filter((one) => one.indicator !== true).length + checks.filter((one) => !isIndicator(one)).length
}

/** Whether a check shows that the skill was used, rather than that it helps. */
export function isIndicator(check: Check): boolean {
  return check.indicator ?? (check.type === 'skill_read' || check.type === 'script_executed')
}
