/** Reads what decides about a skill-up case: expect, and the judges rule_based, agent_judge and script. */
import { suggestChoice } from '../../base/text/did_you_mean.ts'
import { isJsonObject } from '../../phases/1-plan/formats/evals_json/fields.ts'
import { readNamedFile } from './named_text.ts'
import { answerHas, answerLacks, filesAbsent, filesExist, toolsNotUsed, toolsUsed } from './other_criteria.ts'
import type { OwnCheck } from './other_suite.ts'
import { type FieldNotes, type NamedItem, OtherFields, settingLosses } from './read_fields.ts'

const exitCode = 'a run that breaks is recorded and graded by itself'

export function readExpect(value: unknown, at: string, notes: FieldNotes): unknown[] {
  const fields = new OtherFields(value, at, notes)
  if (!fields.isObject) notes.refuse(`${at} is not an object`)
  const contents = fields.items('file_contains').flatMap((file) => {
    const [path, content] = [file.text('path'), file.text('content', 'contains')]
    if (path === null || content === null) notes.refuse(`${file.at} has no "path" or no "content"`)
    file.rest('a file', ['path', 'content'])
    return path === null || content === null ? [] : [{ type: 'file_contains', path, value: content }]
  })
  const found = [
    ...answerHas.texts(fields.texts('must_contain')),
    ...answerLacks.texts(fields.texts('must_not_contain')),
    ...filesExist(fields.texts('files_exist')),
    ...filesAbsent(fields.texts('files_not_exist')),
    ...contents,
  ]
  const losses = { exit_code: exitCode, golden_file: 'write a check similarity, which says how near is near enough' }
  fields.rest('"expect"', ['must_contain', 'files_exist'], losses)
  return found
}

/** One judge, or a list of them under "judges". `shared`: those of the suite, for a case without one of its own. `root`: the skill's folder, absolute. */
export async function readJudges(fields: OtherFields, shared: readonly NamedItem[], root: string): Promise<unknown[]> {
  const { notes } = fields
  const own = [...fields.list('judge'), ...fields.list('judges')]
  const found: unknown[] = []
  for (const { value, at } of own.length > 0 ? own : shared) {
    if (isJsonObject(value)) found.push(...(await readOneJudge(new OtherFields(value, at, notes), root)))
    else notes.refuse(`${at} is not a judge`)
  }
  return found
}

const ofJudge = {
  model: settingLosses.judge,
  timeout_seconds: settingLosses.timeout,
  pass_threshold: settingLosses.threshold,
  skills: 'a judge has no skills',
  context: 'a judge reads the answer, the transcript and the outputs',
  weight: 'each criterion weighs 1',
}

const judgeTypes = ['agent_judge', 'rule_based', 'script']

async function readOneJudge(fields: OtherFields, root: string): Promise<unknown[]> {
  const type = fields.text('type')
  if (type !== null && !judgeTypes.includes(type))
    fields.notes.refuse(`${fields.at}.type: "${type}" is not a known type; ${suggestChoice(type, judgeTypes)}`)
  const statements = fields.texts('criteria').map((text) => ({ text }))
  const rules = fields.list('success').flatMap((item) => readRule(item, false, fields.notes))
  const never = fields.list('failure').flatMap((item) => readRule(item, true, fields.notes))
  const scripts = type === 'script' ? await readScript(fields, root) : []
  fields.rest('a judge', ['type', 'criteria', 'success', 'failure'], ofJudge)
  const found = [...statements, ...rules, ...never, ...scripts]
  return type === 'script' ? found : [...fields.requireCriteria(found, 'a judge')]
}

/** The script gets the answer as a variable of the environment, and its exit code decides. */
async function readScript(fields: OtherFields, root: string): Promise<OwnCheck[]> {
  const script = fields.text('script_path')
  const timeout = fields.number('timeout_seconds') ?? 30
  const words = [script, ...fields.texts('args')]
  const text = script === null ? null : await readNamedFile(script, root)
  const interpreter = /\.sh$/.test(script ?? '') ? 'bash' : /\.py$/.test(script ?? '') ? 'python3' : null
  if (text === null) {
    fields.notes.refuse(`${fields.at}: the judge needs a text file of the skill's folder in "script_path"`)
    return []
  }
  const why = explainUnreadScript(text, interpreter)
  if (why !== null) {
    fields.notes.warn(fields.at, `the judge "script" is not read: ${why}`)
    return []
  }
  const code = [
    `const { status, stdout, error } = require('node:child_process').spawnSync('${interpreter}', ${JSON.stringify(words)}, {`,
    "  encoding: 'utf8',",
    "  env: { ...process.env, EVAL_FINAL_MESSAGE: output, EVAL_EXIT_CODE: '0' },",
    '})',
    'if (error) return error.message',
    "return { pass: status === 0, reason: stdout.trim() || 'exit code ' + status }",
  ].join('\n')
  return [{ own: { type: 'javascript', code, timeout, files: [script], text: `The script ${script} passes` } }]
}

