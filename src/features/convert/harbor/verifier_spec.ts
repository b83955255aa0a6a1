/** Chooses what the verifier of a Harbor task decides, and lists what it leaves out. */
import path from 'node:path'
import { jsonpath } from 'json-p3'
import picomatch from 'picomatch'
import { type Check, type CheckOf, type CheckType, isReward } from '../../../../schemas/check.ts'
import type { SuiteCase } from '../../../../schemas/suite.ts'
import { isIgnoredPath } from '../../../base/fs/ignored_folders.ts'
import { toPythonPattern } from './python_pattern.ts'

export const workingFolder = '/app'

export interface VerifierSpec {
  working_folder: string
  /** Relative to the working folder; null: no check reads the final answer. */
  answer_file: string | null
  /** path → sha256 of the files before the agent starts; null: the image records them, because its setup creates some. */
  start: Readonly<Record<string, string>> | null
  checks: (VerifierEntry & { text: string; weight: number; counts: boolean })[]
}

export interface VerifierPlan {
  checks: VerifierSpec['checks']
  /** null: no check reads the final answer. */
  answer_file: string | null
  /** Criteria that the verifier does not decide. `kind`: short, for a list. */
  left_out: { kind: string; text: string }[]
  /** Why there is nothing that could give a reward; null: there is. */
  refusal: string | null
}

/** What the verifier's plan depends on besides the case. */
export interface VerifierSources {
  /** Writes a check in plain words. */
  sentence: (check: Check) => string
  /** The program of a `script` check, by its path in the suite. */
  programs: ReadonlyMap<string, string>
  /** Names of files that the case brings. */
  taken: readonly string[]
}

/** An indicator is decided but does not count: only the arm with the skill can pass it. */
export function planVerifier(one: SuiteCase, { sentence, programs, taken }: VerifierSources): VerifierPlan {
  const checks: VerifierSpec['checks'] = []
  const left_out: VerifierPlan['left_out'] = []
  const hasReward = one.checks.some(isReward)
  let readsAnswer = false
  for (const check of one.checks) {
    const translated = check.type === 'script' ? translateScript(check, one, programs) : translateCheck(check)
    const text = sentence(check)
    if ('reason' in translated) {
      left_out.push({ kind: `${isReward(check) ? 'its reward, ' : ''}${check.type} (${translated.reason})`, text })
      continue
    }
    readsAnswer ||= translated.readsAnswer
    const counts = hasReward ? isReward(check) : check.indicator !== true
    checks.push({ text, weight: check.weight ?? 1, counts, ...translated.entry })
  }
  for (const { text } of one.expectations) left_out.push({ kind: 'statements that a judge decides', text })
  const counted = checks.filter(({ counts }) => counts).length
  const refusal = counted > 0 ? null : explainRefusal(checks.length, left_out)
  return { checks, answer_file: readsAnswer ? chooseAnswerFile(one, taken) : null, left_out, refusal }
}

/** A script gets the run as Whetstone gives it, but Harbor has no transcript. */
function translateScript(check: CheckOf<'script'>, one: SuiteCase, programs: VerifierSources['programs']): Translation {
  const program = programs.get(check.script) ?? ''
  if (program.includes('transcript_events_file'))
    return { reason: 'it reads the transcript, which Harbor does not have' }
  const translated = translateCheck(check)
  if ('reason' in translated) return translated
  const { eval_id: id, eval_name: name, prompt, expected_output, reference } = one
  const entry = { ...translated.entry, case: { id, name, prompt, expected_output, reference } }
  return { entry, readsAnswer: program.includes('final_response') }
}

function explainRefusal(indicators: number, left_out: VerifierPlan['left_out']): string {
  const others = indicators === 0 ? [] : ['checks that only a run with the skill can pass']
  const kinds = [...new Set([...left_out.map(({ kind }) => kind), ...others])]
  return kinds.length === 0 ? 'it has no check' : `nothing to verify but ${kinds.join(', ')}`
}

/** A name that neither an input file nor a check of the case uses. */
function chooseAnswerFile(one: SuiteCase, taken: readonly string[]): string {
  const named = one.checks.flatMap((check) => ('path' in check && check.path !== undefined ? [check.path] : []))
  const used = new Set([...taken, ...named, ...Object.keys(one.reference?.files ?? {})])
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? 'answer.txt' : `answer-${number}.txt`
    if (!used.has(name)) return name
  }
}

