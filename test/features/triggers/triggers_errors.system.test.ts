/** What is no answer is an error, never "not triggered"; rates are those of the model, queries stay apart, and no two copies of the skill compete. What a measurement that was ended had made stays. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { triggers as triggersSchema } from '../../../schemas/triggers.ts'
import { runMain } from '../../cli/run_main.ts'
import { jsonLines } from '../../e2e/bench/benched.ts'
import { whetstone } from '../../e2e/program.ts'
import {
  envOf,
  type Model,
  measured,
  practiceFor,
  type Query,
  queries,
  skillWith,
  whole,
  write,
} from './triggers_stage.ts'

const some = queries.slice(0, 4)
const unconfined = ['--sandbox', 'off']

/** The SDK engine on a practice model with more than its rules; the end, and triggers.json if there is one. */
const asked = (more: {
  model?: Model
  set?: readonly Query[]
  args?: readonly string[]
  scenario?: object
  workspace?: string
  skill?: string
}) =>
  measured({ engine: 'anthropic', model: 'keyword', set: some, ...more, args: [...unconfined, ...(more.args ?? [])] })

test.each<[Model, number, number]>([
  ['keyword', 1, 0],
  ['after_tools', 1, 1],
])('a model that uses it %s: every query has its rate', async (model, should, shouldNot) => {
  const ran = await asked({ model, args: ['--runs', '2', '--concurrency', '4'] })
  expect(ran.end.code, ran.end.stderr).toBe(0)
  const { results, summary } = whole(ran)
  expect(results.map(({ trigger_rate }) => trigger_rate)).toEqual([should, shouldNot, should, shouldNot])
  expect(summary).toMatchObject({ runs_planned: 8, runs_decided: 8, runs_failed: 0 })
})

describe('no answer', () => {
  test('a refused key ends it before anything is asked, as a mistake', async () => {
    const { end, made } = await asked({ scenario: { require_key: ['another'] } })
    expect(end.code).toBe(2)
    expect(end.stderr).toMatch(/key|credential|401/i)
    expect(made).toBeNull()
  })

  test('401 in the middle: runs without an answer are errors, in no rate, exit 3', async () => {
    const args = ['--runs', '1', '--concurrency', '1', '--retries', '0']
    const { end, made } = await asked({ args, scenario: { faults: [{ after: 3, status: 401 }] } })
    expect(end.code, end.stderr).toBe(3)
    const results = whole({ made, end }).results
    const open = results.filter(({ runs }) => runs === 0)
    expect(open.length).toBeGreaterThan(0)
    for (const one of open) expect(one).toMatchObject({ trigger_rate: null, pass: null })
    // those that should not trigger would have "passed" otherwise
    expect(open.some(({ should_trigger }) => !should_trigger)).toBe(true)
    expect(whole({ made, end }).complete).toBe(false)
  })

  test('a storm of 429 is waited out, and changes no rate', async () => {
    const scenario = { max_in_flight: 1, latency: 20 }
    const { end, made, refusals } = await asked({ args: ['--runs', '1', '--concurrency', '8'], scenario })
    expect(end.code, end.stderr).toBe(0)
    expect(refusals).toBeGreaterThan(0)
    expect(whole({ made, end }).results.map(({ trigger_rate }) => trigger_rate)).toEqual([1, 0, 1, 0])
  })
})

test('equal queries stay apart', async () => {
  const twin = { query: 'sort my notes', should_trigger: true }
  const { made, end, folder } = await asked({
    set: [twin, twin, { ...twin, should_trigger: false }],
    args: ['--runs', '2'],
  })
  const { results } = whole({ made, end })
  expect(results.map(({ query_id, runs, pass }) => [query_id, runs, pass])).toEqual([
    [1, 2, true],
    [2, 2, true],
    [3, 2, false],
  ])
  const folders = results.flatMap(({ query_runs }) => query_runs.map(({ run_id }) => run_id))
  expect(new Set(folders).size).toBe(6)
  for (const one of folders) expect(existsSync(path.join(folder, one, 'run.json'))).toBe(true)
})

