/** Whole sessions of `improve` with a real agent CLI as engine and as proposer, against the practice model. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { type RunRecord, runRecord } from '../../../schemas/run.ts'
import { claudeBinary, cliBinary, needs } from '../../require.ts'
import { broken, type Crew, mended, openWorld, type World } from './improving.ts'

interface RealCrew {
  /** Of the program. */
  name: string
  /** Absolute path; null: it is not installed. */
  binary: string | null
  engine: string
  env: Crew['env']
  /** A call of its tool that runs a shell command, as YAML. */
  shell: (command: string) => string
  /** How it comes to the skill, and when it runs its script: rules of a scenario up to the call, which knows the `folder`. */
  takes: string
  /** When it has run it, and the template of what the script printed. */
  answers: { when: string; template: string }
}

const claude = claudeBinary()
const codex = cliBinary('codex')

const crews: RealCrew[] = [
  {
    ...{ name: 'claude', binary: claude, engine: 'claude-code:claude-practice-1' },
    env: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'practice', WHETSTONE_CLAUDE: claude ?? '' }),
    shell: (command) => `{ name: Bash, input: { command: ${JSON.stringify(command)}, description: run it } }`,
    takes: String.raw`
  - name: takes the skill
    when: { user: '^What is', turn: 1, tool: '^Skill$', system: '^- adder: ' }
    tool_calls: { name: Skill, input: { skill: adder } }
  - name: runs its script
    when:
      user: '^What is (?<a>\d+) plus (?<b>\d+)'
      result: 'Base directory for this skill: (?<folder>\S+)'
      not_called: '^Bash'`,
    answers: { when: "called: '^Bash'", template: '{{trim lastResult}}' },
  },
  {
    ...{ name: 'codex', binary: codex, engine: 'codex:gpt-5.5' },
    env: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'practice', WHETSTONE_CODEX: codex ?? '' }),
    shell: (command) => `{ name: exec_command, input: { cmd: ${JSON.stringify(command)} } }`,
    takes: String.raw`
  - name: takes the skill
    when:
      user: '^What is'
      turn: 1
      system: ['^- .(?<root>r\d+). = .(?<folder>\S+/work/\.agents/skills).$', '^- adder: ']
    tool_calls: { name: exec_command, input: { cmd: 'cat {{folder}}/adder/SKILL.md' } }
  - name: runs its script
    when: { user: '^What is (?<a>\d+) plus (?<b>\d+)', called: 'cat (?<folder>\S+)/SKILL\.md', turn: 2 }`,
    answers: { when: 'turn: 3', template: '{{nthLine -1 (trim lastResult)}}' },
  },
]

const proposes = ({ shell }: RealCrew) => `
  - name: mends
    when: { user: '^You improve an agent skill', turn: 1 }
    tool_calls: ${shell("sed -i 's/a - b/a + b/' change-1/adder/scripts/add.sh")}
  - name: speaks
    when: { user: '^You improve an agent skill' }
    text: "CHANGE 1: mends the script\\nWHY 1: the sums were wrong"
`

const works = ({ takes, shell, answers }: RealCrew) => `${takes}
    tool_calls: ${shell('sh {{folder}}/scripts/add.sh {{a}} {{b}}')}
  - name: answers
    when: { user: '^What is', ${answers.when} }
    text: 'It is ${answers.template}'
  - name: has nothing to go on
    text: I can not add.
`

/** Milliseconds: an agent CLI starts slowly, and machines differ. */
const patience = 600_000
/** A busy machine makes some runs slower than others, so time decides nothing here. */
const flags = ['--total-runs', '20', '--max-time-increase', '900']
const scriptOf = (folder: string) => readFileSync(path.join(folder, 'scripts/add.sh'), 'utf8')

for (const crew of crews) {
  const suite = needs(`the ${crew.name} CLI`, crew.binary !== null, 'npm run agents')
  suite(`improve with the real ${crew.name} CLI as engine and proposer`, () => {
    let world: World
    let end: Awaited<ReturnType<World['improve']>>
    beforeAll(async () => {
      world = await openWorld(proposes(crew), 6, {}, { ...crew, agent: works(crew) })
      end = await world.improve(flags)
      return () => world[Symbol.asyncDispose]()
    }, patience)
    const read = (name: string): RunRecord =>
      runRecord.parse(JSON.parse(readFileSync(path.join(world.workspace, name, 'run.json'), 'utf8')))

    test('finds the defect, mends it and certifies it on unseen cases', () => {
      expect(end.code, end.stderr).toBe(0)
      expect(world.history()).toMatchObject({
        current_best: 'v1',
        certification: { result: 'won', best: 'v1', v0: { mean: 0 }, candidate: { mean: 1 } },
      })
      expect(end.stdout).toMatch(/Better: pass rate 100% with v1, 0% with v0/)
    })
    test('the proposer was that CLI: it ran a command on a copy, and its words are kept', () => {
      const record = read('proposals/1-1')
      expect(record).toMatchObject({ status: 'completed', engine: { name: crew.engine.split(':')[0] } })
      expect(record.engine.version).toMatch(/\d+\.\d+\.\d+/)
      expect(record.outputs.files.map((file) => file.path)).toContain('change-1/adder/scripts/add.sh')
      const [proposal] = world.history().rounds?.[0]?.proposals ?? []
      expect(proposal).toMatchObject({
        engine: crew.engine.split(':')[0],
        edits: [{ summary: 'mends the script', files: [{ path: 'scripts/add.sh', lines_added: 1, lines_removed: 1 }] }],
      })
    })
    test(
      "the author's skill is untouched until --apply",
      async () => {
        expect(scriptOf(world.skill)).toBe(broken)
        const applied = await world.improve([...flags, '--resume', '--apply', '--yes'])
        expect([applied.code, scriptOf(world.skill)]).toEqual([0, mended])
      },
      patience,
    )
  })
}
