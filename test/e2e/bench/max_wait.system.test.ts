/** Waits end: a provider that refuses or fails for ever, or names a time after the deadline, ends every command with exit 3 and the way to go on. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { parseScenario } from '../../../src/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/practice/server.ts'
import { fresh, makeSkill, type ProgramOptions, whetstone } from '../program.ts'

const patience = 60_000
const agents = path.join(import.meta.dirname, '../../fixtures/agents')
const healthy = `
rules:
  - { name: judge, when: { tool: '^submit$' }, tool_calls: [{ name: submit, input: { verdicts: [{ n: 1, passed: true, evidence: '"TIDY"' }] } }] }
  - { name: says, text: 'TIDY' }
`
const faulty = (fault: string) => `faults: [{ ${fault} }]\n${healthy}`
const serve = (scenario: string) => startPractice({ scenario: parseScenario(scenario, 'test.yaml') })
const keys = (url: string) => ({
  ANTHROPIC_API_KEY: 'practice',
  ANTHROPIC_BASE_URL: url,
  OPENAI_API_KEY: 'practice',
  OPENAI_BASE_URL: `${url}/v1`,
})
const checked = () => makeSkill([{ id: 1, prompt: 'say it', checks: [{ type: 'contains', value: 'TIDY' }] }])
const judged = () => makeSkill([{ id: 1, prompt: 'say it', expectations: ['It is tidy.'] }])

interface Asked {
  skill?: string
  workspace?: string
  runs?: number
  flags?: readonly string[]
  engine?: string
  options?: ProgramOptions
}

async function benched(scenario: string, asked: Asked = {}) {
  const {
    skill = checked(),
    runs = 2,
    workspace = path.join(fresh(), 'ws'),
    flags = [],
    engine = 'anthropic:practice-1',
  } = asked
  await using server = await serve(scenario)
  const args = ['bench', skill, '--engine', engine, '--runs', String(runs), '--workspace', workspace, ...flags]
  const end = await whetstone(args, { ...asked.options, env: keys(server.url) })
  return { ...end, args, workspace, sent: server.requests.filter(({ path: at }) => at === '/v1/messages').length }
}

function benchmarkIn(workspace: string) {
  const folder = path.join(workspace, 'benchmarks')
  const [newest = ''] = readdirSync(folder).sort().reverse()
  return JSON.parse(readFileSync(path.join(folder, newest, 'benchmark.json'), 'utf8'))
}

describe('without a named time', () => {
  test.each([
    ['429', 'anthropic:practice-1', 'status: 429', []],
    ['429', 'openai:practice-1', 'status: 429', []],
    ['529', 'anthropic:practice-1', 'status: 529', ['--retries', '100']],
    ['a server that hangs', 'anthropic:practice-1', 'hang: true', ['--retries', '100', '--idle-timeout', '0.5']],
  ])(
    '%s for ever on %s: exit 3 after --max-wait, with the command that goes on',
    async (_, engine, fault, more) => {
      const flags = ['--max-wait', '2s', ...more]
      const { code, stdout, stderr, args, workspace } = await benched(faulty(fault), { engine, flags })
      expect([code, stderr]).toEqual([3, expect.stringContaining('(--max-wait)')])
      expect(stdout).toContain('no progress for 2s (--max-wait)')
      expect(stdout).toContain('INCOMPLETE: 0 of 4 planned runs are graded (4 missing)')
      expect(stdout).toMatch(/^To continue: whetstone bench .*/m)
      expect(stdout).toContain(args.slice(1).join(' '))
      expect(benchmarkIn(workspace).metadata.stopped).toMatchObject({ kind: 'max_wait', runs_done: 0, runs_planned: 4 })
    },
    patience,
  )
  test(
    'what was finished stays, and continue with the same command',
    async () => {
      const skill = checked()
      const flags = ['--max-wait', '2s', '--concurrency', '1']
      const first = await benched(faulty('status: 429, after: 2'), { skill, flags })
      expect(first.code, first.stderr).toBe(3)
      expect(benchmarkIn(first.workspace).counts).toMatchObject({ planned: 4, used: 2 })
      const again = await benched(healthy, { skill, flags, workspace: first.workspace })
      expect(again.code, again.stderr).toBe(0)
      expect(again.sent).toBe(2)
      expect(benchmarkIn(first.workspace)).toMatchObject({ complete: true, counts: { used: 4 } })
      expect(benchmarkIn(first.workspace).metadata.stopped).toBeUndefined()
    },
    patience,
  )
  test(
    'with --json an event says what is waited for, and the result names the command',
    async () => {
      const { code, stdout } = await benched(faulty('status: 429'), { flags: ['--max-wait', '2s', '--json'] })
      expect(code).toBe(3)
      const lines = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      expect(lines.find(({ type }) => type === 'waiting')).toMatchObject({
        why: expect.stringContaining('429'),
        until: null,
        gives_up_at: expect.any(String),
      })
      expect(lines.find(({ type }) => type === 'budget_reached')).toMatchObject({ kind: 'max_wait' })
      expect(lines.at(-1)).toMatchObject({ exit_code: 3, resume: expect.stringMatching(/^whetstone bench .*--json$/) })
    },
    patience,
  )
  test(
    'control: with progress in between it never ends, though all waits together are longer',
    async () => {
      // every second request is refused for a second, one at a time: 8 s of waits
      const flags = ['--max-wait', '2s', '--concurrency', '1']
      const started = performance.now()
      const { code, stderr } = await benched(faulty('status: 429, retry_after: 1, every: 2'), { flags, runs: 4 })
      expect(code, stderr).toBe(0)
      expect(performance.now() - started).toBeGreaterThan(5000)
    },
    patience,
  )
})

