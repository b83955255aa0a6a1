/** What a type of check means that other tools write among the assertions: which of ours it is, with its parameters. */
import { patternMistake } from '../check_mistakes.ts'
import { absence, allOf, anyOf, beginning, ending } from '../patterns.ts'
import { textIn } from './fields.ts'

/** Takes a parameter by any of its names; what nobody takes makes the meaning uncertain. */
export type Take = (...names: string[]) => unknown

/** A check of ours, in its author's form, to be held against the schema; null: its parameters can't be used. */
export type Reading = (take: Take) => Record<string, unknown> | null

/** By the foreign `type`: lower case, hyphens as underscores. */
export const readings = new Map<string, Reading>([
  ...named(['contains', 'output_contains', 'response_contains', 'includes'], (take) => contains(take, false)),
  ...named(['icontains', 'contains_ignore_case'], (take) => contains(take, true)),
  ...named(
    ['not_contains', 'output_not_contains', 'output_does_not_contain', 'does_not_contain', 'not_includes'],
    (take) => negated(contains(take, false)),
  ),
  ...named(['not_icontains'], (take) => negated(contains(take, true))),
  ...named(['contains_any', 'output_contains_any'], (take) => among(take, anyOf, '')),
  ...named(['icontains_any'], (take) => among(take, anyOf, 'i')),
  ...named(['contains_all', 'output_contains_all'], (take) => among(take, allOf, '')),
  ...named(['icontains_all'], (take) => among(take, allOf, 'i')),
  ...named(['starts_with'], (take) => ofText(take, beginning)),
  ...named(['ends_with'], (take) => ofText(take, ending)),
  ...named(['regex', 'regex_match', 'matches_regex', 'output_matches'], regex),
  ...named(['not_regex', 'regex_absent', 'regex_not_match', 'not_matches_regex'], (take) => negated(regex(take))),
  ...named(['equals', 'exact_match'], (take) => ({ type: 'equals', value: take('value', 'expected') })),
  ...named(['file_exists'], (take) => ofFile(take, 'file_exists')),
  ...named(['file_absent', 'file_not_exists', 'file_does_not_exist', 'not_file_exists'], (take) =>
    ofFile(take, 'file_absent'),
  ),
  ...named(['file_contains'], (take) => inFile(take, contains(take, false))),
  ...named(['file_not_contains', 'file_does_not_contain'], (take) => inFile(take, negated(contains(take, false)))),
  ...named(['file_matches', 'file_regex'], (take) => inFile(take, regex(take))),
  ...named(['json_path', 'jsonpath'], jsonPath),
  ...named(['tool_used', 'tool_called', 'uses_tool'], (take) => tool(take, 'tool_used')),
  ...named(['tool_not_used', 'tool_not_called'], (take) => tool(take, 'tool_not_used')),
  ...named(['cost'], (take) => ({ type: 'cost_at_most', value: take('threshold') })),
  ...named(['latency'], (take) => ({ type: 'duration_at_most', value: seconds(take('threshold')) })),
])

/** Checks of another harness that nothing here decides in the same way. */
export const unsupported = new Map<string, string>([
  ...['javascript', 'python', 'ruby', 'webhook'].map((type) => [type, 'code of another harness is not run'] as const),
  ...['command', 'shell', 'bash', 'exit_code', 'script', 'build_check', 'test_check'].map(
    (type) => [type, 'commands are run only from "checks"'] as const,
  ),
  ...['similar', 'embedding', 'bleu', 'rouge_n', 'levenshtein', 'perplexity'].map(
    (type) => [type, 'its measure is not one of similarity here'] as const,
  ),
  ...['code_contains', 'code_count', 'code_quality'].map(
    (type) => [type, 'it does not say which files are the code'] as const,
  ),
  ...['is_json', 'json_schema', 'is_valid_json'].map(
    (type) => [type, 'it does not say which text is the JSON'] as const,
  ),
  ...['min_occurrences', 'max_occurrences', 'word_count'].map(
    (type) => [type, 'occurrences are not counted here'] as const,
  ),
  ...['file_content', 'file_check', 'content_check', 'git_check', 'string_match', 'output', 'transcript'].map(
    (type) => [type, 'the type names a place, and no test'] as const,
  ),
])

function named(names: readonly string[], reading: Reading): [string, Reading][] {
  return names.map((name) => [name, reading])
}

