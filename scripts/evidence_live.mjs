// Runs a protocol that was fixed beforehand, with a real key: `npm run evidence:live -- --budget 20 --skills DIR`, DIR a checkout of the
// repository that the protocol names. Each skill is benched on each model through the CLI; the results go into the protocol's file.
// --protocol FILE: another protocol than docs/explanation/evidence-live.md. --workspace DIR: where the benchmarks go.
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { decideProtocol, formatResults } from './evidence/live_results.mjs'
import { readProtocol, writeResults } from './evidence/protocol.mjs'
import { InputError } from './evidence/rows.mjs'

const root = path.dirname(import.meta.dirname)
const text = { type: 'string' }
const { values } = parseArgs({ options: { budget: text, skills: text, protocol: text, workspace: text } })
const budget = Number(values.budget)
if (values.skills === undefined || !(budget > 0)) {
  console.error('usage: npm run evidence:live -- --budget DOLLARS --skills DIR [--protocol FILE] [--workspace DIR]')
  process.exit(2)
}
const workspace = path.resolve(values.workspace ?? path.join(root, 'workspaces/evidence-live'))
const file = path.resolve(values.protocol ?? path.join(root, 'docs/explanation/evidence-live.md'))

/** Benches one skill on one model with at most so many dollars; ends the script where bench was refused. */
function bench({ skill, model, dollars }, runs) {
  const target = path.join(workspace, `${skill.name}-${model.replaceAll(/[^\w.-]+/g, '-')}`)
  const suite = path.resolve(path.dirname(file), skill.suite)
  const folder = path.resolve(values.skills, skill.path)
  const flags = ['--engine', model, '--runs', `${runs}`, '--budget', dollars.toFixed(2), '--no-cache', '--yes']
  const args = ['bench', folder, '--suite', suite, ...flags, '--workspace', target]
  console.log(`\n${skill.name} on ${model}, at most $${dollars.toFixed(2)}`)
  const { status } = spawnSync(process.execPath, [path.join(root, 'dist/program/bin.js'), ...args], {
    stdio: 'inherit',
  })
  // 3: the budget ended it, or a run has no grade; what there is counts as far as it goes
  const benchmarks = path.join(target, 'benchmarks')
  const newest = existsSync(benchmarks) ? readdirSync(benchmarks).sort().at(-1) : undefined
  if ((status !== 0 && status !== 3) || newest === undefined)
    throw new InputError(`bench of ${skill.name} on ${model} ended with exit code ${status}`)
  return JSON.parse(readFileSync(path.join(benchmarks, newest, 'benchmark.json'), 'utf8'))
}

try {
  const protocol = readProtocol(file)
  if (protocol.commit !== undefined) assertCommit(values.skills, protocol.commit)
  const planned = protocol.skills.flatMap((skill) => protocol.models.map((model) => ({ skill, model })))
  const found = []
  let spent = 0
  for (const [at, one] of planned.entries()) {
    const dollars = (budget - spent) / (planned.length - at)
    if (dollars < 0.01) throw new InputError(`the budget is spent before ${one.skill.name} on ${one.model}`)
    const benchmark = bench({ ...one, dollars }, protocol.runs)
    spent += benchmark.cost?.agent_usd ?? 0
    found.push({ ...one, benchmark })
  }
  const hash = createHash('sha256').update(protocol.text).digest('hex').slice(0, 12)
  const results = formatResults(decideProtocol(found, protocol.alpha), { hash, spent, date: new Date() })
  writeResults(file, results)
  console.log(`\n${results}\n\nwrote ${path.relative(process.cwd(), file)}`)
} catch (error) {
  if (!(error instanceof InputError)) throw error
  console.error(`error: ${error.message}`)
  process.exit(2)
}

function assertCommit(folder, commit) {
  let found = 'no commit'
  try {
    found = execFileSync('git', ['-C', folder, 'rev-parse', 'HEAD'], { encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {}
  if (found !== commit) throw new InputError(`${folder} is at ${found}; the protocol names ${commit}`)
}
