/** Reads assertions of promptfoo and agentv. Types that Whetstone knows stay; the others become statements or are named. */
import path from 'node:path'
import { isJsonObject, readNonEmptyText } from '../../phases/1-plan/formats/evals_json/fields.ts'
import { deriveExpectation } from '../../phases/1-plan/formats/evals_json/judging.ts'
import { readNamedFile } from './named_text.ts'
import type { OwnCheck } from './other_suite.ts'
import { type AssertionPlace, fillTemplate } from './promptfoo_tests.ts'
import { type FieldNotes, isOtherSkill, type NamedItem, OtherFields } from './read_fields.ts'

/** Types that a judge decides by their value. */
const judged =
  /^(?:llm-rubric|g-eval|model-graded-closedqa|closedqa|factuality|model-graded-factuality|agent-rubric|search-rubric|rubric|llm[-_]judge|llm[-_]grader)$/

/** Fields of an assertion that are named and not read. */
const settings = ['provider', 'threshold', 'transform', 'target', 'required', 'min_score', 'temperature']
/** Fields that describe an assertion and say nothing of what it asks for. */
const labels = ['metric', 'name', 'id', 'description']

/** Types of code and measures that have no equal; the reason. */
const unread: Readonly<Record<string, string>> = {
  'not-javascript': 'write what must be so as "javascript"',
  python: 'code of another harness is not run',
  ruby: 'code of another harness is not run',
  webhook: 'code of another harness is not run',
  script: 'a script of this tool gets another input than a "script" check',
  code_judge: 'a script of this tool gets another input than a "script" check',
  ...Object.fromEntries(
    [
      ...['trace-error-spans', 'trace-span-count', 'trace-span-duration', 'finish-reason', 'guardrails', 'moderation'],
      ...['perplexity', 'perplexity-score', 'classifier', 'select-best', 'max-score', 'pi'],
      ...['answer-relevance', 'context-faithfulness', 'context-recall', 'context-relevance'],
    ].map((type) => [type, 'no check is its equal']),
  ),
}

export async function readAssertions(items: readonly NamedItem[], place: AssertionPlace): Promise<unknown[]> {
  const found: unknown[] = []
  for (const item of items) found.push(...(await readAssertion(item, place)))
  return found
}

async function readAssertion({ value, at }: NamedItem, place: AssertionPlace): Promise<unknown[]> {
  const { notes } = place
  const text = readNonEmptyText(value)
  if (text !== null) return [text]
  if (!isJsonObject(value)) {
    notes.refuse(`${at} is not an assertion`)
    return []
  }
  const { type: given, ...rest } = value
  if (given !== undefined && readNonEmptyText(given) === null) notes.refuse(`${at}.type is not the name of a type`)
  if (rest.negate !== undefined && typeof rest.negate !== 'boolean') notes.refuse(`${at}.negate is not true or false`)
  for (const name of labels) if (rest[name] !== undefined) notes.keep(`${at}.${name}`, rest[name])
  const inner = rest.assert ?? rest.assertions
  if (Array.isArray(inner)) {
    notes.warn(at, 'a set of assertions is read as its parts, and each counts')
    const set = new OtherFields(value, at, notes)
    for (const name of ['assert', 'assertions', 'type', ...labels]) set.value(name)
    for (const { key, value: one } of set.unread())
      if (one !== null && one !== false && !(key === 'weight' && one === 1))
        notes.refuse(`${at}: "${key}" of a set of assertions cannot be read: write each assertion by itself`)
    return await readAssertions(
      inner.map((one: unknown, index) => ({ value: one, at: `${at}.assert[${index}]` })),
      place,
    )
  }
  const isNamedNegation = typeof given === 'string' && given.startsWith('not-')
  if (rest.negate === true && isNamedNegation)
    notes.refuse(`${at}: "${given}" with "negate" is negated twice: remove one`)
  const isNegated = rest.negate === true || isNamedNegation
  const type = given === 'not-javascript' ? given : String(given ?? '').replace(/^not-/, '')
  if (Object.hasOwn(unread, type)) {
    notes.warn(at, `the assertion of type "${type}" is not read: ${unread[type] ?? ''}`)
    return []
  }
  if (type === 'javascript' && isNegated) {
    notes.warn(at, `the assertion of type "javascript" with "negate" is not read: ${unread['not-javascript']}`)
    return []
  }
  if (type === 'skill-used') return readSkillUsed(rest, { isNegated, at }, place)
  const marks = readMarks(type === 'javascript' ? { ...rest, threshold: undefined } : rest, at, notes)
  if (marks === null) return []
  if (type === 'javascript') return await readJavascript(rest, { marks, at }, place)
  if (judged.test(type)) return readJudged(rest, { isNegated, marks, at }, place)
  const filled = typeof rest.value === 'string' ? String(fillTemplate(rest.value, place.vars, notes) ?? '') : rest.value
  if (typeof filled === 'string' && filled.startsWith('file://')) {
    notes.warn(at, `the assertion of type "${type}" is not read: its value is a file`)
    return []
  }
  const kept = Object.fromEntries(Object.entries(rest).filter(([key]) => !handled.has(key) && key !== 'config'))
  return [
    { ...kept, ...(filled !== undefined && { value: filled }), type: `${isNegated ? 'not-' : ''}${type}`, ...marks },
  ]
}

