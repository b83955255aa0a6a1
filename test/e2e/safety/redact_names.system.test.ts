/** A key in the name of an output or of its folder is found nowhere in the workspace; the output itself is kept, and checks see it. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { runRecord } from '../../../schemas/run.ts'
import { runMain } from '../../cli/run_main.ts'
import { agent, fresh, makeSkill } from '../program.ts'

const key = 'Zk4-user-own-credential-99817'
const shaped = `ghp_${'aB3dE5gH1jK2mN4pQ6rS8tU0vWxYz1234567'.slice(0, 36)}`
const checks = [
  { type: 'file_exists', path: 'a-[redacted:ANTHROPIC_API_KEY].txt' },
  { type: 'command', run: 'test "$(cat a-*redacted*)" = "text of 0"' },
]

async function benched(env: Record<string, string>) {
  const workspace = path.join(fresh(), 'ws')
  const args = ['bench', makeSkill([{ id: 1, prompt: 'say it', checks }]), '--engine', agent('key_names.mjs')]
  const flags = ['--runs', '1', '--sandbox', 'off', '--trust-suite', '--pass-env', 'SHAPED', '--workspace', workspace]
  const end = await runMain([...args, ...flags], { env })
  const names = readdirSync(workspace, { recursive: true, encoding: 'utf8' })
  const found = names.find((name) => name.endsWith('with_skill/run-1/run.json') && name.includes('benchmarks/')) ?? ''
  const run = path.dirname(path.join(workspace, found))
  const record = runRecord.parse(JSON.parse(readFileSync(path.join(run, 'run.json'), 'utf8')))
  const files = names.map((name) => path.join(workspace, name)).filter((name) => statSync(name).isFile())
  const holding = (text: string) => [
    ...names.filter((name) => name.includes(text)),
    ...files.filter((file) => readFileSync(file).includes(text)),
  ]
  return { end, run, record, holding }
}

test('is redacted, collisions included', async () => {
  const { end, run, record, holding } = await benched({ ANTHROPIC_API_KEY: key, SHAPED: shaped })
  expect(end.code, end.stderr).toBe(0)
  expect(holding(key)).toEqual([])
  expect(holding(shaped)).toEqual([])
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
  expect(record.warnings.filter((one) => one.startsWith('the path of an output contained a credential'))).toHaveLength(
    3,
  )
  const grading = JSON.parse(readFileSync(path.join(run, 'grading.json'), 'utf8'))
  expect(grading.summary.pass_rate).toBe(1)
  const metrics = JSON.parse(readFileSync(path.join(run, 'outputs/metrics.json'), 'utf8'))
  expect([...metrics.files_created].sort()).toEqual(Object.keys(kept).sort())
})

test('control: what is no credential of the user and has no form of one stays in names', async () => {
  const { holding, record } = await benched({ ANTHROPIC_API_KEY: key, SHAPED: 'harmless-word' })
  expect(holding('harmless-word')).not.toEqual([])
  expect(record.outputs.files.map((file) => file.path)).toContain('b-harmless-word.txt')
})
