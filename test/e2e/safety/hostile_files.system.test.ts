/** What an agent leaves behind harms nobody: not the next start, not a terminal that shows it, and no key stays in a name. */
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { runRecord } from '../../../schemas/run.ts'
import { runMain } from '../../cli/run_main.ts'
import { agent, fresh, makeSkill } from '../program.ts'
import { key, shaped } from './leaking.ts'

const says = [{ type: 'contains', value: 'TIDY' }]

/** One run of a fixture's agent in each configuration: the folder of the first, and the temporary folder. */
async function benched(
  name: string,
  env: Record<string, string> = {},
  { flags = [], checks = says }: { flags?: readonly string[]; checks?: readonly object[] } = {},
) {
  const [workspace, tmp] = [path.join(fresh(), 'ws'), path.join(fresh(), 'tmp')]
  mkdirSync(tmp)
  const skill = makeSkill([{ id: 1, prompt: 'say it', checks }])
  const args = ['bench', skill, '--engine', agent(name), '--runs', '1', '--sandbox', 'off', ...flags]
  const end = await runMain([...args, '--workspace', workspace], { env: { TMPDIR: tmp, ...env } })
  expect(end.code, end.stderr).toBe(0)
  const names = readdirSync(workspace, { recursive: true, encoding: 'utf8' })
  const files = names.map((one) => path.join(workspace, one)).filter((one) => statSync(one).isFile())
  /** Names with this text, and files that hold it. */
  const holding = (text: string) => [
    ...names.filter((one) => one.includes(text)),
    ...files.filter((one) => readFileSync(one).includes(text)),
  ]
  const benchmarks = path.join(workspace, 'benchmarks')
  const folder = path.join(benchmarks, readdirSync(benchmarks)[0] ?? '')
  const run = path.join(folder, readdirSync(folder).find((one) => one.startsWith('eval-1')) ?? '', 'with_skill/run-1')
  const record = runRecord.parse(JSON.parse(readFileSync(path.join(run, 'run.json'), 'utf8')))
  return { end, tmp, folder, run, record, holding }
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
  const { end, folder, run } = await benched('terminal.mjs', env, {
    flags: ['--reporter', `junit:${reports},github`],
  })
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

describe('a key in the name of an output or of its folder', () => {
  const checks = [
    { type: 'file_exists', path: 'a-[redacted:ANTHROPIC_API_KEY].txt' },
    { type: 'command', run: 'test "$(cat a-*redacted*)" = "text of 0"' },
  ]
  const named = (text: string) => {
    const env = { ANTHROPIC_API_KEY: key, SHAPED: text }
    return benched('key_names.mjs', env, { checks, flags: ['--pass-env', 'SHAPED'] })
  }
  test('is redacted, collisions included; the output itself is kept, and checks see it', async () => {
    const { run, record, holding } = await named(shaped)
    expect([...holding(key), ...holding(shaped)]).toEqual([])
    const kept = Object.fromEntries(
      record.outputs.files.map((file) => [file.path, readFileSync(path.join(run, 'outputs', file.path), 'utf8')]),
    )
    expect(kept).toEqual({
      'a-[redacted:ANTHROPIC_API_KEY].txt': 'text of 0',
      'folder-[redacted:ANTHROPIC_API_KEY]_deep_[redacted:ANTHROPIC_API_KEY]-2.md': 'text of 1',
      'folder-[redacted:ANTHROPIC_API_KEY]': 'text of 2',
      'b-[redacted:github-token]-2.txt': 'text of 3',
      'b-[redacted:github-token].txt': 'text of 4',
      'plain.txt': 'text of 5',
    })
    const warned = record.warnings.filter((one) => one.startsWith('the path of an output contained a credential'))
    expect(warned).toHaveLength(3)
    const grading = JSON.parse(readFileSync(path.join(run, 'grading.json'), 'utf8'))
    expect(grading.summary.pass_rate).toBe(1)
    const metrics = JSON.parse(readFileSync(path.join(run, 'outputs/metrics.json'), 'utf8'))
    expect([...metrics.files_created].sort()).toEqual(Object.keys(kept).sort())
  })
  test('control: what is no credential of the user and has no form of one stays in names', async () => {
    const { holding, record } = await named('harmless-word')
    expect(holding('harmless-word')).not.toEqual([])
    expect(record.outputs.files.map((file) => file.path)).toContain('b-harmless-word.txt')
  })
})
