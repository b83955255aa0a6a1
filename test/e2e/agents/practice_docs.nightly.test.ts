/** The built-in answers of `whetstone practice` fit each engine that docs/how-to/offline.md names, as agent and as judge. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { cliBinary, cliFolder, needs } from '../../require.ts'
import { bench, newestIn, withModel } from '../bench/benched.ts'
import { makeSkill } from '../program.ts'

const scenario = readFileSync(path.join(import.meta.dirname, '../../../src/features/practice/any_skill.yaml'), 'utf8')
const secret = 'THE-HOUSE-RULE-IS-42'
const cases = [{ id: 1, prompt: 'Do the task', expectations: [`The answer says \`${secret}\``] }]
const patience = 240_000

async function benched(engine: string, judge: string) {
  const text = `---\nname: house-rules\ndescription: The house rules.\n---\n\n${secret}\n`
  const skill = makeSkill(cases, { 'SKILL.md': text }, 'house-rules')
  return await withModel(scenario, async (keys) => {
    const env = { ...keys, PATH: `${cliFolder}:${process.env.PATH}` }
    const end = await bench({ skill, engine, env }, '--judge', judge, '--runs', '1')
    expect(end.code, end.stderr).toBe(0)
    const { records, gradings } = newestIn(end.workspace)
    return records.map(({ skill: { read } }, at) => ({
      read,
      passed: gradings[at].expectations.map((one: { passed: boolean }) => one.passed),
    }))
  })
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
