// Loads every .json below DIR as a suite, each beside a SKILL.md of its own, and prints what came of it. Needs a build.
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  console.error('npm run corpora -- DIR: a folder with evals.json files, of any names')
  process.exit(2)
}
const { loadSuite } = await import('../dist/src/phases/1-plan/load.js')
const { UserError } = await import('../dist/src/base/error.js')

const reasons = [
  ['no input file', /: no such file/],
  ['input outside', /leads out of the skill folder/],
  ['no prompt', /^it has no prompt$/],
]
const columns = [
  'cases',
  'runnable',
  ...reasons.map(([name]) => name),
  'other',
  'ungraded',
  'derived',
  'judged',
  'checks',
]

/** A file's own numbers, or why it is refused. */
async function load(file) {
  const scratch = mkdtempSync(path.join(tmpdir(), 'corpora-'))
  try {
    const suite = path.join(scratch, 'skill/evals/evals.json')
    mkdirSync(path.dirname(suite), { recursive: true })
    copyFileSync(file, suite)
    writeFileSync(path.join(scratch, 'skill/SKILL.md'), '---\nname: skill\ndescription: A skill.\n---\n\nDo it.\n')
    const { cases, warnings } = await loadSuite(path.join(scratch, 'skill'))
    return { numbers: count(cases), typed: warnings.flatMap(({ message }) => typedIn(message)) }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { refused: error.message.replaceAll(`${scratch}/skill/evals/`, '') }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** What a warning says became of criteria with a type: how many (one warning counts many places), and which fate. */
function typedIn(message) {
  const [, type, fate] = /^type "(.*?)" is (read as a check|not certain|not supported)/.exec(message) ?? []
  const places = Number(/ \(here and at (\d+) more\)$/.exec(message)?.[1] ?? 0) + 1
  return type === undefined ? [] : [{ type, fate, places }]
}

function count(cases) {
  const why = cases.filter((one) => one.cannot_run !== null).map((one) => kindOf(one.cannot_run))
  const ungraded = cases.filter((one) => one.expectations.length + one.checks.length === 0).length
  const total = (list) => cases.reduce((sum, one) => sum + one[list].length, 0)
  const derived = cases.filter((one) => one.expectations.some((each) => each.derived)).length
  const by = [...reasons.map(([name]) => name), 'other'].map((name) => [name, why.filter((one) => one === name).length])
  return {
    cases: cases.length,
    runnable: cases.length - why.length,
    ...Object.fromEntries(by),
    ungraded,
    derived,
    judged: total('expectations'),
    checks: total('checks'),
  }
}

/** By the first of a case's reasons that is not just a file that the corpus lacks. */
function kindOf(text) {
  const kinds = text.split('; ').map((reason) => reasons.find(([, form]) => form.test(reason))?.[0] ?? 'other')
  return kinds.find((kind) => kind !== 'no input file') ?? 'no input file'
}

function row(name, numbers) {
  return name.slice(0, 44).padEnd(46) + columns.map((column) => String(numbers[column]).padStart(14)).join('')
}

const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'))
const all = []
console.log(''.padEnd(46) + columns.map((column) => column.padStart(14)).join(''))
for (const name of files.sort()) {
  const one = await load(path.join(folder, name))
  all.push(one)
  console.log(one.numbers ? row(name, one.numbers) : `${name.slice(0, 44).padEnd(46)}  refused: ${one.refused}`)
}
const loaded = all.flatMap(({ numbers }) => (numbers ? [numbers] : []))
const total = Object.fromEntries(
  columns.map((column) => [column, loaded.reduce((sum, numbers) => sum + numbers[column], 0)]),
)
console.log(row('all', total))
const able = loaded.filter(({ runnable }) => runnable > 0).length
const lacking = loaded.filter((numbers) => numbers.runnable === 0 && numbers['no input file'] > 0).length
console.log(
  `\n${files.length} files: ${able} load with a case that can run, ${lacking} only lack input files that are not in DIR, ` +
    `${loaded.length - able - lacking} have no case that can run, ${files.length - loaded.length} are refused`,
)
const fates = new Map()
for (const { type, fate, places } of all.flatMap((one) => one.typed ?? [])) {
  const types = fates.get(fate) ?? new Map()
  fates.set(fate, types.set(type, (types.get(type) ?? 0) + places))
}
if (fates.size > 0) console.log('criteria with a type that may be a check:')
for (const [fate, types] of fates) {
  const sum = [...types.values()].reduce((total, one) => total + one, 0)
  console.log(`  ${fate}: ${sum} (${[...types].map(([type, places]) => `${type} ${places}`).join(', ')})`)
}
