// Reads a CSV file of runs: named columns, numbers where a column is a number, null where a cell is empty.
import { existsSync, readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'

/** Input that can't be used; the message says what and where. */
export class InputError extends Error {}

/** `columns`: each column that is needed, as `text` or `number`. Further columns are left out. */
export function readRows(file, columns) {
  if (!existsSync(file)) throw new InputError(`${file}: no such file`)
  const rows = parse(readFileSync(file), { columns: true, skip_empty_lines: true })
  const missing = Object.keys(columns).filter((name) => !(name in (rows[0] ?? {})))
  if (missing.length > 0) throw new InputError(`${file}: no column ${missing.join(', ')}`)
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(columns).map(([name, type]) => [name, type === 'text' ? row[name] : readNumber(row[name], name)]),
    ),
  )

  function readNumber(cell, name) {
    if (cell === '') return null
    const value = Number(cell)
    if (Number.isNaN(value)) throw new InputError(`${file}: a cell of ${name} is "${cell}", not a number`)
    return value
  }
}

/** The rows by the value of `keyOf`, in order of appearance. */
export function groupRows(rows, keyOf) {
  const groups = new Map()
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row])
  return groups
}
