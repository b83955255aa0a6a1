/** Maps check types of other tools to Whetstone's checks with their parameters. */
import { readNonEmptyText } from '../../phases/1-plan/formats/evals_json/fields.ts'

/** Reads a parameter under any of its names; with an unread parameter the meaning is uncertain. */
export type TakeParameter = (...names: string[]) => unknown

/** Returns a check or several in the author's form, still to be validated against the schema; null: unusable parameters. */
export type ForeignReading = (take: TakeParameter) => Record<string, unknown> | Record<string, unknown>[] | null

/** Keyed by the foreign `type`: lower case, hyphens as underscores. */
export const foreignReadings = new Map<string, ForeignReading>([
  ...registerReading(['contains', 'output_contains', 'response_contains', 'includes'], (take) => contains(take, false)),
  ...registerReading(['icontains', 'contains_ignore_case'], (take) => contains(take, true)),
  ...registerReading(
    ['not_contains', 'output_not_contains', 'output_does_not_contain', 'does_not_contain', 'not_includes'],
    (take) => negateCheck(contains(take, false)),
  ),
  ...registerReading(['not_icontains'], (take) => negateCheck(contains(take, true))),
  ...registerReading(['contains_any', 'output_contains_any'], (take) => buildListCheck(take, anyTextPattern, '')),
  ...registerReading(['icontains_any'], (take) => buildListCheck(take, anyTextPattern, 'i')),
  ...registerReading(['contains_all', 'output_contains_all'], (take) => buildListCheck(take, allTextsPattern, '')),
  ...registerReading(['icontains_all'], (take) => buildListCheck(take, allTextsPattern, 'i')),
  ...registerReading(['starts_with'], (take) => buildTextCheck(take, prefixPattern)),
  ...registerReading(['ends_with'], (take) => buildTextCheck(take, suffixPattern)),
  ...registerReading(['regex', 'regex_match', 'matches_regex', 'output_matches'], regex),
  ...registerReading(['not_regex', 'regex_absent', 'regex_not_match', 'not_matches_regex'], (take) =>
    negateCheck(regex(take)),
  ),
  ...registerReading(['equals', 'exact_match'], (take) => ({ type: 'equals', value: take('value', 'expected') })),
  ...registerReading(['file_exists'], (take) => buildFileCheck(take, 'file_exists')),
  ...registerReading(['file_absent', 'file_not_exists', 'file_does_not_exist', 'not_file_exists'], (take) =>
    buildFileCheck(take, 'file_absent'),
  ),
  ...registerReading(['file_contains'], (take) => requireFilePath(take, contains(take, false))),
  ...registerReading(['file_not_contains', 'file_does_not_contain'], (take) =>
    requireFilePath(take, negateCheck(contains(take, false))),
  ),
  ...registerReading(['file_matches', 'file_regex'], (take) => requireFilePath(take, regex(take))),
  ...registerReading(['json_path', 'jsonpath'], jsonPath),
  ...registerReading(['cost'], (take) => ({ type: 'cost_at_most', value: take('threshold', 'max_usd') })),
  ...registerReading(['latency'], (take) => ({
    type: 'duration_at_most',
    value: seconds(take('threshold', 'max_ms')),
  })),
])

/** Check types without an equivalent, each with the reason. */
export const unsupportedCheckTypes = new Map<string, string>([
  ...['javascript', 'python', 'ruby', 'webhook'].map((type) => [type, 'code of another harness is not run'] as const),
  ...['command', 'shell', 'bash', 'exit_code', 'script', 'build_check', 'test_check'].map(
    (type) => [type, 'commands are run only from "checks"'] as const,
  ),
  ...['similar', 'embedding', 'bleu', 'rouge_n', 'levenshtein', 'perplexity'].map(
    (type) => [type, 'its similarity measure is not supported here'] as const,
  ),
  ...['code_contains', 'code_count', 'code_quality'].map(
    (type) => [type, 'it does not say which files are the code'] as const,
  ),
  ...['is_json', 'json_schema', 'is_valid_json'].map(
    (type) => [type, 'it does not say which text is the JSON'] as const,
  ),
  ...['skill_trigger', 'skill_used', 'not_skill_used', 'skill_triggered'].map(
    (type) =>
      [type, 'whether a run reads the skill is always recorded, and "skill_read" in "checks" shows it'] as const,
  ),
  ...['tool_call_f1', 'not_trajectory:tool_sequence', 'field_accuracy', 'token_usage'].map(
    (type) => [type, 'it has no equivalent check'] as const,
  ),
  ...['min_occurrences', 'max_occurrences', 'word_count'].map(
    (type) => [type, 'occurrences are not counted here'] as const,
  ),
  ...['file_content', 'file_check', 'content_check', 'git_check', 'string_match', 'output', 'transcript'].map(
    (type) => [type, 'the type says where to look, but not what to test'] as const,
  ),
])