describe('the command that goes on is named wherever the same command makes what is missing', () => {
  const toGoOn = (stdout: string) => /^To continue: whetstone bench .*$/m.exec(stdout)?.[0]
  const lastLine = (stdout: string) => JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  const resumeOf = (args: readonly string[]) => expect.stringContaining(args.slice(1).join(' '))
  test.each([
    ['--deadline in a wait for a 429', 'status: 429', ['--deadline', '2s'], 'deadline'],
    ['the last retry of a 529', 'status: 529', ['--retries', '0'], undefined],
    ['the last retry of a 500', 'status: 500', ['--retries', '0'], undefined],
  ])(
    'after %s',
    async (_, fault, flags, kind) => {
      const { code, stdout, stderr, args, workspace } = await benched(faulty(fault), { flags })
      expect(code, stderr).toBe(3)
      expect(toGoOn(stdout)).toContain(args.slice(1).join(' '))
      expect(benchmarkIn(workspace).metadata.stopped?.kind).toBe(kind)
      const json = await benched(faulty(fault), { flags: [...flags, '--json'] })
      expect(lastLine(json.stdout)).toMatchObject({ exit_code: 3, resume: resumeOf(json.args) })
    },
    patience,
  )
  test(
    'after a bench of several skills',
    async () => {
      const flags = ['--retries', '0', judged(), '--judge', 'anthropic:practice-1']
      const { code, stdout, args } = await benched(faulty('status: 529'), { flags })
      expect(code).toBe(3)
      expect(toGoOn(stdout)).toContain(args.slice(1).join(' '))
      const json = await benched(faulty('status: 529'), { flags: [...flags, '--json'] })
      expect(lastLine(json.stdout)).toMatchObject({ exit_code: 3, resume: resumeOf(json.args) })
    },
    patience,
  )
  test(
    'not where a budget must be raised first, nor after aggregate',
    async () => {
      const flags = ['--budget-tokens', '1']
      const { code, stdout, workspace } = await benched(healthy, { flags })
      expect([code, stdout]).toEqual([3, expect.not.stringContaining('To continue')])
      const [folder = ''] = readdirSync(path.join(workspace, 'benchmarks'))
      const again = await whetstone(['aggregate', path.join(workspace, 'benchmarks', folder)])
      expect([again.code, again.stdout]).toEqual([3, expect.not.stringContaining('To continue')])
    },
    patience,
  )
})

describe('a time that the provider names', () => {
  const hour = faulty('status: 429, retry_after: 3600')
  test(
    'after the deadline: it ends at once, and says until when',
    async () => {
      const { code, stdout, workspace } = await benched(hour, { flags: ['--deadline', '10m'] })
      expect(code).toBe(3)
      expect(stdout).toMatch(/everything would wait beyond the deadline: .*429.*, until 20/)
      expect(benchmarkIn(workspace).metadata.stopped).toMatchObject({ kind: 'max_wait' })
    },
    patience,
  )
  test.each([
    ['without a deadline', []],
    ['before the deadline', ['--deadline', '2h']],
  ])(
    '%s: it is waited for, whatever --max-wait says',
    async (_, more) => {
      const flags = ['--max-wait', '1s', ...more]
      const started = (child: { kill(signal: NodeJS.Signals): boolean }) =>
        void sleep(6000).then(() => {
          child.kill('SIGINT')
          return sleep(300).then(() => child.kill('SIGINT'))
        })
      const { code, stderr } = await benched(hour, { flags, options: { started } })
      expect(code, stderr).toBe(130)
      expect(stderr).toMatch(/wait.*429.*, until 20/)
      expect(stderr).not.toContain('--max-wait)')
    },
    patience,
  )
  test(
    'that has passed is followed by an answer',
    async () => {
      const { code, stderr } = await benched(faulty('status: 429, retry_after: 4, first: 1'), {
        flags: ['--max-wait', '1s', '--concurrency', '1'],
      })
      expect(code, stderr).toBe(0)
    },
    patience,
  )
})

