// Our bench beside `claude plugin eval`: the same suite, CLI, server, parallelism and graders by code; both as whole programs.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { bin, exitOf, fresh, median, report, root, startPractice, timed, write } from './shared.mjs'

const claude = path.join(root, '.agent-clis/bin/claude')
const [cases, runs, width] = [8, 3, 8]
const rounds = Number(process.env.ROUNDS ?? 5)

/** A plugin with one skill and its suite: answered at once, graded by a pattern. */
function makePlugin() {
  const suite = Array.from({ length: cases }, (_, at) => [
    [`evals/case-${at + 1}/prompt.md`, `Say the word, number ${at + 1}.\n`],
    [`evals/case-${at + 1}/graders/word.md`, '---\ntype: regex\npattern: done\n---\n'],
  ])
  return write(path.join(fresh(), 'quick'), {
    '.claude-plugin/plugin.json': JSON.stringify({ name: 'quick', version: '1.0.0', description: 'Says the word.' }),
    'skills/quick/SKILL.md': '---\nname: quick\ndescription: Says the word.\n---\n\nSay done.\n',
    ...Object.fromEntries(suite.flat()),
  })
}

async function program(command, args, more) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...more })
  const said = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk))
  const code = await exitOf(child)
  return { code, text: Buffer.concat(said).toString('utf8') }
}

function environment(server) {
  const home = fresh()
  return { PATH: process.env.PATH, HOME: home, CLAUDE_CONFIG_DIR: path.join(home, '.claude'), ...server.env }
}

async function peer(plugin, server) {
  const out = path.join(fresh(), 'result.json')
  const quiet = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1', IS_SANDBOX: '1' }
  const asked = ['plugin', 'eval', plugin, '--trust-plugin', '--no-publish', '--runs', runs, '-j', width, '--json', out]
  const env = { ...environment(server), ...quiet }
  const { ms, result } = await timed(() => program(claude, asked.map(String), { env, cwd: fresh() }))
  if (!existsSync(out)) throw new Error(`claude plugin eval: exit ${result.code}: ${result.text.slice(-2000)}`)
  const { casesTotal, casesPassed } = findAll(JSON.parse(readFileSync(out, 'utf8')))
  if (casesTotal !== cases || casesPassed !== cases)
    throw new Error(`claude plugin eval: ${casesPassed} of ${casesTotal} cases`)
  return ms
}

/** The suite's totals, wherever the result of this version has them. */
function findAll(value) {
  if (value === null || typeof value !== 'object') return {}
  if ('casesTotal' in value) return value
  return (
    Object.values(value)
      .map(findAll)
      .find((one) => 'casesTotal' in one) ?? {}
  )
}

async function ours(plugin, server) {
  const asked = [
    bin,
    'bench',
    path.join(plugin, 'skills/quick'),
    '--suite',
    plugin,
    '--engine',
    'claude-code',
    '--runs',
    runs,
  ]
  const more = ['--concurrency', width, '--workspace', path.join(fresh(), 'ws'), '--json']
  const env = { ...environment(server), WHETSTONE_CLAUDE: claude }
  const { ms, result } = await timed(() =>
    program(process.execPath, [...asked, ...more].map(String), { env, cwd: fresh() }),
  )
  const last = JSON.parse(
    result.text
      .trim()
      .split('\n')
      .findLast((line) => line.includes('"type":"result"')) ?? '{}',
  )
  if (last.counts?.used !== cases * 2 * runs) throw new Error(`bench: exit ${result.code}: ${result.text.slice(-2000)}`)
  return ms
}

if (!existsSync(claude)) {
  console.log('skip  beside claude plugin eval: needs the claude CLI; to get it: npm run agents')
} else {
  const server = await startPractice({ schema_version: 1, latency: 1000, rules: [{ name: 'answer', text: 'done' }] })
  try {
    const plugin = makePlugin()
    const pairs = []
    for (let round = 0; round < rounds; round += 1) {
      pairs.push({ peer: await peer(plugin, server), ours: await ours(plugin, server) })
    }
    const middle = (pick) => median(pairs.map(pick))
    report({
      name: `${cases} cases × 2 arms × ${runs} runs, ${width} wide, beside claude plugin eval`,
      value: middle((pair) => pair.ours / pair.peer),
      limit: 1.1,
      detail: `ours ${middle((pair) => pair.ours).toFixed(0)} ms, theirs ${middle((pair) => pair.peer).toFixed(0)} ms`,
    })
  } finally {
    await server.end()
  }
}