/** Both ways an indicator: without the skill it is not used. */
function readSkillUsed(
  { value, weight, ...rest }: Record<string, unknown>,
  { isNegated, at }: { isNegated: boolean; at: string },
  { skill, notes }: AssertionPlace,
) {
  for (const key of Object.keys({ ...(isJsonObject(value) && value), ...rest }))
    if (!['name', 'pattern', 'negate', ...labels].includes(key)) notes.warn(at, `"${key}" of "skill-used" is not read`)
  notes.warn(at, `the assertion "${isNegated ? 'not-' : ''}skill-used" is read as an indicator: it counts in no rate`)
  const name = readNonEmptyText(isJsonObject(value) ? (value.name ?? value.pattern) : value)
  const named = name === null ? 'the skill' : `the skill ${name}`
  if (!isNegated && isOtherSkill(name, skill)) notes.refuse(`${at}: ${named} is not the skill under test`)
  return isNegated ? [{ text: `The agent did not use ${named}`, indicator: true }] : [{ own: { type: 'skill_read' } }]
}

/** null: the assertion counts nothing, so it is left out. */
function readMarks(rest: Record<string, unknown>, at: string, notes: FieldNotes): { weight?: number } | null {
  for (const name of settings) if (rest[name] !== undefined) notes.warn(at, `"${name}" of an assertion is not read`)
  const { weight } = rest
  if (weight === undefined || weight === null) return {}
  if (typeof weight === 'number' && weight > 0) return { weight }
  if (weight !== 0) notes.refuse(`${at}.weight is not a number from 0`)
  notes.warn(at, 'an assertion without a weight above 0 is not read: it counts nothing')
  return null
}

interface Judged {
  isNegated: boolean
  marks: { weight?: number }
  at: string
}

const statementNames = ['value', 'criteria', 'rubrics', 'prompt']
/** Read, named or kept elsewhere. */
const handled: ReadonlySet<string> = new Set(['negate', 'weight', ...labels, ...settings])

/** The value, a prompt in its place, or a list of criteria; each a statement. */
async function readJudged(
  rest: Record<string, unknown>,
  { isNegated, marks, at }: Judged,
  { vars, base, limit, expected, notes }: AssertionPlace,
): Promise<unknown[]> {
  const [name = 'value'] = statementNames.filter((one) => rest[one] !== undefined && rest[one] !== null)
  const given = rest[name]
  for (const key of Object.keys(rest)) {
    if (key !== name && !handled.has(key)) notes.warn(at, `"${key}" of a judged assertion is not read`)
  }
  // agentv's own prompt then compares with the expected output
  if (given === undefined && !isNegated && expected !== null)
    return [{ text: deriveExpectation(expected).text, ...marks }]
  const found: unknown[] = []
  for (const one of Array.isArray(given) ? given : [given]) {
    const written = readNonEmptyText(
      isJsonObject(one) ? (one.outcome ?? one.text ?? one.criterion ?? one.description) : one,
    )
    const isFile = written?.startsWith('file://') === true
    const text = isFile ? await readNamedFile(written?.replace('file://', '') ?? '', base, limit) : written
    if (text === null || text === undefined) {
      const why = isFile ? `its file ${written} is not a text file next to the suite` : 'it states nothing'
      notes.refuse(`${at}: a statement of the assertion is not read: ${why}`)
      continue
    }
    const filled = String(
      fillTemplate(text, { ...vars, output: 'the answer', criteria: '' }, { ...notes, refuse: () => undefined }),
    )
    found.push({ text: isNegated ? `It is not so that: ${filled}` : filled, ...marks })
  }
  return found
}

/** Reads assertions of promptfoo that are JavaScript: an expression, the body of a function, or a function in a file. */
interface Marked {
  marks: { weight?: number }
  at: string
}

/** What only promptfoo can give. */
const onlyThere = /\bproviderResponse\b|\bcontext\??\.(?:provider|trace|logProbs|metadata)\b/
const ownModule = /\b(?:require|import)\(\s*['"`]\.|\bprocess\.mainModule\b/

async function readJavascript(
  rest: Record<string, unknown>,
  { marks, at }: Marked,
  { vars, base, notes }: AssertionPlace,
): Promise<OwnCheck[]> {
  const lose = (why: string): OwnCheck[] => {
    notes.warn(at, `the assertion of type "javascript" is not read: ${why}`)
    return []
  }
  const value = readNonEmptyText(rest.value)
  const need = (what: string): OwnCheck[] => {
    notes.refuse(`${at}: an assertion "javascript" needs ${what}`)
    return []
  }
  if (value === null) return need('code in its "value"')
  const { threshold, config } = rest
  if (threshold !== undefined && typeof threshold !== 'number') notes.refuse(`${at}.threshold is not a number`)
  for (const key of Object.keys(rest).filter((one) => !handled.has(one) && !['value', 'config'].includes(one)))
    notes.warn(at, `"${key}" of an assertion "javascript" is not read`)
  const own = {
    type: 'javascript',
    ...(Object.keys(vars).length > 0 && { vars }),
    ...(isJsonObject(config) && { config }),
    ...(typeof threshold === 'number' && { pass_at: threshold }),
    ...marks,
  }
  const file = /^file:\/\/(.*?\.(?:[cm]?js|m?ts))(?::(\w+))?$/.exec(value)
  if (file === null && value.startsWith('file://')) return lose('its file is not JavaScript')
  const code = value.includes('{{') ? String(fillTemplate(value, vars, notes) ?? '') : value
  const script = path.posix.normalize(file?.[1] ?? '')
  const text = file === null ? code : await readNamedFile(script, base)
  if (text === null) return need(`its file ${script} in the folder of the suite`)
  if (onlyThere.test(text)) return lose('it reads what only promptfoo records, such as context.providerResponse')
  if (file === null && ownModule.test(text)) return lose('it loads a module by its path: put the function into a file')
  if (file === null) return [{ own: { ...own, code } }]
  const folder = path.posix.dirname(script)
  return [
    { own: { ...own, script, ...(file[2] && { function: file[2] }), ...(folder !== '.' && { files: [folder] }) } },
  ]
}
