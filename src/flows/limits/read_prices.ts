/** Reads the file of --prices. */
import path from 'node:path'
import { priceTable, type UserPrices } from '../../../schemas/prices.ts'
import { UserError } from '../../base/errors/error.ts'
import { readText } from '../../base/json/json.ts'
import { findMisspelling } from '../../base/text/did_you_mean.ts'
import { readYaml, yamlFix } from '../../base/text/yaml.ts'
import { anthropicModel, providers } from '../../engines/models/providers.ts'
import { listEngineNames } from '../../engines/table.ts'

const example = 'such as anthropic:claude-haiku-5-5: { input: 1, output: 5, cache_read: 0.1, cache_write: 1.25 }'

/** YAML or JSON. Throws UserError with file, line and key of the first mistake. */
export async function readUserPrices(file: string): Promise<UserPrices> {
  const yaml = readYaml(await readText(path.resolve(file)))
  const fail = (place: { line: number; column: number }, message: string, fix: string) =>
    new UserError(`--prices: ${file}:${place.line}:${place.column}: ${message}`, fix)
  if (!yaml.ok) throw fail(yaml.at, `not valid YAML: ${yaml.message}`, yamlFix(yaml.message))
  const parsed = priceTable.safeParse(yaml.value)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const place = issue?.path ?? []
    const key = issue?.code === 'unrecognized_keys' ? [...place, issue.keys[0] ?? ''] : place
    throw fail(yaml.at(key), `${place.join(' ')}${place.length > 0 ? ': ' : ''}${issueText(issue)}`, example)
  }
  const table = parsed.data
  if (Object.keys(table).length === 0) throw fail({ line: 1, column: 1 }, 'no prices', example)
  for (const key of Object.keys(table)) {
    const misspelt = findMisspelling(key.split(':')[0] ?? '', [...listEngineNames(), ...Object.keys(providers)])
    if (misspelt !== null) throw fail(yaml.at([key]), `${key}: unknown provider`, `did you mean "${misspelt}"?`)
  }
  return { file: path.basename(file), table: { ...withAliases(table), ...table } }
}

type PriceIssue = { code?: string | undefined; message: string; keys?: string[]; issues?: { message: string }[] }

/** For a key that is not provider:model, zod's own sentence does not say what is expected. */
function issueText(issue: object | undefined): string {
  const { code, message, issues = [] }: PriceIssue = { message: 'not a table of prices', ...issue }
  return code === 'invalid_key' ? (issues[0]?.message ?? message) : message
}

/** The ids that short names of the Anthropic API stand for. */
function withAliases(table: UserPrices['table']): UserPrices['table'] {
  const renamed = Object.entries(table).flatMap(([key, price]) => {
    const [, model] = /^anthropic:(.+)$/.exec(key) ?? []
    return model === undefined ? [] : [[`anthropic:${anthropicModel(model)}`, price] as const]
  })
  return Object.fromEntries(renamed)
}
