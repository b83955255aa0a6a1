// Holds our folders against skill-creator's own tools: `npm run interop -- DIR [--update]`, DIR a checkout of skill-creator.
// Needs python3. --update writes what its aggregator says of test/features/other_folders/interop/folder.json into test/features/other_folders/interop/reference.json.
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { loadScenario } from '../dist/src/features/practice/scenario/scenario.js'
import { startPractice } from '../dist/src/features/practice/server.js'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const folder = path.resolve(process.argv[2] ?? '')
const checkout = [folder, path.join(folder, 'skills/skill-creator')].find((at) =>
  existsSync(path.join(at, 'scripts/aggregate_benchmark.py')),
)
if (process.argv[2] === undefined || checkout === undefined) {
  console.error('usage: npm run interop -- DIR [--update], DIR a checkout of skill-creator')
  process.exit(2)
}
const temporary = mkdtempSync(path.join(tmpdir(), 'interop-'))
const misses = []
const readJson = (...names) => JSON.parse(readFileSync(path.join(...names), 'utf8'))

async function whetstone(args, env = {}) {
  const own = { PATH: process.env.PATH, HOME: temporary, NO_COLOR: '1', ...env }
  const program = path.join(root, 'dist/program/bin.js')
  await promisify(execFile)(process.execPath, [program, ...args], { env: own })
}

function layDown(name, files) {
  for (const [file, value] of Object.entries(files)) {
    const at = path.join(temporary, name, file)
    mkdirSync(path.dirname(at), { recursive: true })
    writeFileSync(at, typeof value === 'string' ? value : JSON.stringify(value))
  }
  return path.join(temporary, name)
}

const newest = (workspace) =>
  path.join(workspace, 'benchmarks', readdirSync(path.join(workspace, 'benchmarks')).sort().at(-1) ?? '')

async function demo() {
  const workspace = path.join(temporary, 'demo')
  await whetstone(['demo', '--workspace', workspace, '--runs', '3'])
  return newest(workspace)
}

/** Two versions of the example skill, with ids that are texts, on the practice model. */
async function versions() {
  const example = path.join(root, 'workspaces/example')
  const [now, old] = ['now', 'old'].map((name) => path.join(temporary, name, 'invoice-totals'))
  for (const copy of [now, old]) cpSync(path.join(example, 'invoice-totals'), copy, { recursive: true })
  const suite = readJson(now, 'evals/evals.json')
  const evals = suite.evals.map((one) => ({ ...one, id: `case-${'abcdefgh'[one.id]}` }))
  writeFileSync(path.join(now, 'evals/evals.json'), JSON.stringify({ ...suite, evals }))
  writeFileSync(
    path.join(old, 'SKILL.md'),
    readFileSync(path.join(old, 'SKILL.md'), 'utf8').replaceAll('total.mjs', 'sum.mjs'),
  )
  const server = await startPractice({ scenario: await loadScenario(path.join(example, 'practice.yaml')) })
  const engine = ['--engine', 'anthropic:practice-1', '--judge', 'anthropic:practice-1']
  const workspace = path.join(temporary, 'two')
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'practice' }
  try {
    await whetstone(['bench', now, '--baseline', old, ...engine, '--runs', '2', '--workspace', workspace], env)
  } finally {
    await server[Symbol.asyncDispose]()
  }
  return newest(workspace)
}

/** A folder that is not ours, with the baseline before the candidate in name order. */
async function foreign() {
  const made = layDown('foreign', readJson(root, 'test/features/other_folders/interop/folder.json'))
  await whetstone(['aggregate', made])
  return made
}

const close = (a, b) => Math.abs((a ?? 0) - (b ?? 0)) <= 1e-4 + 1e-9

