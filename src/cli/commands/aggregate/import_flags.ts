/** The flags of `aggregate --from`. */
import path from 'node:path'
import type { Options } from 'yargs'
import { UserError } from '../../../base/errors/error.ts'
import { suggestChoice } from '../../../base/text/did_you_mean.ts'
import { type Columns, columnUses, resultFormats } from '../../../flows/aggregate/import_results.ts'

export const importFlags = {
  from: {
    choices: Object.keys(resultFormats),
    requiresArg: true,
    describe: 'read results of this tool, and write them as a benchmark into --output',
  },
  columns: {
    type: 'string',
    array: true,
    nargs: 1,
    requiresArg: true,
    describe: 'which columns or scores to use: case=task score=reward configuration=agent+model',
  },
} satisfies Record<string, Options>

interface ImportArgs {
  from?: string | undefined
  columns?: string[] | undefined
  output?: string | undefined
  to?: string | undefined
  force: boolean
}

export function readImportWish({ from, columns, output, to, force }: ImportArgs) {
  if (from === undefined) {
    if (columns !== undefined) throw new UserError('--columns without --from', 'say what to read: --from csv')
    return null
  }
  if (output === undefined) throw new UserError('--from without --output', 'name a new folder: --output results')
  if (to !== undefined) throw new UserError('--from with --to', 'aggregate the new folder with --to afterwards')
  if (force) throw new UserError('--from with --force', 'remove --force: the folder of --output is always a new one')
  return { from, columns: parseColumns(columns ?? []), target: path.resolve(output) }
}

function parseColumns(given: readonly string[]): Columns {
  const columns: Columns = {}
  for (const one of given) {
    const [, name = '', value = ''] = /^([^=]*)=(.+)$/s.exec(one) ?? []
    const use = columnUses.find((known) => known === name)
    if (value === '') throw new UserError(`--columns "${one}": not of the form use=name`, 'such as score=reward')
    if (use === undefined)
      throw new UserError(`--columns "${one}": "${name}" is not a use`, suggestChoice(name, columnUses))
    if (columns[use] !== undefined)
      throw new UserError(
        `--columns: ${use} is named twice`,
        'name each use once; + joins columns, as in configuration=agent+model',
      )
    columns[use] = value.split('+')
  }
  return columns
}
