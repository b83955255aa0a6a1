/** Rules for what keeps a case from running or from being graded. */
import path from 'node:path'
import type { SuiteCase } from '../../../../../schemas/suite.ts'
import { runWord } from '../text/command_words.ts'
import { findLeakedSteps } from '../text/leaked_steps.ts'
import type { LintFinding, LintRule } from './rule.ts'
import { buildCaseFinding, buildCaseRule, type CaseSubject, listUserTexts, quoteText } from './rule.ts'

const stops = { severity: 'error', stops_bench: true, skips_eval: true } as const

export const caseRules: readonly LintRule<CaseSubject>[] = [
  {
    id: 'prompt-empty',
    ...stops,
    about: 'A case has no prompt.',
    find: (subject) => (lacksPrompt(subject) ? [buildCaseFinding(subject, 'prompt', promptWords(subject))] : []),
  },
  {
    id: 'input-missing',
    ...stops,
    about: 'An input file, a git bundle or a file of a check is not there.',
    find: (subject) => cannotRun(subject, 'missing'),
  },
  {
    id: 'input-escapes',
    ...stops,
    about:
      "An input file, a scaffold, or a file of the reference, leads out of the skill's folder or the working folder.",
    find: (subject) => [...cannotRun(subject, 'escapes'), ...escapingReference(subject)],
  },
  {
    id: 'field-misspelt',
    ...stops,
    about: 'A field, section or event is not known, but close to a known one: its content would be ignored.',
    find: (subject) => cannotRun(subject, 'misspelt'),
  },
  {
    id: 'case-cannot-run',
    ...stops,
    about:
      'A case cannot run for another reason, which the message gives: such as a number in place of a criterion, or a `weight` that is not above 0.',
    find: (subject) => cannotRun(subject, 'other'),
  },
  buildCaseRule({
    id: 'criteria-missing',
    ...stops,
    about: 'A case has neither criteria nor an expected output: no run of it can be graded.',
    field: null,
    fix: 'add expectations or checks',
    messages: (subject) => (lacksCriteria(subject) ? ['no criteria'] : []),
  }),
  buildCaseRule({
    id: 'criteria-derived',
    severity: 'info',
    about: 'A case is judged by its expected output alone, as one criterion.',
    field: null,
    fix: 'write several expectations: each is decided with evidence of its own',
    messages: ({ isPartial, case: { expectations } }) =>
      !isPartial && expectations.some(({ derived }) => derived === true)
        ? ['one criterion is derived from the expected output']
        : [],
  }),
  buildCaseRule({
    id: 'prompt-names-skill',
    severity: 'info',
    about: 'A prompt names the skill: runs without the skill are asked for something that they do not have.',
    field: 'prompt',
    fix: 'ask as a user who does not know of it',
    messages: (subject) => (namesSkill(subject) ? [`names the skill ${subject.skillName}`] : []),
  }),
  buildCaseRule({
    id: 'prompt-states-skill',
    severity: 'warning',
    about:
      'A prompt states instructions of SKILL.md or names a file of the skill, or the user states some later: runs without the skill get them too, so the skill cannot help.',
    field: 'prompt',
    fix: 'ask for the result, and leave the way to the skill',
    messages: describeLeak,
  }),
]

/** Empty: the prompt gives nothing of the skill away. */
function describeLeak({ case: one, steps, skillFiles }: CaseSubject): string[] {
  for (const { text, where } of listUserTexts(one)) {
    const [first, ...others] = findLeakedSteps(text, steps)
    const more = others.length === 0 ? '' : ` and ${others.length} more`
    const place = where === 'the prompt' ? '' : `${where} `
    if (first !== undefined) return [`${place}states what SKILL.md says: ${quoteText(first.text)}${more}`]
  }
  const startsElsewhere = one.setup !== null || one.repo !== undefined || (one.git !== null && one.git !== true)
  const [file] = startsElsewhere ? [] : findNamedFiles(one.prompt, skillFiles, listGivenFiles(one))
  return file === undefined ? [] : [`names ${file}, a file of the skill`]
}

function listGivenFiles({ files, environment }: SuiteCase): string[] {
  return [...files.map(({ path: given }) => given), ...Object.keys(environment?.texts ?? {})]
}

/** A misspelt or unreadable field may contain criteria, so such a case is not reported. */
function lacksCriteria({ case: one, isPartial }: CaseSubject): boolean {
  const isUnread =
    /\(did you mean "|, not a statement|, not true or false|, not a number above 0|, not the number of a message/.test(
      one.cannot_run ?? '',
    )
  return !isPartial && !isUnread && one.expectations.length + one.checks.length === 0
}

