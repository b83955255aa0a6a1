/** What a suite starts where no sandbox holds it: nothing without the user's yes. (`--sandbox=off`: the helper adds no --trust-suite.) */
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { plan as planSchema } from '../../../schemas/plan.ts'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { agent, fresh, makeSkill, type ProgramEnd } from '../program.ts'
import { atTerminal, needsTerminal } from '../terminal.ts'

const off = '--sandbox=off'

/** A suite whose setup and check each leave a mark outside of every run's folder. */
function marking(more: object = {}) {
  const marks = fresh()
  const [setup, check] = ['setup', 'check'].map((name) => path.join(marks, name))
  const one = {
    id: 1,
    prompt: 'task',
    setup: `touch ${setup}`,
    checks: [{ type: 'command', run: `touch ${check}` }],
    ...more,
  }
  const skill = makeSkill([one])
  return { skill, marked: () => readdirSync(marks).sort(), marks }
}

const engine = ['--engine', agent('tidy.mjs'), '--runs', '1', '--no-cache']

function expectRefused({ code, stderr }: Pick<ProgramEnd, 'code' | 'stderr'>) {
  expect(stderr).toMatch(/setup +1 .*touch/)
  expect(stderr).toMatch(/error: \d commands of the suite would run as you, without a sandbox .*evals\.json\)/)
  expect(stderr).toMatch(/--trust-suite.*bubblewrap/)
  expect(code).toBe(2)
}

/** Each command that starts what a suite brings, and what it starts. */
const starts: [string, (skill: string, workspace: string) => readonly string[], string[]][] = [
  ['bench', (skill, workspace) => ['bench', skill, ...engine, '--workspace', workspace], ['check', 'setup']],
  ['eval', (skill, workspace) => ['eval', skill, ...engine.slice(0, 2), '--workspace', workspace], ['check', 'setup']],
  ['check --null', (skill) => ['check', skill, '--null'], ['check', 'setup']],
]

describe.each(starts)('%s without a sandbox', (_, argsFor, wanted) => {
  test('starts no command of the suite and ends with 2', async () => {
    const { skill, marked } = marking()
    const workspace = path.join(fresh(), 'ws')
    expectRefused(await runMain([...argsFor(skill, workspace), off]))
    expect(marked()).toEqual([])
    expect(existsSync(workspace)).toBe(false)
  })
  test('control: with --trust-suite they run', async () => {
    const { skill, marked } = marking()
    const end = await runMain([...argsFor(skill, path.join(fresh(), 'ws')), off, '--trust-suite'])
    expect(end.stdout + end.stderr).not.toContain('would run as you')
    expect(marked()).toEqual(wanted)
  })
})

describe('a finished benchmark', () => {
  const benched = async () => {
    const { skill, marks } = marking()
    const workspace = path.join(fresh(), 'ws')
    expect((await runMain(['bench', skill, ...engine, '--workspace', workspace, '--sandbox', 'off'])).code).toBe(0)
    const [name = ''] = readdirSync(path.join(workspace, 'benchmarks'))
    const folder = path.join(workspace, 'benchmarks', name)
    for (const mark of readdirSync(marks)) rmSync(path.join(marks, mark))
    return { skill, workspace, folder, marks }
  }
  test.each([
    ['grade', (at: { folder: string }) => ['grade', at.folder, '--anew']],
    [
      'bench --rerun',
      (at: { skill: string; workspace: string; folder: string }) => [
        ...['bench', at.skill, '--workspace', at.workspace],
        ...['--rerun', path.join(at.folder, 'eval-1-task/with_skill/run-1')],
      ],
    ],
  ])('%s is refused without a sandbox, and goes on with --trust-suite', async (_, argsFor) => {
    const at = await benched()
    expectRefused(await runMain([...argsFor(at), off]))
    expect(readdirSync(at.marks)).toEqual([])
    const end = await runMain([...argsFor(at), off, '--trust-suite'])
    expect(end.code, end.stderr).toBe(0)
    expect(readdirSync(at.marks).sort()).toEqual(['check', 'setup'])
  })
})

describe('a dry run', () => {
  test('lists the commands and foresees the refusal', async () => {
    const { skill, marked } = marking()
    const end = await runMain(['bench', skill, ...engine, off, '--dry-run'])
    expect(end.stdout).toMatch(/2 commands of the suite, as you and without a sandbox:\n {2}setup +1 \S+ +touch/)
    expect(end.stderr).toContain('--trust-suite')
    expect([end.code, marked()]).toEqual([2, []])
    const allowed = await runMain(['bench', skill, ...engine, off, '--trust-suite', '--dry-run'])
    expect([allowed.code, allowed.stdout.includes('2 commands of the suite')]).toEqual([0, true])
  })
  test('has them in --json, whole', async () => {
    const long = `true ${'x'.repeat(500)}`
    const { skill } = marking({ setup: long })
    const end = await runMain(['bench', skill, ...engine, off, '--dry-run', '--json'])
    const { commands, refused } = JSON.parse(end.stdout)
    expect(commands[0]).toEqual({ kind: 'setup', command: long, cases: ['1 task'] })
    expect(refused.fix).toContain('--trust-suite')
  })
  test('of eval says the same', async () => {
    const { skill } = marking()
    const end = await runMain(['eval', skill, ...engine.slice(0, 2), off, '--dry-run'])
    expect(end.stdout).toContain('2 commands of the suite')
    expect(end.code).toBe(2)
  })
})