function contains(take: Take, ignoresCase: boolean) {
  const value = take('value')
  const ignore = ignoresCase || caseIgnored(take)
  return typeof value === 'string'
    ? { type: 'contains', value, ...(ignore && { ignore_case: true }), ...where(take) }
    : null
}

function among(take: Take, pattern: (texts: readonly string[]) => string, flags: string) {
  const values = take('value', 'values')
  const texts = Array.isArray(values) ? values.flatMap((one) => (textIn(one) === null ? [] : [String(one)])) : []
  if (!Array.isArray(values) || texts.length === 0 || texts.length < values.length) return null
  const all = `${flags}${caseIgnored(take) && flags === '' ? 'i' : ''}`
  return { type: 'regex', pattern: pattern(texts), ...(all && { flags: all }), ...where(take) }
}

function ofText(take: Take, pattern: (text: string) => string) {
  const value = take('value')
  return typeof value === 'string' && value !== '' ? { type: 'regex', pattern: pattern(value), ...where(take) } : null
}

/** `(?i)` at the start, as other languages write it, becomes a flag. */
function regex(take: Take) {
  const [pattern, value] = [take('pattern'), take('value')]
  const source = pattern !== undefined && value !== undefined ? null : textIn(pattern ?? value)
  const given = take('flags')
  if (source === null || (given !== undefined && typeof given !== 'string')) return null
  const [, inline = '', rest = ''] = /^(?:\(\?([ims]+)\))?([\s\S]*)$/.exec(source) ?? []
  const flags = [...new Set(`${inline}${(given ?? '').replaceAll('g', '')}${caseIgnored(take) ? 'i' : ''}`)].join('')
  if (patternMistake(rest, flags) !== null) return null
  return { type: 'regex', pattern: rest, ...(flags !== '' && { flags }), ...where(take) }
}

/** The opposite of a check of a text. */
function negated(check: Record<string, unknown> | null) {
  if (check?.type === 'contains') return { ...check, type: 'not_contains' }
  return check?.type === 'regex' ? { ...check, pattern: absence(String(check.pattern)) } : null
}

const answers = new Set(['output', 'response', 'answer', 'final_answer', 'final_response', 'last_message', 'stdout'])

/** Where a check of a text looks; a place that is not known stays untaken in what it gives, and no schema fits it. */
function where(take: Take): Record<string, unknown> {
  const target = take('target')
  const path = take('path', 'file')
  if (path !== undefined) return { path: target === undefined ? relative(path) : null }
  if (target === undefined || answers.has(String(target))) return {}
  return { target: target === 'files' ? 'outputs' : target }
}

function caseIgnored(take: Take): boolean {
  const sensitive = take('case_sensitive', 'caseSensitive')
  const ignores = take('ignore_case', 'case_insensitive', 'ignoreCase')
  return sensitive === false || ignores === true
}

function ofFile(take: Take, type: string) {
  const path = relative(take('path', 'file', 'filename'))
  return path === null ? null : { type, path }
}

/** The file must be named: without one it would be the final answer. */
function inFile(take: Take, check: Record<string, unknown> | null) {
  take('path', 'file')
  return typeof check?.path === 'string' ? check : null
}

/** A path in the working folder; null: it may lie elsewhere. */
function relative(path: unknown): string | null {
  const text = textIn(path)
  const leaves = text === null || /^[/~]|^[a-zA-Z]:/.test(text) || text.split(/[/\\]/).includes('..')
  return leaves ? null : text.replace(/^\.\//, '')
}

function jsonPath(take: Take) {
  const query = textIn(take('query', 'path', 'json_path'))
  const equals = take('equals', 'expected', 'value')
  return query?.startsWith('$') ? { type: 'json_path', query, ...(equals !== undefined && { equals }) } : null
}

/** Only names that engines give to tools: a bare name of another harness may be a tool of any server. */
const toolNames = /^(?:Bash|Read|Write|Edit|MultiEdit|Glob|Grep|WebFetch|WebSearch|Task|Skill|NotebookEdit|mcp__.+)$/

function tool(take: Take, type: string) {
  const name = textIn(take('value', 'tool', 'tool_name'))
  return name !== null && toolNames.test(name) ? { type, name } : null
}

function seconds(milliseconds: unknown): number | null {
  return typeof milliseconds === 'number' ? milliseconds / 1000 : null
}
