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
  test('429 for ever: exit 3 after --max-wait; an event says what is waited for, and the result names the command that goes on', async () => {
    const end = await benchOn(refusing, '--max-wait', '2s', '--concurrency', '1', '--json')
    expect(end.code).toBe(3)
    const waiting = { why: expect.stringContaining('429'), until: null, gives_up_at: expect.any(String) }
    expect(end.lines.find(({ type }) => type === 'waiting')).toMatchObject(waiting)
    expect(end.lines.find(({ type }) => type === 'budget_reached')).toMatchObject({ kind: 'max_wait' })
    const resume = expect.stringContaining(end.args.slice(1).join(' '))
    expect(end.lines.at(-1)).toMatchObject({ exit_code: 3, resume })
    const stopped = { kind: 'max_wait', runs_done: 0, runs_planned: 4 }
    expect(newestIn(end.workspace).result.metadata.stopped).toMatchObject(stopped)
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
})

describe('the command that goes on is named', () => {
  const toGoOn = (stdout: string) => /^To continue: whetstone bench .*$/m.exec(stdout)?.[0]
  test('after the last retry of a 529, of several skills', async () => {
    const flags = ['--retries', '0', judged(), '--judge', 'anthropic:practice-1']
    const { code, stdout, args } = await benchOn(faulty('status: 529'), ...flags)
    expect([code, toGoOn(stdout)]).toEqual([3, expect.stringContaining(args.slice(1).join(' '))])
  })
  test('not where a budget must be raised first, nor after aggregate', async () => {
    const end = await benchOn(healthy, '--budget-tokens', '1')
    expect([end.code, toGoOn(end.stdout)]).toEqual([3, undefined])
    const again = await runMain(['aggregate', newestIn(end.workspace).folder])
    expect([again.code, toGoOn(again.stdout)]).toEqual([3, undefined])
  })
})

describe('a time that the provider names after the deadline ends it at once, and says until when', () => {
  const message = /would wait beyond the deadline: .*, until 20/
  test('as Retry-After', async () => {
    const { code, stdout, workspace } = await benchOn(faulty('status: 429, retry_after: 3600'), '--deadline', '10m')
    expect([code, stdout]).toEqual([3, expect.stringMatching(message)])
    expect(newestIn(workspace).result.metadata.stopped).toMatchObject({ kind: 'max_wait' })
  })
  test("as the limit of a subscription, by Claude Code's run", async () => {
    const skill = makeSkill([{ ...tidyCases(1)[0], prompt: 'usage_limit' }])
    const fake = path.join(import.meta.dirname, '../../fixtures/agents/fake_claude.mjs')
    const flags = ['--runs', '1', '--sandbox', 'off', '--deadline', '10m']
    const end = await withModel(refusing, (env) =>
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