test('a suite that starts nothing needs no yes', async () => {
  const skill = makeSkill([{ id: 1, prompt: 'task', checks: [{ type: 'contains', value: 'TIDY' }] }])
  const end = await runMain(['bench', skill, ...engine, off, '--workspace', path.join(fresh(), 'ws')])
  expect(end.code, end.stderr).toBe(0)
  expect(end.stderr).not.toContain('of the suite')
})

test('check lists them, with control characters shown as a dot and long ones cut', async () => {
  const { skill } = marking({ setup: `printf '\u001b[2J\u202e' && true ${'x'.repeat(500)}` })
  const { stdout } = await runMain(['check', skill])
  expect(stdout).toMatch(/setup +1 task +printf '·\[2J·' && true x+… \(\d+ more characters\)\n/)
  for (const character of '\u001b\u202e') expect(stdout).not.toContain(character)
  const report = JSON.parse((await runMain(['check', skill, '--json'])).stdout)
  expect(report.skills[0].commands.map(({ kind }: { kind: string }) => kind)).toEqual(['setup', 'check'])
})

test('check lists twenty of many', async () => {
  const one = (at: number) => ({ id: at, prompt: 'task', setup: `true ${at}`, expectations: ['x'] })
  const { stdout } = await runMain(['check', makeSkill(Array.from({ length: 60 }, (_, at) => one(at + 1)))])
  expect(stdout.match(/^ +setup /gm)).toHaveLength(20)
  expect(stdout).toContain('… 40 more (--json lists all)')
})

/** PATH with everything but bwrap. */
function withoutBubblewrap(): string {
  const folder = fresh()
  for (const from of (process.env.PATH ?? '').split(':').filter((one) => existsSync(one))) {
    for (const name of readdirSync(from)) {
      if (name !== 'bwrap' && !existsSync(path.join(folder, name)))
        symlinkSync(path.join(from, name), path.join(folder, name))
    }
  }
  return folder
}

describe('on a machine without bubblewrap', () => {
  const PATH = withoutBubblewrap()
  test('a suite with commands is refused, whose hint names the sandbox', async () => {
    const { skill, marked } = marking()
    expectRefused(await runMain(['bench', skill, ...engine, '--sandbox=auto'], { env: { PATH } }))
    expect(marked()).toEqual([])
  })
  test('the demo runs: its suite is ours', async () => {
    const args = ['demo', '--runs', '1', '--sandbox=auto', '--workspace', path.join(fresh(), 'ws')]
    const end = await runMain(args, { env: { PATH } })
    expect(end.code, end.stderr).toBe(0)
    expect(end.stderr).toContain('1 command of the suite, as you and without a sandbox')
  })
})

test('a configuration file sets no trust unless it is trusted', async () => {
  const { skill, marked } = marking()
  writeFileSync(path.join(path.dirname(skill), 'whetstone.config.yaml'), 'trust-suite: true\n')
  const args = ['bench', skill, ...engine, off, '--workspace', path.join(fresh(), 'ws')]
  const end = await runMain(args)
  expect(end.stderr).toContain('trust-suite: true is not confirmed')
  expect([end.code, marked()]).toEqual([2, []])
  const trusted = await runMain([...args, '--trust-config'])
  expect(trusted.code, trusted.stderr).toBe(0)
  expect(marked()).toEqual(['check', 'setup'])
})