/** null: it can run here. */
function explainUnreadScript(text: string, interpreter: string | null): string | null {
  if (text.includes('EVAL_TRANSCRIPT_PATH')) return 'its script reads the transcript of skill-up'
  return interpreter === null ? 'its script is neither .sh nor .py' : null
}

type Rule = (rule: OtherFields) => unknown[]

const rules: Readonly<Record<string, Rule>> = {
  output_contains: (rule) => [
    ...answerHas.texts(rule.texts('all')),
    ...answerHas.anyText(rule.texts('any')),
    ...answerLacks.texts(rule.texts('not')),
  ],
  output_matches: (rule) => [
    ...answerHas.patterns(rule.texts('all')),
    ...anyPattern(rule.texts('any')),
    ...answerLacks.patterns(rule.texts('not')),
  ],
  turn_response_contains: (rule) => {
    const turn = turnOf(rule)
    return [
      ...answerHas.texts(rule.texts('contains_all', 'contains'), turn),
      ...answerHas.anyText(rule.texts('contains_any'), turn),
    ]
  },
  turn_response_not_contains: (rule) => answerLacks.texts(rule.texts('not_contains'), turnOf(rule)),
  tool_called: (rule) => {
    const args = rule.take('args', isJsonObject)
    const names = rule.texts('name')
    if (args === null) return toolsUsed(names)
    return names.map((name) => ({ type: 'trajectory:tool-args-match', value: { name, args: args.value } }))
  },
  tool_not_called: (rule) => toolsNotUsed(rule.texts('name')),
  files_exist: (rule) => filesExist(rule.texts('all', 'paths')),
  files_not_exist: (rule) => filesAbsent(rule.texts('all', 'paths')),
}

function turnOf(rule: OtherFields): { turn?: number } {
  const turn = rule.number('turn')
  return turn === null ? {} : { turn }
}

/** Without the flags at the start of each, which must be the same in all. */
function anyPattern(patterns: readonly string[]): unknown[] {
  const flags = new Set(patterns.map((pattern) => /^\(\?[ims]+\)/.exec(pattern)?.[0] ?? ''))
  const [flag = ''] = flags
  if (patterns.length === 0) return []
  if (flags.size > 1) return [{ text: `The answer matches one of ${patterns.join(' or ')}` }]
  return answerHas.patterns([`${flag}${patterns.map((one) => `(?:${one.slice(flag.length)})`).join('|')}`])
}

/** Of failure, with "any" alone. */
const neverRules: Readonly<Record<string, Rule | undefined>> = {
  output_contains: (rule) => answerLacks.texts(rule.texts('any')),
  output_matches: (rule) => answerLacks.patterns(rule.texts('any')),
}

/** A rule of failure says what must not be: texts and patterns of "any" are absent. */
function readRule({ value, at }: NamedItem, isFailure: boolean, notes: FieldNotes): unknown[] {
  if (!isJsonObject(value) || Object.keys(value).length === 0) {
    notes.refuse(`${at} is not a rule`)
    return []
  }
  return Object.entries(value).flatMap(([name, given]) => {
    const place = `${at}.${name}`
    if (name === 'exit_code') {
      notes.warn(place, `"exit_code" is not read: ${exitCode}`)
      return []
    }
    const rule = new OtherFields(isJsonObject(given) ? given : { all: given }, place, notes)
    const isAny = isJsonObject(given) && Object.keys(given).join() === 'any'
    const reading = isFailure
      ? isAny
        ? neverRules[name]
        : undefined
      : Object.hasOwn(rules, name)
        ? rules[name]
        : undefined
    if (reading === undefined) {
      notes.warn(place, `the rule "${name}" is not read as a check; a judge decides it`)
      const text = `${isFailure ? 'It is not so that' : 'It is so that'} ${name}: ${JSON.stringify(given)}`
      return [{ text }]
    }
    const found = reading(rule)
    rule.rest(`a rule ${name}`, ['all', 'any', 'not'])
    return rule.requireCriteria(found, `a rule "${name}"`)
  })
}
