/** Writes a check as a readable sentence. */
import type { Check, CheckOf, CheckType } from '../../../../schemas/check.ts'
import type { CallParameters } from '../../../../schemas/checks/tool_calls.ts'
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
  not_contains: (check) => negate(check, 'contains', 'does not contain', quoteValue(check.value)),
  regex: (check) => {
    const pattern = `/${check.pattern}/${check.flags ?? ''}`
    return check.absent === true
      ? negate(check, 'matches', 'does not match', pattern)
      : `${place(check)} matches ${pattern}`
  },
  equals: ({ path, turn, value, tolerance }) =>
    `${source(path, turn)} is ${quoteValue(value)}${tolerance === undefined ? '' : ` ± ${tolerance}`}`,
  similarity: ({ path, turn, at_least, algorithm = 'words' }) =>
    `The similarity of ${path ?? nameAnswer(turn)} to the reference is at least ${at_least} (${algorithm})`,
  json_path: ({ path, query, equals }) =>
    `${source(path)} has ${query}${equals === undefined ? '' : ` equal to ${JSON.stringify(equals)}`}`,
  json_schema: ({ path }) => `${source(path)} matches the JSON Schema`,
  csv: (check) => `${source(check.path)} is CSV with ${csvParts(check).join(', ')}`,
  cell: ({ path, sheet, cell, equals, contains, tolerance }) => {
    const what = contains === undefined ? `is ${quoteValue(equals)}` : `contains ${quoteValue(contains)}`
    return `${path}: ${sheet === undefined ? '' : `${sheet}!`}${cell} ${what}${tolerance === undefined ? '' : ` ± ${tolerance}`}`
  },
  file_exists: ({ path }) => `The file ${path} was created or changed`,
  file_absent: ({ path }) => `There is no file ${path}`,
  file_modified: ({ path }) => `The file ${path} was changed`,
  file_hash: ({ path, sha256 }) => `The file ${path} has the sha256 ${sha256.slice(0, 12)}…`,
  file_count: ({ path, count }) => `${path}: ${formatRangeCount(count, 'file')} created or changed`,
  file_size: ({ path, bytes }) => `The file ${path} has ${formatRangeCount(bytes, 'byte')}`,
  command: ({ run, exit_code, result = 'exit_code', pass_at }) =>
    result === 'exit_code'
      ? `\`${run}\` ends with exit code ${exit_code ?? 0}`
      : `\`${run}\` reaches a score of ${pass_at ?? 1}`,
  script: ({ script, pass_at }) =>
    pass_at === undefined ? `The script ${script} passes` : `The script ${script} gives a score of at least ${pass_at}`,
  javascript: ({ code, script, function: name }) =>
    script === undefined
      ? `\`${code}\` passes`
      : `The ${name === undefined ? 'function' : `function ${name}`} of ${script} passes`,
  tool_used: ({ times, ...call }) =>
    `The agent used ${tool(call)}${times === undefined ? '' : ` (${formatRangeCount(times, 'time')})`}`,
  tool_not_used: (check) => `The agent did not use ${tool(check)}`,
  tool_order: ({ mode = 'in_order', tools }) => {
    const list = tools.map((step) => (typeof step === 'string' ? step : tool(step))).join(', ')
    return `${orderSentences[mode]}: ${list}`
  },
  tool_calls_at_most: ({ value, ...call }) =>
    `The agent called ${tool({ ...call, name: call.name ?? 'tools' })} at most ${value === 1 ? 'once' : `${value} times`}`,
  no_loop: ({ max_repeats = 3 }) =>
    `The same call came at most ${max_repeats === 1 ? 'once' : `${max_repeats} times`} in a row`,
  program_called: ({ program, args, times }) => {
    const count = times === undefined ? '' : ` (${formatRangeCount(times, 'time')})`
    return `The agent called ${program}${args === undefined ? '' : ` with /${args}/`}${count}`
  },
  skill_read: ({ read = true }) => (read ? 'The agent read the skill' : 'The agent did not read the skill'),
  script_executed: ({ script }) => `The agent ran ${script === undefined ? 'a script' : script} of the skill`,
  agent_blocked: ({ tool: name, reason }) => {
    const why = reason === undefined ? '' : ` because of ${quoteValue(reason)}`
    return `A hook blocked ${name === undefined ? 'a call' : `a call of ${name}`}${why}`
  },
  turns_at_most: ({ value }) => `The agent took at most ${value} ${value === 1 ? 'turn' : 'turns'}`,
  tokens_at_most: ({ value }) => `The agent took at most ${value} tokens`,
  cost_at_most: ({ value }) => `The run cost at most ${value} US dollars`,
  duration_at_most: ({ value }) => `The agent worked at most ${value} s`,
  verifier: () => "The task's verifier gives the full reward",
} satisfies Sentences

const orderSentences = {
  exact: 'The agent called exactly these tools, in this order',
  in_order: 'The agent called these tools in this order',
  first_in_order: 'The agent first called each of these tools in this order',
  superset: 'The agent called all of these tools',
  subset: 'The agent called no other tools than these',
}

/** In several places, the text must be in none. */
function negate(where: Parameters<typeof place>[0], verb: string, negated: string, value: string): string {
  if (where.path === undefined && where.target === 'outputs') return `No output file ${verb} ${value}`
  if (where.path === undefined && where.target === 'answer_or_outputs')
    return `Neither the final answer nor an output file ${verb} ${value}`
  return `${place(where)} ${negated} ${value}`
}

function place({ path, target = 'answer', turn }: Pick<CheckOf<'contains'>, 'path' | 'target' | 'turn'>): string {
  if (path !== undefined) return path
  switch (target) {
    case 'answer':
      return source(undefined, turn)
    case 'outputs':
      return 'An output file'
    case 'answer_or_outputs':
      return 'The final answer or an output file'
    case 'transcript':
      return 'The transcript'
  }
}

function source(path: string | undefined, turn?: number): string {
  return path ?? nameAnswer(turn).replace('the', 'The')
}

function nameAnswer(turn: number | undefined): string {
  return turn === undefined ? 'the final answer' : `the answer to message ${turn}`
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

function tool({ name, input, input_json, args }: CallParameters): string {
  const names = [name].flat().join(' or ')
  const patterns = [input, input_json].flatMap((pattern) => (pattern === undefined ? [] : `/${pattern}/`))
  const inputs = [...patterns, ...(args === undefined ? [] : [JSON.stringify(args)])]
  return inputs.length === 0 ? names : `${names} with ${inputs.join(' and ')}`
}

function quoteValue(value: unknown): string {
  return JSON.stringify(value)
}
