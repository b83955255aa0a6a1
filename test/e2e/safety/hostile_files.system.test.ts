/** What an agent leaves behind harms nobody: not the next start, not a terminal that shows it, and no key stays in a name. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { runRecord } from '../../../schemas/run.ts'
import { runMain } from '../../cli/run_main.ts'
import { agent, fresh, makeSkill } from '../program.ts'

const evals = [{ id: 1, prompt: 'say it', checks: [{ type: 'contains', value: 'TIDY' }] }]

/** One run of a fixture's agent in each configuration: the folder of the first, and the temporary folder. */
async function benched(name: string, env: Record<string, string> = {}, flags: readonly string[] = []) {
  const [workspace, tmp] = [path.join(fresh(), 'ws'), path.join(fresh(), 'tmp')]
  mkdirSync(tmp)
  const args = ['bench', makeSkill(evals), '--engine', agent(name), '--runs', '1', '--sandbox', 'off', ...flags]
  const end = await runMain([...args, '--workspace', workspace], { env: { TMPDIR: tmp, ...env } })
  expect(end.code, end.stderr).toBe(0)
  const benchmarks = path.join(workspace, 'benchmarks')
  const folder = path.join(benchmarks, readdirSync(benchmarks)[0] ?? '')
  const run = path.join(folder, readdirSync(folder).find((one) => one.startsWith('eval-1')) ?? '', 'with_skill/run-1')
  const record = runRecord.parse(JSON.parse(readFileSync(path.join(run, 'run.json'), 'utf8')))
  return { end, tmp, workspace, folder, run, record }
}

test('folders nested 4,000 levels deep: the run counts, what lies too deep is listed, nothing stays for the next start', async () => {
  const { record, tmp } = await benched('nesting.mjs')
  expect(record.status).toBe('completed')
  expect(record.outputs.files.map((file) => path.basename(file.path))).toEqual([
    'answer.txt',
    'at-10.txt',
    'at-400.txt',
  ])
  expect(record.outputs.left_out.map(({ reason }) => reason)).toEqual(['its path is longer than 1000 bytes'])
  expect(readdirSync(tmp)).toEqual([])
})

/** What acts on a terminal, or turns text around; line ends and tabs do not. */
const acting = /(?![\n\t]|\r\n)\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

test('nothing that acts on a terminal is in a file that people read there, or printed', async () => {
  const reports = path.join(fresh(), 'results.xml')
  const summary = path.join(fresh(), 'summary.md')
  const env = { GITHUB_STEP_SUMMARY: summary }
  const { end, folder, run } = await benched('terminal.mjs', env, ['--reporter', `junit:${reports},github`])
  const read = (...parts: string[]) => readFileSync(path.join(...parts), 'utf8')
  const texts = {
    'transcript.md': read(run, 'transcript.md'),
    'stderr.log': read(run, 'stderr.log'),
    'benchmark.md': read(folder, 'benchmark.md'),
    junit: read(reports),
    summary: read(summary),
    stdout: end.stdout,
    stderr: end.stderr,
  }
  for (const [name, text] of Object.entries(texts)) expect(text, name).not.toMatch(acting)
  for (const name of ['transcript.md', 'stderr.log'] as const) {
    expect(texts[name]).toContain('⟨U+001B⟩]52;c;ZXZpbA==⟨U+0007⟩')
    expect(texts[name]).toContain('⟨U+009B⟩31m ⟨U+202E⟩desrever')
    expect(texts[name]).toContain('over⟨U+000D⟩written\tstays\r\nnext line')
  }
  // control: what the agent said did act, and is kept as it was where nobody reads it in a terminal
  expect(JSON.parse(read(run, 'run.json')).final_response).toMatch(acting)
})

test('nor in what is printed of an agent that fails, and of a suite', async () => {
  const [workspace, tmp] = [path.join(fresh(), 'ws'), fresh()]
  const acts = '\u001b]0;title\u0007\u202E'
  const hostile = makeSkill([
    { id: 1, eval_name: `name ${acts}`, prompt: `say ${acts}`, checks: [{ type: 'contains', value: `TIDY ${acts}` }] },
  ])
  const flags = ['--runs', '1', '--sandbox', 'off', '--retries', '0']
  const args = ['bench', hostile, '--engine', agent('terminal.mjs'), ...flags]
  const env = { TMPDIR: tmp, AGENT_FAILS: '1' }
  const end = await runMain([...args, '--workspace', workspace, '--pass-env', 'AGENT_FAILS'], { env })
  expect(end.code).toBe(3)
  const shown = await runMain(['check', hostile])
  const planned = await runMain([...args, '--dry-run'], { env })
  for (const text of [end.stdout, end.stderr, shown.stdout, shown.stderr, planned.stdout, planned.stderr]) {
    expect(text).not.toMatch(acting)
  }
  const markdown = readdirSync(workspace, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(md|log)$/.test(name),
  )
  expect(markdown.map((name) => path.basename(name)).sort()).toEqual([
    'benchmark.md',
    'stderr.log',
    'stderr.log',
    'transcript.md',
    'transcript.md',
  ])
  for (const name of markdown) expect(readFileSync(path.join(workspace, name), 'utf8'), name).not.toMatch(acting)
})