/** Seconds for all of it: the limits of the commands, and a minute for the rest. */
export function verifierSeconds(checks: VerifierSpec['checks']): number {
  const limits = checks.map(({ timeout }) => (typeof timeout === 'number' ? timeout : 0))
  return limits.reduce((sum, seconds) => sum + seconds, commandSeconds)
}

/** What verify.py reads about a check: plain JSON, with every default written out. */
type VerifierEntry = { type: string; [parameter: string]: unknown }

type Translation = { entry: VerifierEntry; readsAnswer: boolean } | { reason: string }

interface Translator<T extends CheckType> {
  /** Parameters that `translate` reads, apart from those that every check has. */
  reads: readonly Exclude<keyof CheckOf<T> & string, CommonParameter | 'type'>[]
  translate: (check: CheckOf<T>) => Translation
}

const common = ['weight', 'reward', 'text', 'indicator'] as const
type CommonParameter = (typeof common)[number]

/** `reason`: why code that only sees the agent's files can't decide it. */
function translateCheck(check: Check): Translation {
  return translateTyped(check.type, check)
}

function translateTyped<T extends CheckType>(type: T, check: CheckOf<T>): Translation {
  const table: Translators = translators
  const translator = table[type]
  if (translator === undefined) return { reason: 'not decidable from the files that the agent leaves' }
  const known: readonly string[] = ['type', ...common, ...translator.reads]
  const unknown = Object.entries(check).filter(([name, value]) => value !== undefined && !known.includes(name))
  if (unknown.length > 0) return { reason: `with ${unknown.map(([name]) => name).join(', ')}` }
  return translator.translate(check)
}

type Translators = { [T in CheckType]?: Translator<T> }

const translators: Translators = {
  contains: { reads: ['value', 'target', 'path', 'ignore_case'], translate: translateTextSearch },
  not_contains: { reads: ['value', 'target', 'path', 'ignore_case'], translate: translateTextSearch },
  regex: { reads: ['pattern', 'flags', 'absent', 'target', 'path'], translate: translateRegex },
  equals: {
    reads: ['value', 'path', 'ignore_case', 'tolerance'],
    translate: ({ type, value, path: file, ignore_case = false, tolerance = 0 }) =>
      readSource(file, { type, value, ignore_case, tolerance }),
  },
  json_path: { reads: ['path', 'query', 'equals'], translate: translateJsonPath },
  csv: { reads: ['path', 'delimiter', 'columns', 'rows', 'cells'], translate: translateCsv },
  file_exists: { reads: ['path'], translate: ({ type, path: file }) => matchFiles(file, { type }) },
  file_absent: { reads: ['path'], translate: ({ type, path: file }) => matchFiles(file, { type }) },
  file_modified: { reads: ['path'], translate: ({ type, path: file }) => matchFiles(file, { type }) },
  file_count: {
    reads: ['path', 'count'],
    translate: ({ type, path: file, count }) => matchFiles(file, { type, count }),
  },
  file_hash: {
    reads: ['path', 'sha256'],
    translate: ({ type, path: file, sha256 }) => readFile(file, { type, sha256: sha256.toLowerCase() }),
  },
  file_size: { reads: ['path', 'bytes'], translate: ({ type, path: file, bytes }) => readFile(file, { type, bytes }) },
  command: {
    reads: ['run', 'timeout', 'exit_code', 'files', 'result', 'result_file', 'pass_at'],
    translate: ({ type, run, exit_code = 0, result = 'exit_code', result_file = null, ...more }) => {
      const entry = { type, run, exit_code, result, result_file, ...writeVerifierFields(more) }
      return { entry, readsAnswer: false }
    },
  },
  script: {
    reads: ['script', 'args', 'timeout', 'files', 'pass_at'],
    translate: ({ type, script, args = [], ...more }) => {
      const fields = writeVerifierFields(more)
      const placed = fields.files.find(({ from }) => from === script)
      if (!script.endsWith('.py')) return { reason: 'it needs Node.js' }
      return { entry: { type, script: placed?.to ?? script, args, ...fields }, readsAnswer: false }
    },
  },
  javascript: {
    reads: ['code', 'script', 'function', 'vars', 'config', 'timeout', 'files', 'pass_at'],
    translate: () => ({ reason: 'it needs Node.js' }),
  },
}

function writeVerifierFields({
  timeout = commandSeconds,
  pass_at = 1,
  files = [],
}: Pick<CheckOf<'command'>, 'timeout' | 'pass_at' | 'files'>) {
  return { timeout, pass_at, files: files.map((file) => (typeof file === 'string' ? { from: file, to: file } : file)) }
}

