/** A benchmark that somebody else made: the program or server that its plan names gets no key before the user has agreed. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../program.ts'

describe('the programs of a plan', () => {
  const marks = fresh()
  const [judge, worker] = ['judge', 'agent'].map((name) => path.join(marks, name))
  const workspace = path.join(fresh(), 'ws')
  const skill = makeSkill([{ id: 1, prompt: 'task', expectations: ['It says TIDY'] }])
  let folder = ''
  beforeAll(async () => {
    const engine = ['--engine', `command:sh -c 'touch ${worker}; echo TIDY'`]
    engine.push('--judge', `command:sh -c 'touch ${judge}'`)
    await runMain(['bench', skill, ...engine, '--runs', '1', '--workspace', workspace, '--sandbox', 'off'])
    folder = path.join(workspace, 'benchmarks', readdirSync(path.join(workspace, 'benchmarks'))[0] ?? '')
  })

  const run = async (args: readonly string[], state: string | null) => {
    for (const name of readdirSync(marks)) rmSync(path.join(marks, name))
    const end = await runMain([...args, '--sandbox=off'], state === null ? {} : { env: { XDG_STATE_HOME: state } })
    return { ...end, marks: readdirSync(marks).sort() }
  }
  const benchedRun = () => path.join(folder, 'eval-1-task/with_skill/run-1')
  const rerun = () => ['bench', skill, '--workspace', workspace, '--rerun', benchedRun()]
  const commands: [string, () => string[], RegExp, string[]][] = [
    ['grade', () => ['grade', folder, '--anew'], /names the judge sh -c 'touch.*--judge/s, ['judge']],
    ['compare', () => ['compare', folder], /names the judge sh -c 'touch.*--judge/s, ['judge']],
    ['compare --dry-run', () => ['compare', folder, '--dry-run'], /names the judge sh -c 'touch.*--judge/s, []],
    ['analyze', () => ['analyze', folder, '--only', 'notes'], /names the judge sh -c 'touch.*--judge/s, ['judge']],
    ['bench --rerun', rerun, /names the agent sh -c 'touch.*--trust-suite/s, ['agent', 'judge']],
  ]
  test.each(commands)('%s on another machine is refused before anything starts', async (_, args, message) => {
    const end = await run(args(), fresh())
    expect(end.stderr).toMatch(message)
    expect([end.code, end.marks]).toEqual([2, []])
  })
  test.each(commands)('control: %s where the user benched goes on', async (_, args, __, wanted) => {
    const end = await run(args(), null)
    expect(end.stderr).not.toContain('was not named on this machine')
    expect(end.marks).toEqual(wanted)
  })
  test('control: --trust-suite, and a judge named by its flag', async () => {
    expect((await run(['grade', folder, '--anew', '--trust-suite'], fresh())).marks).toEqual(['judge'])
    const state = fresh()
    const named = ['grade', folder, '--anew', '--judge', `command:sh -c 'touch ${judge}'`]
    expect((await run(named, state)).marks).toEqual(['judge'])
    expect((await run(['grade', folder, '--anew'], state)).marks).toEqual(['judge'])
  })
})

test('a server that a plan names gets no key either', async () => {
  const workspace = path.join(fresh(), 'ws')
  const skill = makeSkill([{ id: 1, prompt: 'task', expectations: ['It says TIDY'] }])
  const flags = ['--judge', 'command:echo no', '--runs', '1', '--workspace', workspace]
  await runMain(['bench', skill, '--engine', tidyAgent, ...flags, '--sandbox', 'off'])
  const folder = path.join(workspace, 'benchmarks', readdirSync(path.join(workspace, 'benchmarks'))[0] ?? '')
  const file = path.join(folder, 'plan.json')
  const plan = JSON.parse(readFileSync(file, 'utf8'))
  plan.options.judge = { name: 'anthropic', model: 'haiku', base_url: 'http://127.0.0.1:9' }
  writeFileSync(file, JSON.stringify(plan))
  const env = { ANTHROPIC_API_KEY: 'practice' }
  const grade = (...more: string[]) => runMain(['grade', folder, '--anew', '--sandbox=auto', ...more], { env })
  const refused = await grade()
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('anthropic at http://127.0.0.1:9')])
  const named = await grade('--base-url', 'http://127.0.0.1:9')
  expect(named.stderr).not.toContain('was not named on this machine')
  expect(existsSync(file)).toBe(true)
})
