/** Waits end: a provider that refuses or fails for ever, or names a time after the deadline, ends every command with exit 3 and the way to go on. */
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { runMain } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../program.ts'
import { bench, newestIn, tidyCases, tidySkill, withModel } from './benched.ts'

const judge =
  "{ name: judge, when: { tool: '^submit$' }, tool_calls: [{ name: submit, input: { verdicts: [{ n: 1, passed: true, evidence: '\"TIDY\"' }] } }] }"
const healthy = `rules: [${judge}, { name: says, text: TIDY }]`
const faulty = (fault: string) => `faults: [{ ${fault} }]\n${healthy}`
const refusing = faulty('status: 429')
const judged = () => makeSkill([{ id: 1, prompt: 'say it', expectations: ['It is tidy.'] }])

const benchOn = (scenario: string, ...flags: readonly string[]) =>
  withModel(scenario, (env) => bench({ env }, '--runs', '2', ...flags))

describe('without a named time', () => {
  test('429 for ever: exit 3 after --max-wait, with the command that goes on', async () => {
    const end = await benchOn(refusing, '--max-wait', '1s')
    expect([end.code, end.stderr]).toEqual([3, expect.stringContaining('(--max-wait)')])
    expect(end.stdout).toContain('no progress for 1s (--max-wait)')
    expect(end.stdout).toContain('INCOMPLETE: 0 of 4 planned runs are graded (4 missing)')
    expect(/^To continue: whetstone bench .*$/m.exec(end.stdout)?.[0]).toContain(end.args.slice(1).join(' '))
    const stopped = { kind: 'max_wait', runs_done: 0, runs_planned: 4 }
    expect(newestIn(end.workspace).result.metadata.stopped).toMatchObject(stopped)
  })
  test('a server that hangs for ever', async () => {
    const { code, stdout } = await benchOn(
      faulty('hang: true'),
      ...['--max-wait', '1s', '--retries', '100', '--idle-timeout', '0.3'],
    )
    expect([code, stdout]).toEqual([3, expect.stringContaining('no progress for 1s (--max-wait)')])
  })
  test('what was finished stays, and continue with the same command', async () => {
    const asked = { skill: tidySkill(1), workspace: path.join(fresh(), 'ws') }
    const flags = ['--runs', '2', '--max-wait', '1s', '--concurrency', '1']
    const first = await withModel(faulty('status: 429, after: 2'), (env) => bench({ ...asked, env }, ...flags))
    expect(first.code, first.stderr).toBe(3)
    expect(newestIn(asked.workspace).result.counts).toMatchObject({ planned: 4, used: 2 })
    await withModel(healthy, async (env, server) => {
      const again = await bench({ ...asked, env }, ...flags)
      expect(again.code, again.stderr).toBe(0)
      expect(server.requests.filter(({ path: at }) => at === '/v1/messages')).toHaveLength(2)
    })
    const { result } = newestIn(asked.workspace)
    expect(result).toMatchObject({ complete: true, counts: { used: 4 } })
    expect(result.metadata.stopped).toBeUndefined()
  })
  test('with --json an event says what is waited for, and the result names the command', async () => {
    const { code, lines } = await benchOn(refusing, '--max-wait', '2s', '--concurrency', '1', '--json')
    expect(code).toBe(3)
    const waiting = { why: expect.stringContaining('429'), until: null, gives_up_at: expect.any(String) }
    expect(lines.find(({ type }) => type === 'waiting')).toMatchObject(waiting)
    expect(lines.find(({ type }) => type === 'budget_reached')).toMatchObject({ kind: 'max_wait' })
    expect(lines.at(-1)).toMatchObject({ exit_code: 3, resume: expect.stringMatching(/^whetstone bench .*--json$/) })
  })
})

describe('the command that goes on is named wherever the same command makes what is missing', () => {
  const toGoOn = (stdout: string) => /^To continue: whetstone bench .*$/m.exec(stdout)?.[0]
  test.each([
    ['the last retry of a 529', []],
    ['a bench of several skills', [judged(), '--judge', 'anthropic:practice-1']],
  ])('after %s', async (_, more) => {
    const flags = ['--retries', '0', ...more]
    const { code, stdout, args } = await benchOn(faulty('status: 529'), ...flags)
    expect([code, toGoOn(stdout)]).toEqual([3, expect.stringContaining(args.slice(1).join(' '))])
    const json = await benchOn(faulty('status: 529'), ...flags, '--json')
    const resume = expect.stringContaining(json.args.slice(1).join(' '))
    expect(json.lines.at(-1)).toMatchObject({ exit_code: 3, resume })
  })
  test('not where a budget must be raised first, nor after aggregate', async () => {
    const end = await benchOn(healthy, '--budget-tokens', '1')
    expect([end.code, toGoOn(end.stdout)]).toEqual([3, undefined])
    const again = await runMain(['aggregate', newestIn(end.workspace).folder])
    expect([again.code, toGoOn(again.stdout)]).toEqual([3, undefined])
  })
})