needsTerminal('at a terminal', () => {
  const question = 'Start them? [y/N] '
  const session = (skill: string, answer: string, state: string) => {
    const args = ['bench', skill, ...engine, off, '--workspace', path.join(fresh(), 'ws')]
    return atTerminal({ args, question, answer: () => answer, env: { XDG_STATE_HOME: state } })
  }
  test('no: nothing starts', async () => {
    const { skill, marked } = marking()
    const end = await session(skill, 'n\n', fresh())
    expect(end.said).toContain('refusing to run its commands')
    expect([end.code, marked()]).toEqual([2, []])
  })
  test('yes: they start, and the answer is remembered until what would run changes', async () => {
    const marks = fresh()
    const mark = path.join(marks, 'mark')
    const script = (text: string) => ({ 'evals/start.sh': text })
    const one = { id: 1, prompt: 'task', files: ['evals/start.sh'], setup: 'sh evals/start.sh', expectations: [] }
    const cases = [{ ...one, checks: [{ type: 'contains', value: 'TIDY' }] }]
    const skill = makeSkill(cases, script(`touch ${mark}\n`))
    const state = fresh()
    const first = await session(skill, 'y\n', state)
    expect(first.said).toContain(question)
    expect([first.code, existsSync(mark)]).toEqual([0, true])
    const again = await session(skill, 'n\n', state)
    expect([again.code, again.said.includes(question)]).toEqual([0, false])
    writeFileSync(path.join(skill, 'evals/start.sh'), `touch ${mark} ${mark}2\n`)
    const changed = await session(skill, 'n\n', state)
    expect([changed.code, changed.said.includes(question), existsSync(`${mark}2`)]).toEqual([2, true, false])
    const elsewhere = await session(skill, 'n\n', fresh())
    expect([elsewhere.code, elsewhere.said.includes(question)]).toEqual([2, true])
  })
})

needsTerminal('at a terminal, the settings of a configuration file', () => {
  const question = 'Do you trust these settings? [y/N] '
  test('are shown and asked about once', async () => {
    const { skill } = marking()
    writeFileSync(path.join(path.dirname(skill), 'whetstone.config.yaml'), 'runs: 1\npass-env: [MINE]\n')
    const [args, env] = [['bench', skill, ...engine, '--dry-run', '--trust-suite'], { XDG_STATE_HOME: fresh() }]
    const answer = (text: string) => atTerminal({ args, question, answer: () => text, env })
    expect(await answer('n\n')).toMatchObject({ code: 2, said: expect.stringMatching(/2: +pass-env: MINE +shows/) })
    expect(await answer('y\n')).toMatchObject({ code: 0, said: expect.stringContaining(question) })
    expect(await answer('n\n')).toMatchObject({ code: 0, said: expect.not.stringContaining(question) })
  })
})

describe('a suite that asks for an open network', () => {
  const suite = () => {
    const one = { id: 1, prompt: 'task', checks: [{ type: 'contains', value: 'TIDY' }] }
    const file = { skill_name: 'tidy', sandbox: { network: 'open' }, evals: [one] }
    return makeSkill([one], { 'evals/evals.json': JSON.stringify(file) })
  }
  const bench = (skill: string, ...flags: string[]) =>
    runMain(['bench', skill, ...engine, '--workspace', path.join(fresh(), 'ws'), ...flags])
  test.each([
    ['bench --sandbox required', (skill: string) => bench(skill, '--sandbox', 'required')],
    ['eval --dry-run', (skill: string) => runMain(['eval', skill, ...engine.slice(0, 2), '--dry-run'])],
  ])('is refused by %s with the flag in the hint', async (_, run) => {
    const { code, stderr, stdout } = await run(suite())
    expect(stderr + stdout).toMatch(/sandbox\.network asks for an open network.*\n?(hint:)? *add --network open/)
    expect(code).toBe(2)
  })
  test('is an error of check, unless --network says what the user decides', async () => {
    const { code, stdout } = await runMain(['check', suite()])
    expect(stdout).toMatch(/asks for an open network.*\[network-asked\]/)
    expect(code).toBe(1)
    expect((await runMain(['check', suite(), '--network', 'open'])).stdout).not.toContain('network-asked')
  })
  test.each(['open', 'none'])('control: --network %s decides, and it runs', async (network) => {
    const end = await bench(suite(), '--network', network)
    expect(end.code, end.stderr).toBe(0)
  })
  test('plan.json of a benchmark somebody else made opens nothing either', async () => {
    const workspace = path.join(fresh(), 'ws')
    const skill = suite()
    await runMain(['bench', skill, ...engine, '--workspace', workspace, '--network', 'open'])
    const [name = ''] = readdirSync(path.join(workspace, 'benchmarks'))
    const folder = path.join(workspace, 'benchmarks', name)
    const run = path.join(folder, 'eval-1-task/with_skill/run-1')
    const again = (...flags: string[]) => runMain(['bench', skill, '--workspace', workspace, '--rerun', run, ...flags])
    const refused = await again()
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('add --network open')])
    expect((await again('--network', 'open')).code).toBe(0)
    expect(planSchema.parse(JSON.parse(readFileSync(path.join(folder, 'plan.json'), 'utf8'))).runs.length).toBe(3)
  })
})

/** The program or server that the plan of a benchmark somebody else made names gets no key before the user has agreed. */
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
    [
      'compare --analyze',
      () => ['compare', folder, '--analyze', '--only', 'notes'],
      /names the judge sh -c 'touch.*--judge/s,
      ['judge'],
    ],
    ['bench --rerun', rerun, /a benchmark without your signature/, ['agent', 'judge']],
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
