/** Turns the loader's warnings into problems, except where another rule reports the same thing better. */
import type { Problem } from '../../../../../schemas/check_report.ts'
import type { LoadWarning } from '../../../../../schemas/suite.ts'
import { type RuleFacts, toProblem } from './rule.ts'

interface LoaderRule extends RuleFacts {
  form: RegExp
  fix: string
}

/** The first entry that matches the warning applies. */
const table: readonly LoaderRule[] = [
  {
    id: 'absolute-path',
    severity: 'warning',
    about: 'An input file is named by an absolute path: the suite will not work on another machine.',
    form: /^an absolute path/,
    fix: "copy the file into the skill's evals/ and name it relative to the skill's folder",
  },
  {
    id: 'skill-md-as-input',
    severity: 'warning',
    about: "The skill's own SKILL.md is among a case's input files: both configurations see it.",
    form: /^the skill's own SKILL\.md/,
    fix: 'name only the files that the task is about',
  },
  {
    id: 'unreviewed-draft',
    severity: 'warning',
    about: 'A model wrote a case, and it is not reviewed yet: its criteria may be wrong and its files invented.',
    form: /^a draft that is not reviewed/,
    fix: 'read it, fix or remove it, and delete "review": "draft"',
  },
  {
    id: 'case-quarantined',
    severity: 'warning',
    about: 'A case is in quarantine: it runs and is reported, but counts in no number and no gate.',
    form: /^a quarantined case/,
    fix: 'make it reliable, and delete "quarantine"',
  },
  {
    id: 'not-read',
    severity: 'warning',
    about:
      'A field or a value that the loader does not read: unknown, there twice, not UTF-8, or of an unknown version.',
    form: /not read|it is skipped|it is left out|never run|field occurs twice|the file is not UTF-8|^"schema_version" /,
    fix: 'docs/reference/formats.md lists what is read',
  },
  {
    id: 'forgiven',
    severity: 'info',
    about: 'A form that is not documented, but understood; the message says how it is read.',
    form: /./,
    fix: 'write it as docs/reference/formats.md shows',
  },
]

const foundByRules =
  /^id .* is already taken|^"prompt" of a case is not read|^no criteria(;| and no expected_out(put|come))/

export const loaderRules: readonly RuleFacts[] = table

export function loaderProblems(warnings: readonly LoadWarning[]): Problem[] {
  return warnings.flatMap(({ file, at, message }) => {
    if (foundByRules.test(message)) return []
    const rule = table.find(({ form }) => form.test(message))
    return rule === undefined ? [] : [toProblem(rule, { at, message, fix: rule.fix }, file)]
  })
}