function registerReading(names: readonly string[], reading: ForeignReading): [string, ForeignReading][] {
  return names.map((name) => [name, reading])
}

function contains(take: TakeParameter, ignoresCase: boolean) {
  const value = take('value')
  const ignore = ignoresCase || readIgnoreCase(take)
  return typeof value === 'string'
    ? { type: 'contains', value, ...(ignore && { ignore_case: true }), ...readTextTarget(take) }
    : null
}

function buildListCheck(take: TakeParameter, pattern: (texts: readonly string[]) => string, flags: string) {
  const values = take('value', 'values')
  const texts = Array.isArray(values)
    ? values.flatMap((one) => (readNonEmptyText(one) === null ? [] : [String(one)]))
    : []
  if (!Array.isArray(values) || texts.length === 0 || texts.length < values.length) return null
  const all = `${flags}${readIgnoreCase(take) && flags === '' ? 'i' : ''}`
  return { type: 'regex', pattern: pattern(texts), ...(all && { flags: all }), ...readTextTarget(take) }
}

function buildTextCheck(take: TakeParameter, pattern: (text: string) => string) {
  const value = take('value')
  return typeof value === 'string' && value !== ''
    ? { type: 'regex', pattern: pattern(value), ...readTextTarget(take) }
    : null
}

/** A leading `(?i)`, as in other languages, becomes a flag. */
function regex(take: TakeParameter) {
  const [pattern, value] = [take('pattern'), take('value')]
  const source = pattern !== undefined && value !== undefined ? null : readNonEmptyText(pattern ?? value)
  const given = take('flags')
  if (source === null || (given !== undefined && typeof given !== 'string')) return null
  // an invalid pattern is found with the draft
  const [, inline = '', rest = ''] = /^(?:\(\?([ims]+)\))?([\s\S]*)$/.exec(source) ?? []
  const flags = [...new Set(`${inline}${(given ?? '').replaceAll('g', '')}${readIgnoreCase(take) ? 'i' : ''}`)].join('')
  return { type: 'regex', pattern: rest, ...(flags !== '' && { flags }), ...readTextTarget(take) }
}

function negateCheck(check: Record<string, unknown> | null) {
  if (check?.type === 'contains') return { ...check, type: 'not_contains' }
  return check?.type === 'regex' ? { ...check, absent: true } : null
}

const answerTargets = new Set([
  'output',
  'response',
  'answer',
  'final_answer',
  'final_response',
  'last_message',
  'stdout',
])

/** Where a check of a text looks. An unknown place passes through, so that no schema accepts it. */
function readTextTarget(take: TakeParameter): Record<string, unknown> {
  const target = take('target')
  const path = take('path', 'file')
  if (path !== undefined) return { path: target === undefined ? toRelativePath(path) : null }
  if (target === undefined || answerTargets.has(String(target))) return {}
  return { target: target === 'files' ? 'outputs' : target }
}

function readIgnoreCase(take: TakeParameter): boolean {
  const sensitive = take('case_sensitive', 'caseSensitive')
  const ignores = take('ignore_case', 'case_insensitive', 'ignoreCase')
  return sensitive === false || ignores === true
}

function buildFileCheck(take: TakeParameter, type: string) {
  const path = toRelativePath(take('path', 'file', 'filename'))
  return path === null ? null : { type, path }
}

/** Requires a file path, because without one the check would look at the final answer. */
function requireFilePath(take: TakeParameter, check: Record<string, unknown> | null) {
  take('path', 'file')
  return typeof check?.path === 'string' ? check : null
}

/** A path in the working folder; null: it may be elsewhere. */
function toRelativePath(path: unknown): string | null {
  const text = readNonEmptyText(path)
  const leaves = text === null || /^[/~]|^[a-zA-Z]:/.test(text) || text.split(/[/\\]/).includes('..')
  return leaves ? null : text.replace(/^\.\//, '')
}

function jsonPath(take: TakeParameter) {
  const query = readNonEmptyText(take('query', 'path', 'json_path'))
  const equals = take('equals', 'expected', 'value')
  return query?.startsWith('$') ? { type: 'json_path', query, ...(equals !== undefined && { equals }) } : null
}

function seconds(milliseconds: unknown): number | null {
  return typeof milliseconds === 'number' ? milliseconds / 1000 : null
}

export function prefixPattern(text: string): string {
  return `^${literal(text)}`
}

export function suffixPattern(text: string): string {
  return `${literal(text)}$`
}

/** Matches texts that contain one of these. */
export function anyTextPattern(texts: readonly string[]): string {
  return texts.map(literal).join('|')
}

/** Matches texts that contain all of these. */
export function allTextsPattern(texts: readonly string[]): string {
  return `^${texts.map((text) => `(?=[\\s\\S]*${literal(text)})`).join('')}`
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}