/** A case that could not be read may have a prompt, so it is not reported. */
function lacksPrompt({ case: { prompt, cannot_run } }: CaseSubject): boolean {
  return (
    prompt.trim() === '' && (cannot_run === null || /it has no prompt|prompt is missing|has no Prompt/.test(cannot_run))
  )
}

/** The loader's reason names the value that replaces the prompt. */
function promptWords({ case: { cannot_run } }: CaseSubject): Pick<LintFinding, 'message' | 'fix'> {
  const [, instead] = /^it has no prompt: ([^;]*)/.exec(cannot_run ?? '') ?? []
  return instead === undefined
    ? { message: 'no prompt', fix: 'write what a user would ask' }
    : { message: `no prompt: ${instead}`, fix: 'write it as one text in "prompt", lines parted by \\n' }
}

type Reason = 'missing' | 'escapes' | 'misspelt' | 'other' | 'prompt'

const reasons: readonly { kind: Reason; form: RegExp }[] = [
  { kind: 'prompt', form: /^it has no prompt/ },
  { kind: 'misspelt', form: /\(did you mean "/ },
  { kind: 'missing', form: /: no such file/ },
  { kind: 'escapes', form: /leads out of (?:the skill folder|what holds evals\/)/ },
]

/** The field of a case that a reason is about, by its first words. */
const reasonFields: readonly (readonly [start: string, field: string])[] = [
  ['input file', 'files'],
  ['attached file', 'attach'],
  ['file of a check', 'checks'],
  ['git', 'git'],
  ['repo', 'repo'],
  ['"turn" holds', 'expectations'],
]

function cannotRun(subject: CaseSubject, kind: Reason): LintFinding[] {
  const all = subject.case.cannot_run?.split('; ') ?? []
  return all
    .filter((reason) => (reasons.find(({ form }) => form.test(reason))?.kind ?? 'other') === kind)
    .map((reason) => {
      const [, named = null] = /^"([^"]+)" (?:is not a known field|holds )/.exec(reason) ?? []
      const field = reasonFields.find(([start]) => reason.startsWith(start))?.[1] ?? named
      return buildCaseFinding(subject, field, { message: `cannot run: ${reason}`, fix: fixes[kind] })
    })
}

const fixes: Readonly<Record<Reason, string>> = {
  missing: "add the file; paths start at the skill's folder",
  escapes: "copy the file into the skill's evals/ and name it there",
  misspelt: 'fix the name, or remove the field',
  other: 'correct it, or remove the case',
  prompt: 'write what a user would ask',
}

function escapingReference(subject: CaseSubject): LintFinding[] {
  return Object.keys(subject.case.reference?.files ?? {})
    .filter((name) => path.posix.isAbsolute(name) || /^\.\.(\/|$)/.test(path.posix.normalize(name)))
    .map((name) =>
      buildCaseFinding(subject, 'reference.files', {
        message: `${quoteText(name)} leads out of the working folder`,
        fix: 'name a relative path',
      }),
    )
}

/** A name that is one plain word ("pdf", "sums") may occur in any prompt, so it needs more context. */
function namesSkill({ case: one, skillName }: CaseSubject): boolean {
  const prompt = one.prompt.toLowerCase()
  const name = skillName.toLowerCase()
  const isPlain = !name.includes('-')
  return isPlain ? prompt.includes(`${name} skill`) || prompt.includes(`/${name}`) : prompt.includes(name)
}

/** A file in a folder that the specification gives to skills. */
const isOwnFile = /^(?:scripts|references?|assets|templates)\/.*\w\.\w+$/
const isScript = /^scripts\/.*\.(?:py|[cm]?[jt]s|sh|bash|rb|pl|php|R|ps1)$/

/** `files`: of the skill, as agents see them. `inputs`: paths that the case itself gives the agent. */
function findNamedFiles(prompt: string, files: readonly string[], inputs: readonly string[]): string[] {
  const words = prompt.split(/[\s"'`()<>[\],;]+/).map((word) => word.replaceAll(/^\.\/|[.:!?]+$/g, ''))
  const isRun = (name: string) => words.some((word, at) => word === name && isRunBefore(words.slice(0, at)))
  const given = new Set(inputs.map((input) => path.posix.basename(input)))
  return files
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => isOwnFile.test(file) && !given.has(path.posix.basename(file)))
    .filter((file) => words.includes(file) || (isScript.test(file) && isRun(path.posix.basename(file))))
}

/** Whether the words end in "run", "use the script" and the like: a script without its folder may be the user's own. */
function isRunBefore(words: readonly string[]): boolean {
  const verb = words.findLast((word) => !/^(?:the|script|tool|its|skill|python3?|node|bash|sh)$/i.test(word))
  return verb !== undefined && runWord.test(verb)
}