describe('a time that the provider names', () => {
  test('after the deadline: it ends at once, and says until when', async () => {
    const { code, stdout, workspace } = await benchOn(faulty('status: 429, retry_after: 3600'), '--deadline', '10m')
    expect([code, stdout]).toEqual([3, expect.stringMatching(/would wait beyond the deadline: .*, until 20/)])
    expect(newestIn(workspace).result.metadata.stopped).toMatchObject({ kind: 'max_wait' })
  })
  test('that is longer than --max-wait is waited for, and followed by an answer', async () => {
    const fault = 'status: 429, retry_after: 3, first: 1'
    const { code, stderr } = await benchOn(faulty(fault), '--max-wait', '1s', '--concurrency', '1')
    expect(code, stderr).toBe(0)
  })
  test.each([
    [
      "of a subscription, after the deadline: Claude Code's run ends at once",
      'usage_limit',
      /beyond the deadline: .*, until 20/,
    ],
    ['control: not named by Claude Code, it ends after --max-wait', 'e429', /no progress for 1s/],
  ])('%s', async (_, prompt, message) => {
    const skill = makeSkill([{ ...tidyCases(1)[0], prompt }])
    const fake = path.join(import.meta.dirname, '../../fixtures/agents/fake_claude.mjs')
    const flags = ['--runs', '1', '--sandbox', 'off', '--deadline', '10m', '--max-wait', '1s']
    const end = await withModel(healthy, (env) =>
      bench({ skill, engine: 'claude-code', env: { ...env, WHETSTONE_CLAUDE: fake } }, ...flags),
    )
    expect([end.code, end.stdout]).toEqual([3, expect.stringMatching(message)])
  })
})

describe('other commands', () => {
  const ended = (...args: readonly string[]) =>
    withModel(refusing, async (env) => {
      const { code, stdout, stderr } = await runMain([...args, '--max-wait', '1s'], { env })
      return { code, said: `${stderr}${stdout}` }
    })
  const withSuite = () => {
    const queries = [true, false].map((should_trigger, id) => ({ query: `tidy ${id}`, should_trigger }))
    return makeSkill(tidyCases(4), { 'evals/trigger_eval.json': JSON.stringify(queries) })
  }
  const engine = ['--engine', 'anthropic:practice-1']

  test('bench whose judge alone is refused, grade and compare', async () => {
    const refused = `rules: [{ name: judge, when: { tool: '^submit$' }, fault: { status: 429 } }, { name: says, text: TIDY }]`
    const skill = judged()
    const { code, stdout, workspace } = await withModel(refused, (env) =>
      bench({ skill, env }, '--runs', '1', '--max-wait', '1s'),
    )
    expect([code, stdout]).toEqual([3, expect.stringContaining('no progress for 1s (--max-wait)')])
    expect(newestIn(workspace).result.metadata.stopped).toMatchObject({ kind: 'max_wait', runs_done: 2 })
    await withModel(healthy, (env) => bench({ skill, workspace, env }, '--runs', '1'))
    for (const command of ['grade', 'compare']) {
      const end = await ended(command, workspace, '--judge', 'anthropic:practice-2')
      const message = expect.stringMatching(new RegExp(`no progress for 1s[\\s\\S]*whetstone ${command}`))
      expect([end.code, end.said]).toEqual([3, message])
    }
  })
  test.each([
    ['eval', (ws: string) => ['--workspace', ws]],
    ['triggers', (ws: string) => ['--workspace', ws]],
    ['init', (ws: string) => ['--output', `${ws}.json`]],
    ['improve', (ws: string) => ['--workspace', ws, '--yes']],
  ])('%s', async (command, place) => {
    const { code, said } = await ended(command, withSuite(), ...engine, ...place(path.join(fresh(), 'ws')))
    expect([code, said]).toEqual([3, expect.stringContaining('no progress for 1s')])
    expect(said).toContain(`whetstone ${command}`)
  })
})

test.each(['0s', 'soon', '15', '-3m'])('--max-wait %s is refused', async (value) => {
  const end = await bench({}, `--max-wait=${value}`, '--dry-run')
  expect([end.code, end.stderr]).toEqual([2, expect.stringContaining('expected a duration')])
})
