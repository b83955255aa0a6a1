/** Both arms see the same world but for the skill; the answer key is nowhere the agent can read. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { agent, fresh, makeSkill, whetstone } from '../program.ts'

const key = 'THE-ANSWER-IS-42'
const evals = [
  {
    id: 1,
    prompt: 'find it',
    expected_output: `the outcome holds ${key}`,
    files: ['data/in.txt'],
    checks: [{ type: 'contains', value: key, text: `says ${key}` }],
  },
]

async function searched(skillFiles: Record<string, string> = {}) {
  const skill = makeSkill(evals, { 'data/in.txt': 'input', 'evals/more/key.txt': key, ...skillFiles })
  const workspace = path.join(fresh(), 'results')
  const judge = `command:${process.execPath} ${path.join(import.meta.dirname, '../../fixtures/judges/reader.mjs')}`
  const args = [
    'bench',
    skill,
    '--engine',
    agent('searcher.mjs'),
    '--judge',
    judge,
    '--runs',
    '1',
    '--workspace',
    workspace,
  ]
  await whetstone(args, { env: { ANTHROPIC_API_KEY: 'not-needed-here' } })
  const benchmarks = path.join(workspace, 'benchmarks')
  const folder = path.join(benchmarks, readdirSync(benchmarks)[0] ?? '')
  const slug = readdirSync(folder).find((name) => name.startsWith('eval-')) ?? ''
  const said = (arm: string): string =>
    JSON.parse(readFileSync(path.join(folder, slug, arm, 'run-1/run.json'), 'utf8')).final_response
  return { skill, workspace, said }
}

let one: ReturnType<typeof searched> | null = null
/** The plain suite, run once for all tests that only look. */
function plain() {
  one ??= searched()
  return one
}

describe('an agent that searches cwd, HOME, environment and argv', () => {
  test.each(['with_skill', 'without_skill'])('finds no answer key %s', async (arm) => {
    expect((await plain()).said(arm)).not.toContain(key)
  })
  test.each(['with_skill', 'without_skill'])('finds no path of suite or results %s', async (arm) => {
    const { said, skill, workspace } = await plain()
    expect(said(arm)).not.toContain(path.dirname(skill))
    expect(said(arm)).not.toContain(path.dirname(workspace))
  })
  test.each(['with_skill', 'without_skill'])('does not find which arm it is in %s', async (arm) => {
    expect((await plain()).said(arm)).not.toMatch(/with_skill|without_skill/)
  })
  test('finds the input in both arms and the skill in one', async () => {
    const { said } = await plain()
    for (const arm of ['with_skill', 'without_skill']) expect(said(arm)).toContain('data/in.txt')
    expect(said('with_skill')).toContain('Say TIDY.')
    expect(said('without_skill')).not.toContain('TIDY')
  })
  test('negative control: a key outside evals/ is found', async () => {
    expect((await searched({ 'references/key.txt': key })).said('with_skill')).toContain(key)
  })
})

describe('a skill that shows in the arm without it', () => {
  const claude = (skills: string) => {
    const folder = fresh()
    mkdirSync(folder, { recursive: true })
    const file = path.join(folder, 'claude')
    const init = `{"type":"system","subtype":"init","session_id":"s","model":"m","claude_code_version":"2.1.329","skills":${skills},"tools":[],"mcp_servers":[]}`
    const result =
      '{"type":"result","subtype":"success","is_error":false,"result":"TIDY","num_turns":1,"session_id":"s","total_cost_usd":0.5,"usage":{"input_tokens":1,"output_tokens":1}}'
    writeFileSync(
      file,
      `#!/bin/sh\nif [ "$1" = --version ]; then echo "2.1.329 (Claude Code)"; exit; fi\necho '${init}'\necho '${result}'\n`,
      { mode: 0o755 },
    )
    return file
  }
  async function benched(skills: string) {
    const skill = makeSkill([{ id: 1, prompt: 'x', checks: [{ type: 'contains', value: 'TIDY' }] }])
    const args = [
      'bench',
      skill,
      '--engine',
      'claude-code',
      '--runs',
      '1',
      '--workspace',
      path.join(fresh(), 'ws'),
      '--json',
    ]
    return whetstone(args, { env: { WHETSTONE_CLAUDE: claude(skills), CLAUDE_CODE_OAUTH_TOKEN: 'practice' } })
  }
  test('makes that run failed: contaminated, in no rate, exit 3', async () => {
    const end = await benched('["tidy"]')
    expect(end.code).toBe(3)
    const finished = end.stdout
      .split('\n')
      .filter((line) => line.includes('"run_finished"'))
      .map((line) => JSON.parse(line))
    expect(finished).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ configuration: 'with_skill', status: 'completed' }),
        expect.objectContaining({ configuration: 'without_skill', status: 'failed', kind: 'contaminated' }),
      ]),
    )
  })
  test('a skill that the engine does not offer fails the other arm', async () => {
    const end = await benched('[]')
    expect(end.stdout).toContain('"skill_not_offered"')
  })
})
