// Adds up a column of a CSV file (or of stdin, for -), and prints the total; --json prints it as JSON.
import { readFileSync } from 'node:fs'

const [file = '-', column = 'amount', form] = process.argv.slice(2)
const [head = '', ...rows] = readFileSync(file === '-' ? 0 : file, 'utf8').trim().split('\n')
const at = head.split(',').indexOf(column)
if (at < 0) {
  console.error(`no column ${column} in ${head}`)
  process.exit(1)
}
const sum = rows.reduce((total, row) => total + Number(row.split(',')[at]), 0)
console.log(
  form === '--json' ? JSON.stringify({ column, rows: rows.length, total: sum }) : `Total: ${sum.toFixed(2)}`,
)
