/** Whole sessions of `improve` with a real agent CLI as engine and as proposer, against the practice model. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { runRecord } from '../../../schemas/run.ts'
import { claudeBinary, needs } from '../../require.ts'
import { broken, type Crew, mended, openWorld, type World } from './improving.ts'

const claude = claudeBinary()
const shell = (command: string) => `{ name: Bash, input: { command: ${JSON.stringify(command)}, description: run it } }`

const proposes = `
  - name: mends
    when: { user: '^You improve an agent skill', turn: 1 }
    tool_calls: ${shell("sed -i 's/a - b/a + b/' change-1/adder/scripts/add.sh")}
  - name: speaks
    when: { user: '^You improve an agent skill' }
    text: "CHANGE 1: mends the script\\nWHY 1: the sums were wrong"
`

const agent = String.raw`
  - name: takes the skill
    when: { user: '^What is', turn: 1, tool: '^Skill$', system: '^- adder: ' }
    tool_calls: { name: Skill, input: { skill: adder } }
  - name: runs its script
    when:
      user: '^What is (?<a>\d+) plus (?<b>\d+)'
      result: 'Base directory for this skill: (?<folder>\S+)'
      not_called: '^Bash'
    tool_calls: ${shell('sh {{folder}}/scripts/add.sh {{a}} {{b}}')}
  - name: answers
    when: { user: '^What is', called: '^Bash' }
    text: 'It is {{trim lastResult}}'
  - name: has nothing to go on
    text: I can not add.
`

const crew: Crew = {
  engine: 'claude-code:claude-practice-1',
  agent,
  env: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'practice', WHETSTONE_CLAUDE: claude ?? '' }),
}

/** Milliseconds: an agent CLI starts slowly, and machines differ. */
const patience = 600_000
/** A busy machine makes some runs slower than others, so time decides nothing here. */
const flags = ['--total-runs', '20', '--max-time-increase', '900']
const scriptOf = (folder: string) => readFileSync(path.join(folder, 'scripts/add.sh'), 'utf8')

needs(
  'the claude CLI',
  claude !== null,
  'npm run agents',
)('improve with the real claude CLI as engine and proposer', () => {
  let world: World
  let end: Awaited<ReturnType<World['improve']>>
  beforeAll(async () => {
    world = await openWorld(proposes, 6, {}, crew)
    end = await world.improve(flags)
    return () => world[Symbol.asyncDispose]()
  }, patience)

  test('finds the defect, mends it and certifies it on unseen cases', () => {
    expect(end.code, end.stderr).toBe(0)
    expect(world.history()).toMatchObject({
      current_best: 'v1',
      certification: { result: 'won', best: 'v1', v0: { mean: 0 }, candidate: { mean: 1 } },
    })
    expect(end.stdout).toMatch(/Better: pass rate 100% with v1, 0% with v0/)
  })
  test('the proposer was that CLI: it ran a command on a copy, and its words are kept', () => {
    const file = path.join(world.workspace, 'proposals/1-1/run.json')
    const record = runRecord.parse(JSON.parse(readFileSync(file, 'utf8')))
    expect(record).toMatchObject({ status: 'completed', engine: { name: 'claude-code' } })
    expect(record.outputs.files.map((one) => one.path)).toContain('change-1/adder/scripts/add.sh')
    const [proposal] = world.history().rounds?.[0]?.proposals ?? []
    expect(proposal).toMatchObject({
      engine: 'claude-code',
      edits: [{ summary: 'mends the script', files: [{ path: 'scripts/add.sh', lines_added: 1, lines_removed: 1 }] }],
    })
  })
  test("the author's skill is untouched until --apply", { timeout: patience }, async () => {
    expect(scriptOf(world.skill)).toBe(broken)
    const applied = await world.improve([...flags, '--resume', '--apply', '--yes'])
    expect([applied.code, scriptOf(world.skill)]).toEqual([0, mended])
  })
})