describe('--among', () => {
  test('other skills lie beside it, and what was read instead is told', async () => {
    const beside = path.join(path.dirname(skillWith(undefined)), 'skills')
    write(beside, 'papers/SKILL.md', '---\nname: papers\ndescription: Sorts papers and notes.\n---\n')
    write(beside, 'tidy/SKILL.md', '---\nname: tidy\ndescription: A clone.\n---\n')
    const rules = [
      {
        name: 'takes another',
        when: { turn: 1, user: 'notes', system: String.raw`name: papers[\s\S]*?file: (?<file>\S+papers/SKILL\.md)` },
        tool_calls: { name: 'Read', input: { file_path: '{{file}}' } },
      },
      { name: 'answers', text: 'Done.' },
    ]
    const { made, end, offered } = await asked({ args: ['--runs', '1', '--among', beside], scenario: { rules } })
    const { among, confusions, set } = whole({ made, end })
    expect(among).toEqual([{ name: 'papers', description: 'Sorts papers and notes.' }])
    // a clone of the skill would compete with it
    for (const times of offered) expect(times).toBe(1)
    expect(set.warnings.map(({ message }) => message).join()).toContain('another skill is named tidy')
    expect(confusions).toMatchObject([
      { query_id: 1, kind: 'missed', instead: [{ skill: 'papers', runs: 1 }] },
      { query_id: 3, kind: 'missed', instead: [{ skill: 'papers', runs: 1 }] },
    ])
  })
})

test('a skill without a description, an engine that shows no reads: named before anything is asked', async () => {
  const skill = skillWith(some)
  const command = await runMain(['triggers', skill, '--engine', 'command:cat'])
  expect(command).toMatchObject({ code: 2, stderr: expect.stringContaining('does not report which files') })
  write(skill, 'SKILL.md', '---\nname: tidy\n---\n\nSay TIDY.\n')
  const none = await runMain(['triggers', skill, '--engine', 'anthropic'])
  expect(none).toMatchObject({ code: 2, stderr: expect.stringMatching(/no description .*\nhint: add a line/) })
})

test('ended runs cost less than those that go on, and the report says how much', async () => {
  const all = { set: queries.filter(({ should_trigger }) => should_trigger), model: 'always' as const }
  const whole_ = await asked({ ...all, args: ['--runs', '1', '--no-stop-early'] })
  const ended = await asked({ ...all, args: ['--runs', '1'], workspace: whole_.workspace, skill: whole_.skill })
  const [before, after] = [whole(whole_), whole(ended)]
  expect(before.saving).toBeNull()
  expect(after.saving).toMatchObject({ stopped: 5, of: 5, basis: 'triggered runs that went to their end' })
  expect(after.saving?.saved_share).toBeGreaterThan(0.5)
  expect(after.cost.usd ?? 1).toBeLessThan((before.cost.usd ?? 0) / 2)
  // the model was asked less, too: it is no matter of counting
  expect(ended.requests).toBeLessThan(whole_.requests / 2)
})

describe('gates', () => {
  const args = (...more: string[]) => ['--runs', '1', ...more]
  test.each([
    [['--gate', 'recall >= 90%', '--gate', 'precision == 1', '--fail-on', 'missed,wrongly_triggered'], 'keyword', 0],
    [['--gate', 'recall >= 90%'], 'never', 1],
    [['--fail-on', 'missed'], 'never', 1],
    [['--fail-on', 'wrongly_triggered'], 'always', 1],
  ] as const)('%s on a model that uses it %s: exit %s', async (gates, model, code) => {
    const { end } = await asked({ model, args: args(...gates) })
    expect(end.code, end.stdout).toBe(code)
  })
  test.each([
    ['--gate', 'recal > 1', 'recall'],
    ['--fail-on', 'helps', 'missed'],
    ['--threshold', '0', 'share above 0'],
  ])('%s %s is refused before anything is asked', async (flag, value, says) => {
    const end = await runMain(['triggers', skillWith(some), flag, value])
    expect(end.code).toBe(2)
    expect(end.stderr).toContain(says)
  })
})

describe('a skill that only the user starts', () => {
  const description = 'Tidies up messy notes.\ndisable-model-invocation: true'
  const skill = skillWith(some, description)
  const other = write(path.dirname(skill), 'b/SKILL.md', '---\nname: b\ndescription: Counts words.\n---\n\nCount.\n')
  write(path.dirname(other), 'evals/trigger-eval.json', JSON.stringify([{ query: 'Count', should_trigger: true }]))
  const plan = (args: readonly string[], engine: string) =>
    runMain(['triggers', ...args, '--engine', engine, '--dry-run'], { env: { ANTHROPIC_API_KEY: 'x' } })
  describe.each([
    ['triggers', [skill]],
    ['triggers --all', ['--all', path.dirname(skill)]],
  ])('%s', (_, args) => {
    test('refused before any call where its queries cannot trigger it', async () => {
      const end = await plan(args, 'claude-code')
      expect(end.code).toBe(2)
      expect(end.stderr).toMatch(
        /disable-model-invocation: on claude-code .* no query can trigger it \(.*tidy\/SKILL\.md\)/,
      )
    })
    test('planned, with a warning, where the engine ignores the line', async () => {
      const end = await plan(args, 'anthropic')
      expect(end.code, end.stderr).toBe(0)
      expect(end.stdout + end.stderr).toContain('disable-model-invocation has no effect on anthropic')
    })
  })
  test('control: as a competing skill it is installed like any other', async () => {
    const end = await plan([path.dirname(other), '--among', skill], 'claude-code')
    expect(end.stderr).not.toContain('disable-model-invocation')
  })
})