/** Default time limit of a command check. */
const commandSeconds = 60

function translateTextSearch(check: CheckOf<'contains'> | CheckOf<'not_contains'>): Translation {
  const { type, value, ignore_case = false } = check
  return searchTexts(check, { type, value, ignore_case })
}

function translateRegex(check: CheckOf<'regex'>): Translation {
  const translated = toPythonPattern(check.pattern, check.flags ?? '')
  if ('reason' in translated) return withPattern(translated)
  return searchTexts(check, { type: check.type, ...translated, ...(check.absent === true && { absent: true }) })
}

function withPattern({ reason }: { reason: string }): { reason: string } {
  return { reason: `its pattern has ${reason}` }
}

function searchTexts(
  { path: file, target = 'answer' }: Pick<CheckOf<'contains'>, 'path' | 'target'>,
  entry: VerifierEntry,
): Translation {
  if (file === undefined && target === 'transcript') return { reason: 'Harbor has no transcript for it' }
  if (file === undefined && target === 'outputs') return { entry: { ...entry, target }, readsAnswer: false }
  return readSource(file, { ...entry, target: 'answer' })
}

function translateJsonPath({ type, path: file, query, equals }: CheckOf<'json_path'>): Translation {
  const steps: JsonStep[] | null = splitJsonPath(query)
  if (steps === null) return { reason: 'its query has more than names, indexes and *' }
  return readSource(file, { type, query, steps, ...(equals !== undefined && { equals }) })
}

function translateCsv({
  type,
  path: file,
  delimiter = ',',
  columns = [],
  rows,
  cells = [],
}: CheckOf<'csv'>): Translation {
  const all = cells.map(({ where = {}, tolerance = 0, ...cell }) => ({ ...cell, where, tolerance }))
  return readSource(file, { type, delimiter, columns, rows: rows ?? null, cells: all })
}

/** An output file, or the final answer. */
function readSource(file: string | undefined, entry: VerifierEntry): Translation {
  if (file === undefined) return { entry, readsAnswer: true }
  const ending = path.posix.extname(file).toLowerCase()
  if (documents.has(ending) && !(ending === '.ipynb' && entry.type === 'json_path'))
    return { reason: `the text of a ${ending} file is not readable there` }
  return readFile(file, entry)
}

/** Files whose text needs more than Python's standard library; verify.py has the same list for the outputs. */
const documents = new Set(
  [
    ...['xlsx', 'xlsm', 'xltx', 'docx', 'docm', 'dotx', 'pptx', 'pptm', 'potx', 'ppsx', 'pdf', 'ipynb'],
    ...['xls', 'xlsb', 'doc', 'ppt', 'odt', 'ods', 'odp', 'pages', 'numbers', 'key', 'epub', 'msg'],
  ].map((ending) => `.${ending}`),
)

function readFile(file: string, entry: VerifierEntry): Translation {
  const plain = path.posix.normalize(file).replace(/\/$/, '')
  if (path.posix.isAbsolute(plain) || /^\.\.(?:\/|$)/.test(plain))
    return { reason: 'its path leads out of the working folder' }
  if (isIgnoredPath(plain)) return { reason: 'its path is in a folder whose files do not count as outputs' }
  return { entry: { ...entry, path: plain }, readsAnswer: false }
}

function matchFiles(file: string, entry: VerifierEntry): Translation {
  const found = readFile(file, entry)
  if ('reason' in found) return found
  const plain = String(found.entry.path)
  if (!picomatch.scan(plain).isGlob) return { ...found, entry: { ...found.entry, glob: null } }
  const { source, flags } = picomatch.makeRe(plain, { dot: true })
  const glob = toPythonPattern(source, flags)
  if ('reason' in glob) return withPattern(glob)
  return { ...found, entry: { ...found.entry, glob: glob.pattern } }
}

/** A member's name, an element's index (from the end if negative), or null for all of them. */
type JsonStep = string | number | null

/** null: the query has filters, slices, several selectors or `..`. */
function splitJsonPath(query: string): JsonStep[] | null {
  const steps: JsonStep[] = []
  for (const segment of jsonpath.compile(query).segments) {
    const [selector, ...more] = segment.selectors
    if (selector === undefined || more.length > 0 || segment.toString().startsWith('..')) return null
    if ('name' in selector && typeof selector.name === 'string') steps.push(selector.name)
    else if ('index' in selector && typeof selector.index === 'number') steps.push(selector.index)
    else if (selector.toString() === '*') steps.push(null)
    else return null
  }
  return steps
}
