/** Detects plain claims of a statement about a file: "report.md contains `42`", "It writes a table to report.md". */

const negative =
  /\b(?:not|no|never|without|none|nothing|nobody|cannot|missing|absent|lacks?|nor|neither|except|instead)\b|n['\u2019]t\b/i
const conditional = /\b(?:if|whether|unless|either|or|would|could|rather than|other than)\b/i

const article = '(?:(?:the|a|an) )?'
const kind =
  '(?:(?:generated|created|written|new|output|final|resulting|json|csv|markdown|text) )*(?:(?:file|report|document|output|page|script) )?(?:(?:named|called|at) )?'
const content = '(?:contains?|has|have|includes?|holds?|lists?|shows?|states?|gives?|names|mentions?|reports?|says)'
const state =
  '(?:exists?|starts|begins|ends|defines?|uses?|parses|opens|loads|compiles|runs|with|(?:is|was|has been) (?:present|there|created|written|saved|produced|generated|made|valid|parseable|well-formed|non-empty|sorted|an?|in)\\b)'
const writingVerbs =
  '(?:creates?|created|writes?|wrote|saves?|saved|produces?|produced|generates?|generated|makes?|made|leaves?|left)'

/** Whether it claims that a file with one of these names exists, or something that implies it. */
export function claimsFile(statement: string, names: readonly string[]): boolean {
  const text = toPlainStatement(statement)
  if (negative.test(text) || conditional.test(text)) return false
  const name = joinNamePatterns(names)
  return [
    `^${article}${kind}${name} (?:${content}|${state})(?= |$)`,
    `^there is ${article}${kind}${name}(?=[ .]|$)`,
    `^(?:(?:the agent|the assistant|it) )?(?:has )?${writingVerbs} (?:.{1,80} (?:to|into|in|as) )?${article}${kind}${name}(?=[ .,]|$)`,
    `^[^,;]{1,80} (?:is|are|was|were) (?:written|saved|stored|exported) (?:to|into|in|as|at) ${article}${kind}${name}(?=[ .,]|$)`,
  ].some((form) => new RegExp(form, 'i').test(text))
}

/** Whether it claims that the file has or lacks something; null: not certain. */
export function claimsContent(statement: string, names: readonly string[]): 'has' | 'lacks' | null {
  const text = toPlainStatement(statement)
  if (conditional.test(text)) return null
  const subject = `^${article}${kind}${joinNamePatterns(names)}`
  if (new RegExp(`${subject} ${content} `, 'i').test(text)) return negative.test(text) ? null : 'has'
  const denial =
    "(?:does not|doesn['\u2019]t|does no longer|no longer|must not|should not) (?:contains?|includes?|mentions?|has|have|shows?|lists?) "
  const match = new RegExp(`${subject} ${denial}(.*)$`, 'i').exec(text)
  return match !== null && !negative.test(match[1] ?? '') ? 'lacks' : null
}

/** Whether it claims that the file does not exist. */
export function claimsAbsence(statement: string, names: readonly string[]): boolean {
  const text = toPlainStatement(statement)
  if (conditional.test(text)) return false
  const name = joinNamePatterns(names)
  return [
    `^${article}${kind}${name} (?:does not exist|no longer exists|(?:is|was|has been) (?:deleted|removed|gone|absent))[.]?$`,
    `^there is no (?:file )?${name}[.]?$`,
  ].some((form) => new RegExp(form, 'i').test(text))
}

/** Texts in backticks or quotes, and what follows "the word" and the like. */
export function findLiterals(statement: string): string[] {
  const forms = [
    /`([^`]+)`|"([^"]+)"|\u201c([^\u201d]+)\u201d/g,
    /(?<!\w)'([^']+)'(?!\w)|(?<!\w)\u2018([^\u2019]+)\u2019(?!\w)/g,
    /\bthe (?:exact )?(?:word|text|string|value|term|number) ([\w$€£%.,:-]*\w)/gi,
  ]
  return forms.flatMap((form) => [...statement.matchAll(form)].flatMap(([, ...texts]) => texts.find(Boolean) ?? []))
}

/** Whether it claims that this text is in the file, in the order "TEXT is in report.md" or "In report.md, TEXT is present". */
export function claimsTextInFile(statement: string, names: readonly string[], value: string): boolean {
  const text = toPlainStatement(statement)
  if (negative.test(text) || conditional.test(text)) return false
  // a bare word may be meant by its sense: only capitals and digits are certain
  const isMarked = findLiterals(statement).some((literal) => toPlainStatement(literal) === toPlainStatement(value))
  if (!isMarked && !/^(?=.*(?:\p{Lu}.*\p{Lu}|\d))\S+$/u.test(value)) return false
  const named = `${article}(?:(?:exact )?(?:word|text|string|value|term|number) )?${escapePattern(toPlainStatement(value))}`
  const file = `${article}${kind}${joinNamePatterns(names)}(?: file)?`
  const there = '(?:is|was|are|were) (?:present|there|contained|included|found|mentioned|listed)'
  return [
    `^${named} (?:(?:is|was|are|were)(?: present| contained| included| found| mentioned| listed)?|appears?|occurs?|can be found) in ${file}[.]?$`,
    `^(?:in|inside|within) ${file},? (?:there is ${named}|${named} ${there}|${named} (?:appears|occurs|can be found))[.]?$`,
  ].some((form) => new RegExp(form, 'i').test(text))
}

function toPlainStatement(statement: string): string {
  return statement
    .replaceAll(/[`*"\u201c\u201d]|(?<!\w)['\u2018]|['\u2019](?!\w)/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

function joinNamePatterns(names: readonly string[]): string {
  return `(?:outputs/|[.]/)?(?:${names.map(escapePattern).join('|')})`
}

function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
}