/** A command that takes a while, and where it leaves what it made. */
function longCommand(more: readonly string[]) {
  const skill = skillWith(queries)
  const workspace = path.join(path.dirname(skill), 'ws')
  const engine = ['--engine', 'anthropic', '--model', 'sonnet', '--sandbox', 'off', '--json']
  return { workspace, command: ['triggers', skill, '--workspace', workspace, ...engine, ...more] }
}

test('killed in the middle, the same command makes only what is missing', async () => {
  await using server = await practiceFor('keyword', 'anthropic', { latency: 150 })
  const { workspace, command } = longCommand(['--runs', '1', '--concurrency', '2'])
  const env = envOf('anthropic', server)
  await whetstone(command, {
    env,
    started: (child) => {
      let seen = 0
      child.stdout?.on('data', (text: string) => {
        seen += text.split('"run_finished"').length - 1
        if (seen >= 3) child.kill('SIGKILL')
      })
    },
  })
  const place = path.join(workspace, 'triggers')
  const [folder = ''] = readdirSync(place)
  expect(existsSync(path.join(place, folder, 'triggers.json'))).toBe(false)
  const end = await runMain(command, { env })
  expect(end.code, end.stderr).toBe(0)
  expect(readdirSync(place)).toEqual([folder])
  const lines = jsonLines(end.stdout)
  const planned = lines.find(({ type }) => type === 'triggers_planned')
  expect(planned.done).toBeGreaterThanOrEqual(3)
  expect(lines.filter(({ type }) => type === 'run_finished')).toHaveLength(10 - planned.done)
  const made = triggersSchema.parse(JSON.parse(readFileSync(path.join(place, folder, 'triggers.json'), 'utf8')))
  expect(made.results.map(({ trigger_rate }) => trigger_rate)).toEqual(
    queries.map(({ should_trigger }) => (should_trigger ? 1 : 0)),
  )
  // the negative control: without what was made all is made again
  rmSync(workspace, { recursive: true })
  const anew = await runMain(command, { env })
  expect(anew.stdout.split('"run_finished"')).toHaveLength(11)
})

test('Ctrl-C lets what runs end, keeps it, and says so with 130', async () => {
  await using server = await practiceFor('keyword', 'anthropic', { latency: 300 })
  const { command } = longCommand(['--concurrency', '1'])
  const end = await whetstone(command, {
    env: envOf('anthropic', server),
    started: (child) => {
      child.stdout?.once('data', () => setTimeout(() => child.kill('SIGINT'), 500))
    },
  })
  expect(end.code, end.stderr).toBe(130)
  const last = JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '')
  expect(last).toMatchObject({ type: 'result', exit_code: 130, complete: false })
  expect(last.summary.runs_missing).toBeGreaterThan(0)
})

test('a run whose time is up is an error, whoever was slow; the same command makes it again', async () => {
  const args = ['--runs', '1', '--timeout', '6', '--retries', '0', '--concurrency', '1', '--sandbox', 'off']
  const asking = {
    engine: 'anthropic',
    model: 'after_tools',
    set: [1, 2].flatMap(() => queries.slice(0, 1)),
    args,
  } as const
  const slow = await measured({ ...asking, scenario: { faults: [{ hang: true, after: 1 }] } })
  expect(slow.end.code, slow.end.stderr).toBe(3)
  const { results, summary } = whole(slow)
  expect(summary).toMatchObject({ runs_decided: 0, runs_failed: 2, passed: 0, failed: 0, undecided: 2 })
  expect(results.map(({ query_runs }) => query_runs[0]?.error?.kind)).toEqual(['timed_out', 'server_error'])
  const { workspace, skill } = slow
  const again = await measured({ ...asking, workspace, skill })
  expect(again.folder).toBe(slow.folder)
  expect(whole(again).summary).toMatchObject({ runs_decided: 2, passed: 2 })
})
