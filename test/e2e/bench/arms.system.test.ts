/** Both arms see the same world but for the skill; the answer key is nowhere the agent can read. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { agent, fresh, makeSkill } from '../program.ts'
import { bench, newestIn } from './benched.ts'

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
const arms = ['with_skill', 'without_skill']

/** What an agent finds that searches its folders, environment and arguments. */
async function searched(skillFiles: Record<string, string> = {}) {
  const skill = makeSkill(evals, { 'data/in.txt': 'input', 'evals/more/key.txt': key, ...skillFiles })
  const { workspace } = await bench({ skill, engine: agent('searcher.mjs') }, '--runs', '1')
  const { records } = newestIn(workspace)
  const said = (arm: string) => records.find(({ configuration }) => configuration === arm)?.final_response ?? ''
  return { skill, workspace, said }
}

describe('an agent that searches its working folder, HOME, environment and arguments', () => {
  let plain: Awaited<ReturnType<typeof searched>>
  beforeAll(async () => {
    plain = await searched()
  })
  test.each(arms)('finds no answer key, no path of suite or results, and not which arm it is in: %s', (arm) => {
    const said = plain.said(arm)
    expect(said).toContain('data/in.txt')
    expect(said).not.toContain(key)
    expect(said).not.toContain(path.dirname(plain.skill))
    expect(said).not.toContain(path.dirname(plain.workspace))
    expect(said).not.toMatch(/with_skill|without_skill/)
  })
  test('finds the skill in one', () => {
    expect(plain.said('with_skill')).toContain('Say TIDY.')
    expect(plain.said('without_skill')).not.toContain('TIDY')
  })
  test('negative control: a key outside evals/ is found', async () => {
    expect((await searched({ 'references/key.txt': key })).said('with_skill')).toContain(key)
  })
})

describe('a skill that shows in the arm without it', () => {
  /** An agent CLI that says it loaded these skills. */
  const claude = (skills: string) => {
    const file = path.join(fresh(), 'claude')
    const init = `{"type":"system","subtype":"init","session_id":"s","model":"m","claude_code_version":"2.1.329","skills":${skills},"tools":[],"mcp_servers":[]}`
    const result =
      '{"type":"result","subtype":"success","is_error":false,"result":"TIDY","num_turns":1,"session_id":"s","total_cost_usd":0.5,"usage":{"input_tokens":1,"output_tokens":1}}'
    const script = `if [ "$1" = --version ]; then echo "2.1.329 (Claude Code)"; exit; fi\necho '${init}'\necho '${result}'\n`
    writeFileSync(file, `#!/bin/sh\n${script}`, { mode: 0o755 })
    return file
  }
  test.each([
    ['in the arm without the skill, it is contaminated', '["tidy"]', 'without_skill', 'contaminated'],
    ['that the engine does not offer, the other arm fails', '[]', 'with_skill', 'skill_not_offered'],
  ])('%s: that run is failed, in no rate, exit 3', async (_, skills, failed, kind) => {
    const env = { WHETSTONE_CLAUDE: claude(skills), CLAUDE_CODE_OAUTH_TOKEN: 'practice' }
    const end = await bench({ engine: 'claude-code', env }, '--runs', '1', '--json')
    expect(end.code, end.stderr).toBe(3)
    const finished = end.lines.filter(({ type }) => type === 'run_finished')
    const other = arms.find((arm) => arm !== failed)
    expect(finished).toContainEqual(expect.objectContaining({ configuration: failed, status: 'failed', kind }))
    expect(finished).toContainEqual(expect.objectContaining({ configuration: other, status: 'completed' }))
  })
})
