/** Reads results from a CSV file: a row for each run. */
import path from 'node:path'
import { errorMessage, UserError } from '../../base/errors/error.ts'
import { readText } from '../../base/json/json.ts'
import { type Columns, columnUses, type ImportedRun } from '../../flows/aggregate/import_results.ts'
import { configurationName, toScore } from './reading.ts'

/** Names that are looked for when --columns does not say, the best first. */
const usual: Required<Columns> = {
  case: ['case', 'case_id', 'eval', 'eval_id', 'task', 'task_id', 'test', 'question', 'id'],
  configuration: ['configuration', 'config', 'condition', 'variant', 'arm'],
  score: ['score', 'reward', 'resolved', 'passed', 'pass', 'success', 'correct', 'pass_rate', 'verdict', 'result'],
  seconds: ['seconds', 'duration_sec', 'duration_seconds', 'duration_s', 'elapsed_seconds', 'time_seconds'],
  tokens: ['tokens', 'total_tokens', 'token_count'],
  cost: ['cost_usd', 'total_cost_usd', 'cost'],
}

/** Without a column for the configuration, these together are it. */
const skillParts = ['skill', 'skills', 'skills_enabled', 'with_skill']
const parts = ['agent', 'engine', 'model', ...skillParts]

interface Row {
  record: Record<string, string>
  info: { lines: number }
}

export async function readCsvResults(file: string, asked: Columns): Promise<ImportedRun[]> {
  const rows = await parseRows(file)
  const names = Object.keys(rows[0]?.record ?? {})
  if (rows.length === 0) throw new UserError(`${file}: no rows`, 'expected a line of names, and a line for each run')
  const columns = chooseColumns(file, names, asked)
  return rows.map(({ record, info }) => {
    const place = `${file}, line ${info.lines}`
    const score = toScore(readFields(record, columns.score), place)
    const name = readFields(record, columns.case)
    if (name === '') throw new UserError(`${place}: no case`, `fill the column ${columns.case.join('+')}`)
    return {
      case: name,
      configuration: configurationName(columns.configuration.map((one) => tellPart(one, record[one] ?? ''))),
      prompt: null,
      verdict:
        score === null
          ? null
          : {
              ...{ text: columns.score.join('+'), score, tests: [] },
              evidence: `${path.basename(file)}, line ${info.lines}`,
            },
      seconds: toMeasure(readFields(record, columns.seconds), `${place}: seconds`),
      tokens: toMeasure(readFields(record, columns.tokens), `${place}: tokens`),
      costUsd: toMeasure(readFields(record, columns.cost), `${place}: cost`),
    }
  })
}

async function parseRows(file: string): Promise<Row[]> {
  const { parse } = await import('csv-parse/sync')
  const text = await readText(file)
  const head = text.slice(0, text.search(/[\r\n]|$/))
  const delimiter = [',', ';', '\t'].reduce((a, b) => (head.split(b).length > head.split(a).length ? b : a))
  try {
    return parse(text, {
      columns: (names: string[]) => requireDistinct(names, file),
      bom: true,
      skip_empty_lines: true,
      trim: true,
      info: true,
      delimiter,
    })
  } catch (error) {
    if (error instanceof UserError) throw error
    throw new UserError(
      `${file}: ${errorMessage(error)}`,
      'every line needs as many fields as the first, which names them',
    )
  }
}

function requireDistinct(names: string[], file: string): string[] {
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice === undefined) return names
  throw new UserError(`${file}: two columns are called ${JSON.stringify(twice)}`, 'rename one')
}

/** The columns of each use. Throws UserError if case, configuration or score can't be told. */
function chooseColumns(file: string, names: readonly string[], asked: Columns): Required<Columns> {
  const all = names.join(', ')
  for (const [use, columns] of Object.entries(asked))
    for (const column of columns)
      if (!names.includes(column))
        throw new UserError(`--columns ${use}=${column}: ${file} has no such column`, `it has ${all}`)
  const chosen = {} as Required<Columns>
  for (const use of columnUses) {
    const own = usual[use].find((name) => names.some((one) => one.toLowerCase() === name))
    const found = names.find((one) => one.toLowerCase() === own)
    chosen[use] = asked[use] ?? (found === undefined ? [] : [found])
  }
  if (chosen.configuration.length === 0) chosen.configuration = names.filter((one) => parts.includes(one.toLowerCase()))
  for (const use of ['case', 'configuration', 'score'] as const)
    if (chosen[use].length === 0)
      throw new UserError(`${file}: no column for the ${use}`, `say which: --columns ${use}=<name>; it has ${all}`)
  return chosen
}

function readFields(record: Record<string, string>, columns: readonly string[]): string {
  return columns.map((one) => record[one] ?? '').join('+')
}

/** `1` alone tells nothing: trial=1; and skills_enabled=1 is with_skill. */
function tellPart(column: string, value: string): string {
  if (skillParts.includes(column.toLowerCase()) && /^(?:1|true|yes)$/i.test(value)) return 'with_skill'
  if (skillParts.includes(column.toLowerCase()) && /^(?:0|false|no)$/i.test(value)) return 'without_skill'
  return /^(?:\d+|true|false|yes|no)$/i.test(value) ? `${column}=${value}` : value
}

/** null: not known. Throws UserError for a text that is no amount. */
function toMeasure(text: string, place: string): number | null {
  if (/^(?:|-|n\/?a|nan|none|null|unknown)$/i.test(text)) return null
  const amount = Number(text)
  if (Number.isFinite(amount) && amount >= 0) return amount
  throw new UserError(`${place}: ${JSON.stringify(text)} is not an amount`, 'expected a number from 0, or nothing')
}