function compareNumbers(name, benchmark) {
  const theirs = path.join(temporary, `${name}.json`)
  const script = path.join(checkout, 'scripts/aggregate_benchmark.py')
  execFileSync('python3', [script, benchmark, '-o', theirs], { stdio: 'pipe' })
  const [a, b] = [readJson(benchmark, 'benchmark.json').run_summary, readJson(theirs).run_summary]
  let compared = 0
  const arms = Object.keys(b).filter((arm) => arm !== 'delta')
  for (const arm of arms) {
    for (const metric of ['pass_rate', 'time_seconds', 'tokens']) {
      for (const statistic of ['mean', 'stddev', 'min', 'max']) {
        compared += 1
        const [own, other] = [a[arm]?.[metric]?.[statistic], b[arm][metric][statistic]]
        if (!close(own, other)) misses.push(`${name}: ${arm} ${metric} ${statistic}: ours ${own}, theirs ${other}`)
      }
    }
  }
  const turned = arms[0] === 'old_skill'
  const sign = turned ? -1 : 1
  for (const [metric, slack] of [
    ['pass_rate', 0.0101],
    ['time_seconds', 0.101],
    ['tokens', 1.01],
  ]) {
    const [own, other] = [Number(a.delta[metric] ?? 0), Number(b.delta[metric])]
    if (Math.abs(own - sign * other) > slack) misses.push(`${name}: delta ${metric}: ours ${own}, theirs ${other}`)
  }
  const why = turned ? ', the sign of its delta turned because it subtracts in name order' : ''
  console.log(`${name}: ${compared} numbers compared with the aggregator${why}`)
  return readJson(theirs).run_summary
}

function comparePage(name, benchmark) {
  const page = path.join(temporary, `${name}.html`)
  const script = path.join(checkout, 'eval-viewer/generate_review.py')
  execFileSync(
    'python3',
    [script, benchmark, '--static', page, '--benchmark', path.join(benchmark, 'benchmark.json')],
    { stdio: 'pipe' },
  )
  const shown = JSON.parse(
    /const EMBEDDED_DATA = (\{.*\});\n/.exec(readFileSync(page, 'utf8'))?.[1] ?? '{"runs":[]}',
  ).runs
  const files = readdirSync(benchmark, { recursive: true }).map((file) => String(file).replaceAll(path.sep, '/'))
  const runs = files.filter((file) => /\/run-\d+$/.test(file))
  for (const run of runs) {
    const found = shown.find((one) => one.id === run.replaceAll('/', '-'))
    if (found === undefined) misses.push(`${name}: ${run} is not on the page`)
    else {
      const prompt = readJson(benchmark, path.dirname(run), '../eval_metadata.json').prompt
      if (found.prompt !== prompt) misses.push(`${name}: ${run}: the page shows the prompt ${found.prompt}`)
      const outputs = readdirSync(path.join(benchmark, run, 'outputs'), { withFileTypes: true })
      const wanted = outputs.filter((file) => file.isFile() && file.name !== 'metrics.json').map((file) => file.name)
      const names = found.outputs.map((file) => file.name)
      if (wanted.some((file) => !names.includes(file))) misses.push(`${name}: ${run}: outputs ${names}, not ${wanted}`)
      if (found.grading?.expectations?.length !== readJson(benchmark, run, 'grading.json').expectations.length) {
        misses.push(`${name}: ${run}: the page shows no grades`)
      }
    }
  }
  console.log(`${name}: ${shown.length} of ${runs.length} runs on the review page, with prompt, outputs and grades`)
}

try {
  for (const [name, make] of Object.entries({ demo, versions, foreign })) {
    const benchmark = await make()
    const summary = compareNumbers(name, benchmark)
    // The page looks for a prompt in our layout only; the foreign folder has the aggregator's.
    if (name !== 'foreign') {
      comparePage(name, benchmark)
      continue
    }
    const golden = path.join(root, 'test/features/other_folders/interop/reference.json')
    if (process.argv.includes('--update')) writeFileSync(golden, `${JSON.stringify(summary, null, 2)}\n`)
    else if (JSON.stringify(readJson(golden)) !== JSON.stringify(summary))
      misses.push('test/features/other_folders/interop/reference.json is not what the aggregator says now: --update')
  }
} finally {
  rmSync(temporary, { recursive: true })
}
console.log(misses.length === 0 ? 'everything agrees' : misses.join('\n'))
process.exitCode = misses.length === 0 ? 0 : 1
