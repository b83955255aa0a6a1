/** The rules for criteria that decide nothing: said twice, said in the prompt, or the answer given away. */
import type { Check, CheckOf } from '../../../../schemas/check.ts'
import { canonicalJson } from '../../../base/json.ts'
import { type CaseSubject, inCase, quoted } from './case_subject.ts'
import { givesAway } from './given_away.ts'
import type { Finding, Rule } from './rule.ts'
import { normalised, shareIn, stems, tokens } from './tokens.ts'

/** From this share of common words on, two texts count as saying the same. Over 2,450 criteria of public suites 9 reach it in the words of their prompt, all of them echoes of the task. */
const overlap = 0.8
/** Texts of fewer distinct words share them by chance. */
const leastWords = 5
const percent = `${overlap * 100} %`

export const criteriaRules: readonly Rule<CaseSubject>[] = [
  {
    id: 'criterion-twice',
    severity: 'warning',
    about:
      'A case has the same criterion twice (across expectations and checks; case, white space and the last full stop do not count).',
    find: twice,
  },
  {
    id: 'criterion-restates-prompt',
    severity: 'warning',
    about: `At least ${percent} of a criterion's words (of ${leastWords} or more) are in the prompt: an answer that only repeats the task may pass.`,
    find: (subject) => {
      const { prompt } = subject.case
      return statements(subject)
        .filter(({ text }) => restates(prompt, text))
        .map(({ text, field }) =>
          inCase(subject, field, {
            message: `${quoted(text)} restates the prompt`,
            fix: 'say what only a good outcome has',
          }),
        )
    },
  },
  {
    id: 'criterion-is-expected-output',
    severity: 'warning',
    about: `A criterion is the expected output, word for word or by ${percent} of the words of both (${leastWords} or more): the judge is shown the answer.`,
    find: (subject) =>
      statements(subject)
        .filter(({ text }) => same(text, subject.case.expected_output ?? ''))
        .map(({ text, field }) =>
          inCase(subject, field, {
            message: `${quoted(text)} is the expected output`,
            fix: 'split it into facts that can each pass or fail',
          }),
        ),
  },
  {
    id: 'answer-in-prompt',
    severity: 'warning',
    about: `The expected output or the reference answer is in the prompt: word for word (a short one if it is distinctive), or ${percent} of its words.`,
    find: (subject) => [
      ...answerIn(subject, 'expected_output', subject.case.expected_output),
      ...answerIn(subject, 'reference.answer', subject.case.reference?.answer ?? null),
    ],
  },
  {
    id: 'check-value-in-prompt',
    severity: 'warning',
    about: 'What a `contains` check looks for in the answer is in the prompt: an answer that repeats the task passes.',
    find: (subject) =>
      subject.case.checks
        .flatMap((check) => (check.type === 'contains' && isEcho(check, subject.case.prompt) ? [check.value] : []))
        .map((value) =>
          inCase(subject, 'checks', {
            message: `${quoted(value)}, which a check looks for, is in the prompt`,
            fix: 'look for what the agent has to find out',
          }),
        ),
  },
]

/** The author's own statements; a derived one is the expected output by nature. */
function statements({ case: one }: CaseSubject): { text: string; field: string }[] {
  return one.expectations
    .filter(({ derived, rubric }) => derived !== true && rubric === undefined)
    .map(({ text }) => ({ text, field: 'expectations' }))
}

function twice(subject: CaseSubject): Finding[] {
  const { expectations, checks } = subject.case
  const seen = new Set<string>()
  const all = [
    ...expectations.map(({ text }) => ({ keys: [normalised(text)], text, field: 'expectations' })),
    ...checks.map((check) => ({ keys: keysOf(check), text: wordsOf(check), field: 'checks' })),
  ]
  return all.flatMap(({ keys, text, field }) => {
    const isRepeat = keys.some((key) => seen.has(key))
    for (const key of keys) seen.add(key)
    return isRepeat
      ? [inCase(subject, field, { message: `${quoted(text)} is there twice`, fix: 'take one of them out' })]
      : []
  })
}

/** A check is the same by its parameters, or by its text. */
function keysOf(check: Check): string[] {
  const { text, indicator: _, ...parameters } = check
  return [canonicalJson(parameters), ...(text === undefined ? [] : [normalised(text)])]
}

function wordsOf(check: Check): string {
  const { text, type, ...parameters } = check
  return text ?? `${type} ${Object.values(parameters).join(' ')}`
}

function isEcho(check: CheckOf<'contains'>, prompt: string): boolean {
  if (check.path !== undefined || (check.target ?? 'answer') !== 'answer') return false
  return check.ignore_case === true
    ? prompt.toLowerCase().includes(check.value.toLowerCase())
    : prompt.includes(check.value)
}

function answerIn(subject: CaseSubject, field: string, answer: string | null): Finding[] {
  if (answer === null) return []
  const { prompt } = subject.case
  if (!givesAway(prompt, answer) && !covers(tokens(prompt), answer)) return []
  return [
    inCase(subject, field, { message: `${quoted(answer)} is in the prompt`, fix: 'ask for it without saying it' }),
  ]
}

/** Whether nearly all of its words are in the prompt, in whatever form; not where it says the contrary. */
function restates(prompt: string, text: string): boolean {
  const own = tokens(text)
  if (own.size < leastWords || (negation.test(text) && !negation.test(prompt))) return false
  return shareIn(stems(own), stems(tokens(prompt))) >= overlap
}

const negation =
  /\b(?:no|not|none|never|without|nothing|cannot|neither|nor|\w+n['’]t|(?:refus|declin|avoid|omit|reject|fail|skip|refrain)\w*|instead of|rather than)\b/i

/** Whether nearly all of its words are among these. */
function covers(words: ReadonlySet<string>, inner: string): boolean {
  const own = tokens(inner)
  return own.size >= leastWords && shareIn(own, words) >= overlap
}

function same(one: string, other: string): boolean {
  if (other !== '' && normalised(one) === normalised(other)) return true
  return covers(tokens(one), other) && covers(tokens(other), one)
}
