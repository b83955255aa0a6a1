// Loads every suite below DIR, of any format, and prints the outcome. Any other .json file is recognised by its content: an evals.json
// (loaded next to a temporary SKILL.md), a trigger set, or not a suite. Needs a build.
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  console.error('npm run corpora -- DIR: a folder with suites of any format, and evals.json files of any names')
  process.exit(2)
}
const { loadSuite } = await import('../dist/src/phases/1-plan/suite/load_suite.js')
const { UserError } = await import('../dist/src/base/errors/error.js')
const { findSuites, loadSuites } = await import('../dist/src/phases/1-plan/suite/find_suites.js')
const { loadQuerySet } = await import('../dist/src/features/triggers/queries/load_query_set.js')
const { readAamTests } = await import('../dist/src/features/aam/read_tests.js')

const reasons = [
  ['no input file', /: no such file/],
  ['input outside', /leads out of the skill folder/],
  ['no prompt', /^it has no prompt/],
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
    return read(await loadSuite(path.join(scratch, 'skill')))
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { refused: error.message.replaceAll(`${scratch}/skill/evals/`, '') }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function read({ cases, warnings }) {
  return { numbers: count(cases), cases, warnings, typed: warnings.flatMap(({ message }) => typedIn(message)) }
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

const root = path.resolve(folder)
const within = (text) => text.replaceAll(`${root}/`, '').replaceAll(tmpdir(), '<tmp>')

/** A refusal is a row too; anything else thrown is a bug, and ends this. */
function refusal(error) {
  if (error instanceof UserError) return { refused: within(error.message) }
  throw error
}

/** Suites where they lie, as eval finds them. */
async function inPlace() {
  const found = await findSuites(root, null).catch((error) => {
    if (error instanceof UserError) return []
    throw error
  })
  return (await loadSuites(found)).map(({ found: { format, place }, read: end }) => ({
    ...{ format, place, name: path.relative(root, place) || '.' },
    ...(end.status === 'fulfilled' ? read(end.value) : refusal(end.reason)),
  }))
}

/** Names of what a benchmark leaves behind. */
const results =
  /(?:^|[/_])(?:grading|timing|metrics|eval_metadata|benchmark|comparison|analysis|feedback|history|summary)(?:-\d+)?\.json$/

/** What a .json of any name is, by what it holds. */
function kindOfJson(name, value) {
  const items = [value, ...Object.values(Object(value))].find((one) => Array.isArray(one) && one.length > 0) ?? []
  const has = (keys) =>
    items.filter((one) => keys.some((key) => Object.hasOwn(Object(one), key))).length * 2 > items.length
  const isLabelled = Object.hasOwn(Object(value), 'should_trigger') || has(['should_trigger'])
  if (results.test(name)) return 'result of a benchmark'
  if (Object.hasOwn(Object(value), 'hooks')) return 'hooks or settings'
  if (isLabelled && !has(['assertions', 'expectations', 'expected_output', 'expected_behavior'])) return 'trigger set'
  return 'evals.json'
}

async function loose(name) {
  const file = path.join(root, name)
  let kind = 'evals.json'
  try {
    kind = kindOfJson(name, JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    // the loader says why
  }
  const shared = { format: kind, place: file, name }
  if (kind === 'evals.json') return { ...shared, ...(await load(file)) }
  if (kind !== 'trigger set') return { ...shared, passed: true }
  return await loadQuerySet(file, 'skill').then(
    ({ queries }) => ({ ...shared, queries: queries.length }),
    (error) => ({ ...shared, ...refusal(error) }),
  )
}

const suites = await inPlace()
/** The package of an AAM suite; else the folder of what is one, or the file. */
const homeOf = ({ place, format }) => {
  if (format === 'aam') return path.dirname(path.dirname(place))
  return statSync(place).isDirectory() ? path.dirname(place) : place
}
const homes = suites.map(homeOf)
const isOfSuite = (name) =>
  homes.some((home) => path.join(root, name) === home || path.join(root, name).startsWith(`${home}/`))
const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'))
const all = [...suites]
for (const name of names.filter((one) => !isOfSuite(one)).sort()) all.push(await loose(name))

console.log(''.padEnd(46) + columns.map((column) => column.padStart(14)).join(''))
for (const one of all) {
  const name = one.name.length > 44 ? `…${one.name.slice(-43)}` : one.name
  if (one.numbers) console.log(row(name, one.numbers))
  else if (one.refused) console.log(`${name.padEnd(46)}  refused: ${one.refused}`)
}
for (const format of new Set(all.map((one) => one.format)))
  tell(
    format,
    all.filter((one) => one.format === format),
  )

for (const one of suites.filter(({ format }) => format === 'aam')) {
  const { tests, warnings } = await readAamTests(homeOf(one))
  const broken = tests.flatMap(({ file, mistakes: [first] }) => (first ? [`${file}: ${first.message}`] : []))
  console.log(`\ntests of the package of ${one.name}: ${tests.length} read, ${broken.length} can't run`)
  for (const line of [...broken, ...warnings]) console.log(`  ${within(line)}`)
}

/** The sums of one format, and every reason that is not just counted in a column. */
function tell(format, ones) {
  const refused = ones.filter((one) => one.refused)
  if (ones.every(({ passed }) => passed)) return console.log(`\n${format}: ${ones.length} files, no suites`)
  if (format === 'trigger set') {
    const queries = ones.reduce((sum, one) => sum + (one.queries ?? 0), 0)
    return console.log(
      `\n${format}: ${ones.length} files, ${ones.length - refused.length} load (${queries} queries), ${refused.length} are refused`,
    )
  }
  const loaded = ones.flatMap(({ numbers }) => (numbers ? [numbers] : []))
  const total = Object.fromEntries(
    columns.map((column) => [column, loaded.reduce((sum, numbers) => sum + numbers[column], 0)]),
  )
  console.log(`\n${row(format, total)}`)
  const able = loaded.filter(({ runnable }) => runnable > 0).length
  const lacking = loaded.filter((numbers) => numbers.runnable === 0 && numbers['no input file'] > 0).length
  console.log(
    `${ones.length} suites: ${able} load with a case that can run, ${lacking} only lack input files that are not in DIR, ` +
      `${loaded.length - able - lacking} have no case that can run, ${refused.length} are refused`,
  )
  if (format !== 'evals.json') for (const one of ones) reasonsOf(one)
  fates(ones)
}

function reasonsOf({ name, cases = [], warnings = [] }) {
  const why = cases.flatMap(({ eval_name, cannot_run }) => (cannot_run === null ? [] : [`${eval_name}: ${cannot_run}`]))
  const told = warnings.map(({ at, message }) => `warning at ${at}: ${message}`)
  for (const line of [...why, ...told]) console.log(`  ${name}: ${within(line)}`)
}

function fates(ones) {
  const found = new Map()
  for (const { type, fate, places } of ones.flatMap((one) => one.typed ?? [])) {
    const types = found.get(fate) ?? new Map()
    found.set(fate, types.set(type, (types.get(type) ?? 0) + places))
  }
  if (found.size > 0) console.log('criteria with a type that may be a check:')
  for (const [fate, types] of found) {
    const sum = [...types.values()].reduce((total, one) => total + one, 0)
    console.log(`  ${fate}: ${sum} (${[...types].map(([type, places]) => `${type} ${places}`).join(', ')})`)
  }
}
