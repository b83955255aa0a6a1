/** docs/how-to/offline.md: the scenario that it begins with fits each engine that it names, as agent and as judge. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { runMain } from '../../cli/run_main.ts'
import { practice } from '../../engines/stage.ts'
import { cliBinary, cliFolder, needs } from '../../require.ts'
import { fresh, makeSkill } from '../program.ts'

const page = readFileSync(path.join(import.meta.dirname, '../../../docs/how-to/offline.md'), 'utf8')
const scenario = /^## In two minutes\n[\s\S]*?```yaml\n([\s\S]*?)```/m.exec(page)?.[1] ?? ''
const secret = 'THE-HOUSE-RULE-IS-42'
const cases = [{ id: 1, prompt: 'Do the task', expectations: [`The answer says \`${secret}\``] }]
const patience = 240_000

async function benched(engine: string, judge: string) {
  await using server = await practice(scenario)
  const text = `---\nname: house-rules\ndescription: The house rules.\n---\n\n${secret}\n`
  const skill = makeSkill(cases, { 'SKILL.md': text }, 'house-rules')
  const workspace = path.join(fresh(), 'ws')
  const args = ['bench', skill, '--engine', engine, '--judge', judge, '--runs', '1', '--workspace', workspace]
  const keys = { ANTHROPIC_API_KEY: 'practice', OPENAI_API_KEY: 'practice' }
  const addresses = { ANTHROPIC_BASE_URL: server.url, OPENAI_BASE_URL: `${server.url}/v1` }
  const end = await runMain(args, { env: { ...keys, ...addresses, PATH: `${cliFolder}:${process.env.PATH}` } })
  expect(end.code, end.stderr).toBe(0)
  const made = path.join(workspace, 'benchmarks', readdirSync(path.join(workspace, 'benchmarks'))[0] ?? '')
  const slug = readdirSync(made).find((name) => name.startsWith('eval-')) ?? ''
  const read = (arm: string, name: string) =>
    JSON.parse(readFileSync(path.join(made, slug, arm, 'run-1', name), 'utf8'))
  return ['with_skill', 'without_skill'].map((arm) => ({
    read: read(arm, 'run.json').skill.read,
    passed: read(arm, 'grading.json').expectations.map((one: { passed: boolean }) => one.passed),
  }))
}

const expected = [
  { read: true, passed: [true] },
  { read: null, passed: [false] },
]

test.each(['anthropic', 'openai'])(
  '%s',
  async (engine) => expect(await benched(engine, engine)).toEqual(expected),
  patience,
)

for (const [cli, engine, judge] of [
  ['claude', 'claude-code', 'claude-code'],
  ['codex', 'codex:gpt-5.5', 'codex:gpt-5.5'],
  ['opencode', 'opencode:anthropic/practice-1', 'anthropic'],
] as const) {
  needs(
    `the ${cli} CLI`,
    cliBinary(cli) !== null,
    'npm run agents',
  )(`the real ${cli} CLI`, () => {
    test(`${engine}, judged by ${judge}`, async () => expect(await benched(engine, judge)).toEqual(expected), patience)
  })
}
