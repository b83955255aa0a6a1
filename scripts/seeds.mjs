// Breaks the product in one place for each promise of docs/reference/seeds.md, by seeds.json, in a copy of the tree: the row's test must fail.
// All of these tests must pass in the unbroken copy first.
//   node scripts/seeds.mjs [--rows 1,40-59] [--documents DIR]
// --documents only looks whether the quotes of the page are in the texts of DIR, one file for each of the documents.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { copyTree, edit } from './mutants/copy_tree.mjs'

const root = path.join(import.meta.dirname, '..')
const { values } = parseArgs({ options: { rows: { type: 'string' }, documents: { type: 'string' } } })
/** Longer than any of these tests takes, so that only a broken one that never ends is ended. */
const patience = 180_000
const isSystem = ({ test }) => test.endsWith('.system.test.ts')

if (values.documents !== undefined) process.exit(findQuotes(values.documents) ? 0 : 1)
const rows = readRows()
const copies = [copyTree(), copyTree()]
for (const copy of copies) build(copy)
await assertPass(rows)
const survivors = []
const queue = [...rows]
await Promise.all(copies.map(tryRows))
for (const copy of copies) rmSync(copy, { recursive: true, force: true })
console.log(`${rows.length} rows, ${rows.length - survivors.length} failed when broken`)
process.exitCode = survivors.length === 0 ? 0 : 1

function readRows() {
  const all = JSON.parse(readFileSync(path.join(root, 'scripts/seeds.json'), 'utf8'))
  const ranges = values.rows?.split(',').map((range) => range.split('-').map(Number))
  return all.filter(({ row }) => ranges?.some(([first, last = first]) => row >= first && row <= last) ?? true)
}

/** A broken program need not have right types. */
function build(copy) {
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: copy, stdio: ['ignore', 'ignore', 'inherit'] })
}

/** Throws if tests fail in the unbroken tree, or if rows name none. */
async function assertPass(wanted) {
  const ended = []
  for (const group of [wanted.filter((row) => !isSystem(row)), wanted.filter(isSystem)])
    if (group.length > 0) ended.push(...(await runTests(copies[0], group)))
  const wrong = wanted.filter(({ test, name }) => {
    const own = ended.filter((one) => one.file === test && one.name.includes(name))
    return own.length === 0 || own.some(({ status }) => status !== 'passed')
  })
  for (const { row, test, name } of wrong) console.log(`row ${row}: "${name}" of ${test} is missing, or fails unbroken`)
  if (wrong.length > 0) throw new Error('nothing was broken')
  console.log(`the tests of ${wanted.length} rows pass unbroken`)
}

async function tryRows(copy) {
  for (let row = queue.shift(); row !== undefined; row = queue.shift()) {
    const before = edit(copy, row.file, row.from, row.to)
    if (isSystem(row)) build(copy)
    const ended = await runTests(copy, [row])
    writeFileSync(path.join(copy, row.file), before)
    if (ended.some(({ status }) => status === 'failed')) {
      console.log(`row ${row.row} fails when broken`)
      continue
    }
    survivors.push(row)
    console.log(`row ${row.row}: "${row.name}" of ${row.test} does not fail when ${row.file} is broken`)
  }
}

/** The tests of these rows as they ended; those of a file that could not be loaded are none of them. */
async function runTests(copy, group) {
  const project = isSystem(group[0]) ? 'system' : 'quick'
  const files = [...new Set(group.map(({ test }) => `test/${test}`))]
  const names = group.map(({ name }) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
  const output = path.join(copy, 'ended.json')
  rmSync(output, { force: true })
  const args = [
    'vitest',
    'run',
    '--project',
    project,
    ...files,
    '-t',
    `(?:${names})`,
    '--reporter',
    'json',
    '--outputFile',
    output,
  ]
  const child = spawn('npx', args, { cwd: copy, stdio: 'ignore', detached: true, env: { ...process.env, CI: '1' } })
  const end = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), patience)
  await new Promise((resolve) => child.once('close', resolve))
  clearTimeout(end)
  if (!existsSync(output)) return [] // it ended in another way, or was ended
  const { testResults } = JSON.parse(readFileSync(output, 'utf8'))
  return testResults.flatMap(({ name: file, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'passed' || status === 'failed')
      .map(({ status, fullName }) => ({ status, name: fullName, file: path.relative(path.join(copy, 'test'), file) })),
  )
}

/** Whether each quote of the page is in a document, whatever separates its words there. */
function findQuotes(folder) {
  const squeeze = (text) => text.replaceAll(/\s+/g, ' ')
  const documents = readdirSync(folder).map((name) => squeeze(readFileSync(path.join(folder, name), 'utf8')))
  const page = readFileSync(path.join(root, 'docs/reference/seeds.md'), 'utf8')
  const quotes = [...page.matchAll(/^\| (\d+) +\| `(.+?)` +\|/gm)]
  const missing = quotes.filter(
    ([, , quote]) => !documents.some((text) => text.includes(squeeze(quote.replaceAll('\\|', '|')))),
  )
  for (const [, row, quote] of missing) console.log(`row ${row}: not in the documents: ${quote}`)
  console.log(`${quotes.length} quotes, ${quotes.length - missing.length} are in the documents`)
  return missing.length === 0
}
