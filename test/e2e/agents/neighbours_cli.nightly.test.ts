/** --among on real agent CLIs: the neighbour is offered in both configurations, read, and recorded. */
import { describe, expect, test } from 'vitest'
import { cliBinary, needs } from '../../require.ts'
import { makeSkill } from '../program.ts'
import { makeNeighbours } from './neighbours.ts'
import { benchOn } from './plugin.ts'

const clis = [
  {
    cli: 'claude',
    engine: 'claude-code:claude-practice-1',
    asks: { name: 'Skill', input: { skill: 'near' } },
    home: (url: string) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'practice' }),
  },
  {
    cli: 'codex',
    engine: 'codex:gpt-5.5',
    asks: { name: 'exec_command', input: { cmd: 'cat .agents/skills/near/SKILL.md' } },
    home: (url: string) => ({ OPENAI_BASE_URL: `${url}/v1`, CODEX_API_KEY: 'practice' }),
  },
]
const cases = [{ id: 1, name: 'c1', prompt: 'tidy', checks: [{ type: 'contains', value: 'TIDY' }] }]

describe.each(clis)('--among on the real $cli CLI', ({ cli, engine, asks, home }) => {
  const binary = cliBinary(cli)
  const scenario = `
rules:
  - name: reads the neighbour
    when: { turn: 1, tool: "^${asks.name}$", system: "NEAR-CANARY" }
    tool_calls: ${JSON.stringify(asks)}
  - { name: ends, text: "TIDY" }
`
  const env = ({ url }: { url: string }) => ({ ...home(url), [`WHETSTONE_${cli.toUpperCase()}`]: binary ?? '' })

  needs(
    `the ${cli} CLI`,
    binary !== null,
    'npm run agents',
  )('with and without neighbours', () => {
    test('both configurations are offered both, and read one', async () => {
      const skill = makeSkill(cases)
      const among = makeNeighbours(skill)
      const { end, read } = await benchOn([skill, '--among', among, '--engine', engine], scenario, env)
      expect(end, end.stdout + end.stderr).toMatchObject({ code: 0 })
      for (const arm of ['with_skill', 'without_skill']) {
        const record = JSON.parse(read('', arm, 'run.json'))
        expect(record.skills_read, arm).toEqual([{ name: 'near', step: 1 }])
        expect(record.loaded.skills, arm).toEqual(expect.arrayContaining(['near', 'far']))
      }
      expect(JSON.parse(read('', 'without_skill', 'run.json')).loaded.skills).not.toContain('tidy')
    })
    test('negative control: without --among nothing is offered or recorded', async () => {
      const { requests, read } = await benchOn([makeSkill(cases), '--engine', engine], scenario, env)
      expect(JSON.stringify(requests)).not.toContain('-CANARY')
      expect(JSON.parse(read('', 'with_skill', 'run.json'))).not.toHaveProperty('skills_read')
    })
  })
})
