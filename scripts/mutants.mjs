// Breaks the source in places chosen by a fixed seed, one at a time, and counts how many of these mutants a test notices.
//   node scripts/mutants.mjs [--count 300] [--seed 20261128] [--system] [--all] [--json FILE] [--alive FILE] [--tests PATH …]
// --alive tries only the mutants that were alive in an earlier run's --json.
// --all goes on after the first test that kills a mutant and lists the files that kill none that another does not kill too.
// A mutant that quick tests leave alive goes through the system tests with --system. Stryker runs tests in threads, where ours can't
// change their folder, so this is our own.
import { execFileSync, spawn } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { copyTree, edit } from './mutants/copy_tree.mjs'
import { writeMutants } from './mutants/sample.mjs'

const folders = ['src/base', 'src/phases', 'src/store', 'src/jobs']
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '300' },
    seed: { type: 'string', default: '20261128' },
    system: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    json: { type: 'string' },
    alive: { type: 'string' },
    workers: { type: 'string', default: '3' },
    tests: { type: 'string', multiple: true, default: [] },
  },
})

const passMutant = `
function passMutant(): Record<string, string> {
  const names = ['WHETSTONE_MUTANT', 'WHETSTONE_MUTANTS_PASSED']
  return Object.fromEntries(names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])))
}
`

/** Longer than any test runs with a mutant, so that only one that loops for ever is ended. */
const patience = 120_000

const copy = makeCopy()
const state = mkdtempSync(path.join(tmpdir(), 'mutants-'))
const mutants = writeMutants(copy, folders, { count: Number(values.count), seed: Number(values.seed) })
execFileSync('npm', ['run', '--silent', 'build'], { cwd: copy, stdio: 'inherit' })

const ids = values.alive === undefined ? mutants.map(({ id }) => id) : listAlive(values.alive)
await runTests('quick', ids)
if (values.system)
  await runTests(
    'system',
    ids.filter((id) => listKillers(id).length === 0),
  )
report()
rmSync(copy, { recursive: true, force: true })
rmSync(state, { recursive: true, force: true })

/** The tree, with a runner that tries each mutant. */
function makeCopy() {
  const place = copyTree()
  const runner = path.join(import.meta.dirname, 'mutants/runner.mjs')
  edit(place, 'vitest.config.ts', 'const each = {', `const each = {\n  runner: ${JSON.stringify(runner)},`)
  // the program that a test starts has the mutant too
  edit(place, 'test/e2e/program.ts', "    NO_COLOR: '1',\n", "    NO_COLOR: '1',\n    ...passMutant(),\n")
  appendFileSync(path.join(place, 'test/e2e/program.ts'), passMutant)
  // a mutant's types may be wrong
  edit(place, 'scripts/build.mjs', 'import { execFileSync }', 'import { spawnSync as execFileSync }')
  return place
}

/** Runs the tests of this project of Vitest; files whose worker was ended because a mutant never did are run again. */
async function runTests(project, wanted) {
  if (wanted.length === 0) return
  let files = values.tests
  for (;;) {
    const ended = await runOnce(project, wanted, files)
    if (ended.length === 0) return
    files = ended
  }
}

async function runOnce(project, wanted, files) {
  const args = ['vitest', 'run', '--project', project, ...files]
  const child = spawn('npx', [...args, '--maxWorkers', values.workers, '--testTimeout', '30000', '--reporter', 'dot'], {
    cwd: copy,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      CI: '1',
      WHETSTONE_MUTANTS_STATE: state,
      WHETSTONE_MUTANTS_WANTED: wanted.join(' '),
      WHETSTONE_MUTANTS_ALL: values.all ? '1' : '0',
    },
  })
  const ended = []
  const watch = setInterval(() => ended.push(...endLoops()), 5_000)
  await new Promise((resolve) => child.once('close', resolve))
  clearInterval(watch)
  return ended
}

/** Ends the workers whose mutant takes too long: it counts as killed. Gives their test files. */
function endLoops() {
  const now = Date.now()
  return readdirSync(state)
    .filter((name) => name.startsWith('trying-') && now - begun(name) > patience)
    .flatMap((name) => {
      const [id = '', ...files] = readFileSync(path.join(state, name), 'utf8').split(' ')
      rmSync(path.join(state, name))
      writeFileSync(path.join(state, `killed-${id}`), `${files.join(' ')} > did not end`)
      process.kill(Number(name.slice('trying-'.length)), 'SIGKILL')
      return files
    })
}

function listAlive(file) {
  const earlier = JSON.parse(readFileSync(file, 'utf8'))
  return earlier.filter(({ killers }) => killers.length === 0).map(({ id }) => id)
}

/** When a worker began with its mutant, in milliseconds; now if it has just ended with it. */
function begun(name) {
  return statSync(path.join(state, name), { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
}

/** Each `<test file> > <test>`; empty while it is alive. */
function listKillers(id) {
  const file = path.join(state, `killed-${id}`)
  return existsSync(file) ? readFileSync(file, 'utf8').replaceAll(`${copy}/`, '').trim().split('\n') : []
}

function report() {
  const covered = new Set(readdirSync(state).flatMap((name) => /^covered-(\d+)$/.exec(name)?.[1] ?? []))
  const rows = mutants
    .filter(({ id }) => ids.includes(id))
    .map((one) => ({ ...one, covered: covered.has(String(one.id)), killers: listKillers(one.id) }))
  const alive = rows.filter(({ killers }) => killers.length === 0)
  for (const { file, line, kind, from, to, covered: isCovered } of alive) {
    const place = `${file}:${line}`
    console.log(`alive: ${place} (${kind}${isCovered ? '' : ', no test passes it'}) ${shorten(from)} → ${shorten(to)}`)
  }
  if (values.all) reportSpareFiles(rows)
  const killed = rows.length - alive.length
  console.log(`${killed} of ${rows.length} mutants killed (${((100 * killed) / rows.length).toFixed(1)}%)`)
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(rows, null, 2)}\n`)
}

/** Files of tests of which every mutant they kill is killed by another file too: places to look, since 300 mutants are a sample. */
function reportSpareFiles(rows) {
  const files = rows.map(({ killers }) => new Set(killers.map((one) => one.split(' > ')[0])))
  for (const file of new Set(files.flatMap((one) => [...one]))) {
    const own = files.filter((one) => one.has(file))
    if (own.every((one) => one.size > 1))
      console.log(`kills no further mutant: ${file} (${own.length}, all killed elsewhere)`)
  }
}

function shorten(text) {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > 70 ? `${line.slice(0, 70)}…` : line
}
