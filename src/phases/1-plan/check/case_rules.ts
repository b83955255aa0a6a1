/** The rules for what keeps a case from running or from being graded. */
import path from 'node:path'
import { type CaseSubject, inCase, quoted } from './case_subject.ts'
import type { Finding, Rule } from './rule.ts'

export const caseRules: readonly Rule<CaseSubject>[] = [
  {
    id: 'prompt-empty',
    severity: 'error',
    about: 'A case has no prompt.',
    find: (subject) => (subject.case.prompt.trim() === '' ? [inCase(subject, 'prompt', promptWords(subject))] : []),
  },
  {
    id: 'input-missing',
    severity: 'error',
    about: 'An input file or git bundle of a case is not there.',
    find: (subject) => cannotRun(subject, 'missing'),
  },
  {
    id: 'input-escapes',
    severity: 'error',
    about:
      "An input file, a scaffold, or a file of the reference, leads out of the skill's folder or the working folder.",
    find: (subject) => [...cannotRun(subject, 'escapes'), ...escapingReference(subject)],
  },
  {
    id: 'case-cannot-run',
    severity: 'error',
    about: 'A case cannot run for another reason, which is given.',
    find: (subject) => cannotRun(subject, 'other'),
  },
  {
    id: 'criteria-missing',
    severity: 'warning',
    about: 'A case has neither criteria nor an expected output: it runs ungraded, outside every rate.',
    find: (subject) =>
      !subject.isPartial && subject.case.expectations.length + subject.case.checks.length === 0
        ? [inCase(subject, null, { message: 'no criteria', fix: 'add expectations or checks' })]
        : [],
  },
  {
    id: 'criteria-derived',
    severity: 'info',
    about: 'A case is judged by its expected output alone, as one criterion.',
    find: (subject) =>
      !subject.isPartial && subject.case.expectations.some(({ derived }) => derived === true)
        ? [
            inCase(subject, null, {
              message: 'one criterion is derived from the expected output',
              fix: 'write several expectations: each is decided with evidence of its own',
            }),
          ]
        : [],
  },
  {
    id: 'prompt-names-skill',
    severity: 'info',
    about: 'A prompt names the skill: the arm without it is asked for what it does not have.',
    find: (subject) =>
      namesSkill(subject)
        ? [
            inCase(subject, 'prompt', {
              message: `names the skill ${subject.skillName}`,
              fix: 'ask as a user who does not know of it',
            }),
          ]
        : [],
  },
]

/** What stands there in another form is named by the loader. */
function promptWords({ case: { cannot_run } }: CaseSubject): Pick<Finding, 'message' | 'fix'> {
  const [, instead] = /^it has no prompt: ([^;]*)/.exec(cannot_run ?? '') ?? []
  return instead === undefined
    ? { message: 'no prompt', fix: 'write what a user would ask' }
    : { message: `no prompt: ${instead}`, fix: 'write it as one text in "prompt", lines parted by \\n' }
}

type Reason = 'missing' | 'escapes' | 'other' | 'prompt'

const reasons: readonly { kind: Reason; form: RegExp }[] = [
  { kind: 'prompt', form: /^it has no prompt/ },
  { kind: 'missing', form: /: no such file/ },
  { kind: 'escapes', form: /leads out of (?:the skill folder|what holds evals\/)/ },
]

function cannotRun(subject: CaseSubject, kind: Reason): Finding[] {
  const all = subject.case.cannot_run?.split('; ') ?? []
  return all
    .filter((reason) => (reasons.find(({ form }) => form.test(reason))?.kind ?? 'other') === kind)
    .map((reason) => {
      const field = /^input file/.test(reason) ? 'files' : /^git/.test(reason) ? 'git' : null
      return inCase(subject, field, { message: `cannot run: ${reason}`, fix: fixes[kind] })
    })
}

const fixes: Readonly<Record<Reason, string>> = {
  missing: "add the file; paths start at the skill's folder",
  escapes: "copy the file into the skill's evals/ and name it there",
  other: 'mend it, or take the case out',
  prompt: 'write what a user would ask',
}

function escapingReference(subject: CaseSubject): Finding[] {
  return Object.keys(subject.case.reference?.files ?? {})
    .filter((name) => path.posix.isAbsolute(name) || /^\.\.(\/|$)/.test(path.posix.normalize(name)))
    .map((name) =>
      inCase(subject, 'reference.files', {
        message: `${quoted(name)} leads out of the working folder`,
        fix: 'name a relative path',
      }),
    )
}

/** A name of one plain word ("pdf", "sums") is a word like any other. */
function namesSkill({ case: one, skillName }: CaseSubject): boolean {
  const prompt = one.prompt.toLowerCase()
  const name = skillName.toLowerCase()
  const isPlain = !name.includes('-')
  return isPlain ? prompt.includes(`${name} skill`) || prompt.includes(`/${name}`) : prompt.includes(name)
}
