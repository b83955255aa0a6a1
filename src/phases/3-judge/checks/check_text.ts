/** Writes a check as a readable sentence. */
import type { Check, CheckOf, CheckType } from '../../../../schemas/check.ts'
import { formatRangeCount } from './inputs/range.ts'

/** The author's own text, or a sentence from the parameters, such as: The final answer contains "42". */
export function checkText(check: Check): string {
  return check.text ?? writeCheckSentence(check.type, check)
}

type Sentences = { [T in CheckType]: (check: CheckOf<T>) => string }

function writeCheckSentence<T extends CheckType>(type: T, check: CheckOf<T>): string {
  const table: Sentences = sentences
  return table[type](check)
}

const sentences = {
  contains: (check) => `${place(check)} contains ${quoteValue(check.value)}`,
  not_contains: (check) =>
    check.target === 'outputs' && check.path === undefined
      ? `No output file contains ${quoteValue(check.value)}`
      : `${place(check)} does not contain ${quoteValue(check.value)}`,
  regex: (check) => `${place(check)} matches /${check.pattern}/${check.flags ?? ''}`,
  equals: ({ path, value, tolerance }) =>
    `${source(path)} is ${quoteValue(value)}${tolerance === undefined ? '' : ` ± ${tolerance}`}`,
  similarity: ({ path, at_least, algorithm = 'words' }) =>
    `The similarity of ${path ?? 'the final answer'} to the reference is at least ${at_least} (${algorithm})`,
  json_path: ({ path, query, equals }) =>
    `${source(path)} has ${query}${equals === undefined ? '' : ` equal to ${JSON.stringify(equals)}`}`,
  json_schema: ({ path }) => `${source(path)} matches the JSON Schema`,
  csv: (check) => `${source(check.path)} is CSV with ${csvParts(check).join(', ')}`,
  file_exists: ({ path }) => `The file ${path} was created or changed`,
  file_absent: ({ path }) => `There is no file ${path}`,
  file_modified: ({ path }) => `The file ${path} was changed`,
  file_hash: ({ path, sha256 }) => `The file ${path} has the sha256 ${sha256.slice(0, 12)}…`,
  file_count: ({ path, count }) => `${path}: ${formatRangeCount(count, 'file')} created or changed`,
  file_size: ({ path, bytes }) => `The file ${path} has ${formatRangeCount(bytes, 'byte')}`,
  command: ({ run, exit_code }) => `\`${run}\` ends with exit code ${exit_code ?? 0}`,
  tool_used: ({ times, ...call }) =>
    `The agent used ${tool(call)}${times === undefined ? '' : ` (${formatRangeCount(times, 'time')})`}`,
  tool_not_used: (check) => `The agent did not use ${tool(check)}`,
  program_called: ({ program, args, times }) => {
    const count = times === undefined ? '' : ` (${formatRangeCount(times, 'time')})`
    return `The agent called ${program}${args === undefined ? '' : ` with /${args}/`}${count}`
  },
  skill_read: () => 'The agent read the skill',
  script_executed: ({ script }) => `The agent ran ${script === undefined ? 'a script' : script} of the skill`,
  agent_blocked: ({ tool: name, reason }) => {
    const why = reason === undefined ? '' : ` because of ${quoteValue(reason)}`
    return `A hook blocked ${name === undefined ? 'a call' : `a call of ${name}`}${why}`
  },
  turns_at_most: ({ value }) => `The agent took at most ${value} ${value === 1 ? 'turn' : 'turns'}`,
  tokens_at_most: ({ value }) => `The agent took at most ${value} tokens`,
  cost_at_most: ({ value }) => `The run cost at most ${value} US dollars`,
  duration_at_most: ({ value }) => `The agent worked at most ${value} s`,
} satisfies Sentences

function place({ path, target = 'answer' }: Pick<CheckOf<'contains'>, 'path' | 'target'>): string {
  if (path !== undefined) return path
  switch (target) {
    case 'answer':
      return 'The final answer'
    case 'outputs':
      return 'An output file'
    case 'transcript':
      return 'The transcript'
  }
}

function source(path: string | undefined): string {
  return path ?? 'The final answer'
}

function csvParts({ columns, rows, cells }: CheckOf<'csv'>): string[] {
  const named = (cells ?? []).map(({ where = {}, column, equals, tolerance }) => {
    const conditions = Object.entries(where).map(([name, is]) => `${name} is ${quoteValue(is)}`)
    const near = tolerance === undefined ? '' : ` ± ${tolerance}`
    return `${column} ${quoteValue(equals)}${near}${conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`}`
  })
  return [
    ...(columns === undefined ? [] : [`the columns ${columns.join(', ')}`]),
    ...(rows === undefined ? [] : [formatRangeCount(rows, 'row')]),
    ...named,
  ]
}

function tool({ name, input, input_json }: Pick<CheckOf<'tool_not_used'>, 'name' | 'input' | 'input_json'>): string {
  const patterns = [input, input_json].flatMap((pattern) => (pattern === undefined ? [] : `/${pattern}/`))
  return patterns.length === 0 ? name : `${name} with ${patterns.join(' and ')}`
}

function quoteValue(value: unknown): string {
  return JSON.stringify(value)
}