describe("a subscription's limit that Claude Code meets", () => {
  const limited = async (flags: readonly string[], fake = 'usage_limit') => {
    const skill = makeSkill([{ id: 1, prompt: fake, checks: [{ type: 'contains', value: 'TIDY' }] }])
    await using server = await serve(healthy)
    const env = { ...keys(server.url), WHETSTONE_CLAUDE: path.join(agents, 'fake_claude.mjs') }
    const args = ['bench', skill, '--engine', 'claude-code', '--runs', '1', '--workspace', path.join(fresh(), 'ws')]
    return await whetstone([...args, '--max-wait', '2s', ...flags], { env })
  }
  test(
    'is waited for until it ends: after the deadline, so it ends at once',
    async () => {
      const { code, stdout } = await limited(['--deadline', '10m'])
      expect([code, stdout]).toEqual([3, expect.stringMatching(/would wait beyond the deadline: .*, until 20/)])
    },
    patience,
  )
  test(
    'control: a refusal without a time ends after --max-wait',
    async () => {
      const { code, stdout } = await limited(['--deadline', '10m'], 'e429')
      expect([code, stdout]).toEqual([3, expect.stringContaining('no progress for 2s')])
    },
    patience,
  )
})

describe('other commands', () => {
  /** A benchmark whose runs are there; only the judge is asked from now on. */
  async function made() {
    const { workspace, skill } = { workspace: path.join(fresh(), 'ws'), skill: judged() }
    const { code, stderr } = await benched(healthy, { skill, workspace })
    expect(code, stderr).toBe(0)
    return { workspace, skill }
  }
  const refusing = faulty('status: 429')
  const ended = async (args: readonly string[]) => {
    await using server = await serve(refusing)
    return await whetstone([...args, '--max-wait', '2s'], { env: keys(server.url) })
  }

  test(
    'bench, of which only the judge is refused',
    async () => {
      const scenario = `rules:\n  - { name: judge, when: { tool: '^submit$' }, fault: { status: 429 } }\n  - { name: says, text: 'TIDY' }\n`
      const { code, stdout, workspace } = await benched(scenario, { skill: judged(), flags: ['--max-wait', '2s'] })
      expect(code).toBe(3)
      expect(stdout).toContain('no progress for 2s (--max-wait)')
      expect(benchmarkIn(workspace).metadata.stopped).toMatchObject({ kind: 'max_wait', runs_done: 4 })
    },
    patience,
  )
  test(
    'grade',
    async () => {
      const { workspace } = await made()
      const end = await ended(['grade', workspace, '--judge', 'anthropic:practice-2', '--no-cache'])
      expect([end.code, end.stderr]).toEqual([3, expect.stringMatching(/no progress for 2s[\s\S]*whetstone grade/)])
    },
    patience,
  )
  test(
    'compare',
    async () => {
      const { workspace } = await made()
      const end = await ended(['compare', workspace, '--judge', 'anthropic:practice-2'])
      expect([end.code, end.stderr]).toEqual([3, expect.stringMatching(/no progress for 2s[\s\S]*whetstone compare/)])
    },
    patience,
  )
  test.each([
    ['eval', (skill: string, ws: string) => ['eval', skill, '--engine', 'anthropic:practice-1', '--workspace', ws]],
    [
      'triggers',
      (skill: string, ws: string) => ['triggers', skill, '--engine', 'anthropic:practice-1', '--workspace', ws],
    ],
    [
      'init',
      (skill: string, ws: string) => ['init', skill, '--engine', 'anthropic:practice-1', '--output', `${ws}.json`],
    ],
    [
      'improve',
      (skill: string, ws: string) => ['improve', skill, '--engine', 'anthropic:practice-1', '--workspace', ws, '--yes'],
    ],
  ])(
    '%s',
    async (command, args) => {
      const queries = [true, false].map((should_trigger, id) => ({ query: `tidy ${id}`, should_trigger }))
      const evals = [1, 2, 3, 4].map((id) => ({
        id,
        prompt: `say it ${id}`,
        checks: [{ type: 'contains', value: 'TIDY' }],
      }))
      const skill = makeSkill(evals, { 'evals/trigger_eval.json': JSON.stringify(queries) })
      const end = await ended(args(skill, path.join(fresh(), 'ws')))
      expect([end.code, `${end.stderr}${end.stdout}`]).toEqual([3, expect.stringContaining('no progress for 2s')])
      expect(`${end.stderr}${end.stdout}`).toContain(`whetstone ${command}`)
    },
    patience,
  )
})

test.each(['0s', 'soon', '15', '-3m'])('--max-wait %s is refused', async (value) => {
  const end = await whetstone(['bench', checked(), `--max-wait=${value}`, '--dry-run'])
  expect([end.code, end.stderr]).toEqual([2, expect.stringContaining('expected a duration')])
})

test(
  '--max-wait can be set in whetstone.config.yaml',
  async () => {
    const skill = checked()
    writeFileSync(path.join(skill, 'whetstone.config.yaml'), 'max-wait: 2s\n')
    const { code, stdout } = await benched(faulty('status: 429'), { skill })
    expect([code, stdout]).toEqual([3, expect.stringContaining('no progress for 2s')])
  },
  patience,
)
