/** EVAL.md and golden tests on the real Claude Code CLI: skill, system prompt, tools and identity reach the model. */
import { expect, test } from 'vitest'
import { claudeBinary, needs } from '../../require.ts'
import { copyOf, practised } from '../practised.ts'

const claude = claudeBinary()
const flags = ['--engine', 'claude-code:claude-practice-1', '--judge', 'anthropic:practice-1']
const env = { WHETSTONE_CLAUDE: claude ?? '' }

needs(
  'the claude CLI',
  claude !== null,
  'npm run agents',
)('on the real claude CLI', () => {
  test('the EVAL.md package passes: skill read, a tool of SkillKit used, a system prompt kept', async () => {
    const ran = await practised(copyOf('example-eval-md'), flags, env)
    expect(ran.end, ran.end.stdout + ran.end.stderr).toMatchObject({ code: 0 })
    expect(Object.values(ran.verdicts)).toEqual(['pass', 'pass', 'pass', 'pass'])
    expect(ran.asked).toEqual(expect.arrayContaining(['looks it up', 'writes a title']))
    expect(ran.log).toContain('greeter')
  }, 240_000)
  test('the golden tests pass with the persona, the pinned note and the vault of the agent', async () => {
    const ran = await practised(copyOf('example-golden'), flags, env)
    expect(ran.end, ran.end.stdout + ran.end.stderr).toMatchObject({ code: 0 })
    expect(ran.verdicts).toEqual({ '001_transfer': 'pass', '001_rent': 'pass' })
    expect(ran.log).toContain('Calm, exact, short')
  }, 240_000)
})
