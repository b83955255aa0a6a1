/** Rules for criteria that decide nothing: duplicates, restated prompts and revealed answers. */
import type { Check, CheckOf } from '../../../../../schemas/check.ts'
import { canonicalJson } from '../../../../base/json/json.ts'
import { isForbidden } from '../text/command_scripts.ts'
import { collectWords, measureWordCoverage, negation, normalizeStatement, stemWords } from '../text/word_sets.ts'
import type { LintFinding, LintRule } from './rule.ts'
import { buildCaseFinding, buildCaseRule, type CaseSubject, quoteText } from './rule.ts'

/** Share of common words at which two texts are the same. Of 2,450 public criteria, 9 share as much with the prompt: all are echoes. */
const overlap = 0.8
/** Shorter texts (in distinct words) share words by chance. */
const leastWords = 5
const percent = `${overlap * 100}%`

export const criteriaRules: readonly LintRule<CaseSubject>[] = [
  {
    id: 'criterion-twice',
    severity: 'warning',
    about:
      'A case has the same criterion twice (across expectations and checks; case, white space and the last full stop do not count).',
    find: findRepeatedCriteria,
  },
  buildCaseRule({
    id: 'criterion-restates-prompt',
    severity: 'warning',
    about: `At least ${percent} of a criterion's words (of ${leastWords} or more) are in the prompt: an answer that only repeats the task may pass.`,
    field: 'expectations',
    fix: 'say what only a good outcome has',
    messages: ({ case: { prompt, expectations } }) =>
      expectations
        .filter(({ text, derived, rubric }) => derived !== true && rubric === undefined && restates(prompt, text))
        .map(({ text }) => `${quoteText(text)} restates the prompt`),
  }),
  buildCaseRule({
    id: 'check-value-in-prompt',
    severity: 'warning',
    about: 'What a `contains` check looks for in the answer is in the prompt: an answer that repeats the task passes.',
    field: 'checks',
    fix: 'look for what the agent has to find out',
    messages: ({ case: { checks, prompt } }) =>
      checks.flatMap((check) =>
        check.type === 'contains' && isEcho(check, prompt)
          ? [`${quoteText(check.value)}, which a check looks for, is in the prompt`]
          : [],
      ),
  }),
  buildCaseRule({
    id: 'check-forbids-instruction',
    severity: 'warning',
    about:
      'A `not_contains` check forbids in the answer what SKILL.md tells agents to say: only the skill can fail it.',
    field: 'checks',
    fix: 'take the check out, or correct the skill',
    messages: ({ case: { checks }, steps }) =>
      checks.flatMap((check) => {
        if (check.type !== 'not_contains' || !isOfAnswer(check)) return []
        const step = steps.find(({ text }) => asksFor(text, check.value))
        return step === undefined
          ? []
          : [`a check forbids ${quoteText(check.value)}, which the skill asks for: ${quoteText(step.text)}`]
      }),
  }),
]

const saying =
  /\b(?:say|write|answer|reply|respond|print|output|state|mention|include|use|add|sign|begin|start|end|finish|close)\b(?!.*\b(?:without|remove|delete|strip|drop|replace)\b)/

/** Whether an instruction has agents say this text: it follows such a word, and nothing forbids it. */
function asksFor(instruction: string, value: string): boolean {
  const words = value.trim().toLowerCase()
  const text = instruction.toLowerCase()
  const at = text.indexOf(words)
  if (words.length < 3 || at < 0 || /\w/.test(`${text[at - 1] ?? ''}${text[at + words.length] ?? ''}`)) return false
  return saying.test(text.slice(0, at)) && !isForbidden([text], 0, at)
}

function findRepeatedCriteria(subject: CaseSubject): LintFinding[] {
  const { expectations, checks } = subject.case
  const seen = new Set<string>()
  const all = [
    ...expectations.map(({ text }) => ({ keys: [normalizeStatement(text)], text, field: 'expectations' })),
    ...checks.map((check) => ({ keys: listCheckKeys(check), text: readCheckWords(check), field: 'checks' })),
  ]
  return all.flatMap(({ keys, text, field }) => {
    const isRepeat = keys.some((key) => seen.has(key))
    for (const key of keys) seen.add(key)
    const words = { message: `${quoteText(text)} is there twice`, fix: 'take one of them out' }
    return isRepeat ? [buildCaseFinding(subject, field, words)] : []
  })
}

/** Two checks are the same if their parameters or their texts are. */
function listCheckKeys(check: Check): string[] {
  const { text, indicator, weight, ...parameters } = check
  return [
    canonicalJson({ ...parameters, reward: undefined }),
    ...(text === undefined ? [] : [normalizeStatement(text)]),
  ]
}

function readCheckWords(check: Check): string {
  const { text, type, ...parameters } = check
  return text ?? `${type} ${Object.values(parameters).join(' ')}`
}

function isEcho(check: CheckOf<'contains'>, prompt: string): boolean {
  if (!isOfAnswer(check)) return false
  return check.ignore_case === true
    ? prompt.toLowerCase().includes(check.value.toLowerCase())
    : prompt.includes(check.value)
}

/** Whether nearly all words of a statement are in the prompt, in any form. A statement that negates the prompt does not count. */
function restates(prompt: string, text: string): boolean {
  const own = collectWords(text)
  if (own.size < leastWords || (negation.test(text) && !negation.test(prompt))) return false
  return measureWordCoverage(stemWords(own), stemWords(collectWords(prompt))) >= overlap
}

function isOfAnswer({ path, target = 'answer' }: CheckOf<'contains' | 'not_contains'>): boolean {
  return path === undefined && (target === 'answer' || target === 'answer_or_outputs')
}
