/** The command line at its edge: help, mistakes with their exit codes, JSON lines. What needs a process is in `program.system.test.ts`. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { flowEvent } from '../../schemas/flow_event.ts'
import { plan } from '../../schemas/plan.ts'
import { commandNames } from '../../src/cli/help/command_groups.ts'
import { agent, fresh, makeSkill } from '../e2e/program.ts'
import { runMain } from './run_main.ts'

const simple = [{ id: 1, name: 'first', prompt: 'x', checks: [{ type: 'contains', value: 'TIDY' }] }]
const command = ['--engine', agent('tidy.mjs')]
const oldWords = /(?<!--)\b(if not given|likewise|beside|of which|is no|anew|meant|told|mend|passed over)\b/

describe('help', () => {
  test('names each command once, and each has one with examples, none of them broken over lines', async () => {
    const { stdout } = await runMain(['--help'])
    const groups = stdout.slice(stdout.indexOf('Start:'), stdout.indexOf('Options:'))
    const names = [...groups.matchAll(/^ {2}([\w-]+)/gm)].map(([, name = '']) => name)
    expect(names).toEqual(commandNames)
    expect(new Set(names).size).toBe(names.length)
    const helps = await Promise.all(names.map((name) => runMain([name, '--help'])))
    const lacking = names.filter((_, at) => helps[at]?.code !== 0 || !helps[at]?.stdout.includes('Examples:'))
    expect(lacking).toEqual([])
    const examples = helps.flatMap(
      ({ stdout: help }) => /^Examples:\n([\s\S]*?)\n\n/m.exec(`${help}\n\n`)?.[1]?.split('\n') ?? [],
    )
    expect(examples.length).toBeGreaterThan(2 * names.length)
    expect(examples.filter((line) => !/^ {2}(?:# |whetstone )\S/.test(line))).toEqual([])
  })
  test('of the program fits a terminal of 80 columns', async () => {
    const { stdout } = await runMain(['--help'])
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
  })
  test('of bench says first what it is for', async () => {
    const { stdout } = await runMain(['bench', '--help'])
    expect(stdout.split('\n').filter(Boolean)[1]).toMatch(/^Run each case with and without the skill/)
  })
  test.each([[[]], [['help']], [['-h']]])('%j shows the help of the program and ends with 0', async (words) => {
    const end = await runMain(words)
    expect(end).toEqual(await runMain(['--help']))
    expect(end.code).toBe(0)
  })
  test('help bench is bench --help', async () => {
    expect(await runMain(['help', 'bench'])).toEqual(await runMain(['bench', '--help']))
  })
  test('of every command has at most 60 lines of 90 columns, without old wording', async () => {
    const odd: string[] = []
    for (const name of commandNames) {
      const lines = (await runMain([name, '--help'])).stdout.trimEnd().split('\n')
      if (lines.length > 60) odd.push(`${name}: ${lines.length} lines`)
      odd.push(...lines.filter((line) => line.length > 90 || oldWords.test(line)).map((line) => `${name}: ${line}`))
    }
    expect(odd).toEqual([])
  })
  test('control: old wording is seen', () => expect('the default if not given').toMatch(oldWords))
  test.each([
    ['bench', 60],
    ['improve', 60],
    ['eval', 60],
    ['triggers', 60],
  ])('of %s has at most %d lines of 90 columns, with the rest of the options in --help-all', async (name, most) => {
    const { stdout } = await runMain([name, '--help'])
    const lines = stdout.trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(most)
    expect(lines.filter((line) => line.length > 90)).toEqual([])
    expect(stdout).toContain('Common:')
    expect(stdout).not.toContain('--queue-ca')
    const { stdout: all } = await runMain([name, '--help-all'])
    const options = (text: string) => [...text.matchAll(/^ +(?:-\w, )? *--([\w-]+)/gm)].map(([, flag]) => flag)
    expect(options(all)).toEqual(expect.arrayContaining(options(stdout)))
    expect(options(all).length).toBeGreaterThan(options(stdout).length + 5)
    expect(all.includes('--queue-ca')).toBe(name !== 'triggers')
  })
})

describe('a mistake ends with exit 2, one line and a way out', () => {
  const skill = makeSkill(simple)
  const notSkill = fresh()
  const badJson = makeSkill(simple, { 'evals/evals.json': '{\n  "evals": [,]\n}' })
  const twice = [
    ['bench', skill, '--runs', '5', '--runs', '1'],
    ['bench', skill, '--runs=5', '--runs=1'],
    ['bench', skill, '--runs', '1', '--runs=1'],
    ['bench', skill, '--runs', '5', '--runs', '3'],
    ['bench', skill, '--budget', '5', '--budget', '1'],
    ['bench', skill, '--max-turns', '5', '--maxTurns', '1'],
    ['bench', skill, '--concurrency', '4', '--print-config', '--concurrency', '1'],
    ['triggers', skill, '--runs', '5', '--runs', '1'],
    ['improve', skill, '--runs', '5', '--runs', '1'],
    ['init', skill, '--cases', '5', '--cases', '1'],
    ['audit', skill, '--sample', '5', '--sample', '1'],
    ['practice', '--scenario', 'x', '--port', '5', '--port', '1'],
    ['queue', 'work', '--concurrency', '4', '--concurrency', '1'],
    ['demo', '--runs', '5', '--runs', '1'],
  ]
  test.each<[string, string[], RegExp]>([
    ['an unknown command', ['benhc'], /^error: unknown command "benhc"\nhint: did you mean "bench"\?\n$/],
    [
      'an unknown command that is like none',
      ['xyzzy'],
      /^error: unknown command "xyzzy"\nhint: see whetstone --help\n$/,
    ],
    [
      'a folder in place of a command',
      ['skills/x'],
      /^error: unknown command "skills\/x"\nhint: to benchmark a skill: whetstone bench skills\/x\n$/,
    ],
    [
      'folders that view does not take',
      ['view', 'a', 'b', 'workspaces'],
      /^error: unknown arguments: "b", "workspaces"\nhint: view takes one folder; for two, use whetstone view --compare A B; see whetstone view --help\n$/,
    ],
    ['words that demo does not take', ['demo', 'skill'], /unknown argument: "skill"\nhint: demo takes only flags; see/],
    [
      'a word that grade does not take',
      ['grade', 'a', 'judge'],
      /unknown argument: "judge"\nhint: grade takes <benchmark>; see/,
    ],
    [
      'an unknown flag',
      ['bench', skill, '--rusn', '3'],
      /^error: unknown option: "--rusn"\nhint: did you mean "--runs"\?\n$/,
    ],
    [
      'an unknown flag of two words, told once',
      ['bench', skill, '--queue-tags', 'gpu'],
      /^error: unknown option: "--queue-tags"\nhint: did you mean "--queue"\?\n$/,
    ],
    [
      'a flag of another command',
      ['aggregate', skill, '--runs', '3'],
      /aggregate has no --runs \(other commands do\)\nhint: see whetstone aggregate --help/,
    ],
    ['no skill', ['bench'], /bench needs <skill/],
    ['a flag without its value', ['bench', skill, '--workspace'], /workspace/],
    ['a number without its value', ['bench', skill, '--runs', '--json'], /runs/],
    ['an empty value', ['bench', skill, '--workspace', ''], /--workspace: empty/],
    ['a flag without its value', ['bench', skill, '--runs', '1', '--suite', '--runs', '1'], /--suite: no value/],
    ['a flag given twice', ['bench', skill, '--engine', 'a', '--engine', 'b'], /--engine: given more than once/],
    ...twice.map<[string, string[], RegExp]>((args) => [
      `a number given twice: ${args.join(' ')}`,
      [...args, '--json'],
      /^error: --[a-z-]+: given more than once\nhint: pass it once\n$/,
    ]),
    [
      'a switch that is neither true nor false',
      ['bench', skill, ...command, '--dry-run=yes'],
      /--dry-run: expected true or false, got "yes"/,
    ],
    ['runs without end', ['bench', skill, '--runs', '1e9'], /--runs: .* to 1000/],
    ['a timeout that no timer can keep', ['bench', skill, '--timeout', '1e12'], /--timeout/],
    ['a port that is none', ['practice', '--scenario', 'x', '--port', '99999'], /--port/],
    [
      'a value that is none has no flag to be meant',
      ['bench', skill, '--activation', 'bogus'],
      /^error: --activation: unknown value "bogus"\nhint: expected one of natural, instructed, loaded\n$/,
    ],
    [
      'a refused value keeps its fix',
      ['audit', skill, '--sample', '0'],
      /--sample: expected per cent .*, got "0"\nhint: use a number such as --sample 10/,
    ],
    ['a number without its value, named', ['bench', skill, '--runs'], /--runs: no value\n/],
    [
      'seconds that are none',
      ['bench', skill, '--timeout', '-3'],
      /--timeout: expected seconds .*, got "-3"\nhint: use a number such as --timeout 300/,
    ],
    [
      'runs in words',
      ['bench', skill, '--runs', 'three'],
      /--runs: expected a whole number from 1 to 1000, got "three"\n/,
    ],
    [
      'a budget in words',
      ['bench', skill, '--budget=x'],
      /--budget: expected an amount .*, got "x"\nhint: use a number such/,
    ],
    ['turns in camel case', ['bench', skill, '--maxTurns', 'many'], /--max-turns: expected .*, got "many"\n/],
    [
      'a duration that is none',
      ['bench', skill, '--max-wait', 'soon'],
      /--max-wait: expected a duration .*, got "soon"\n/,
    ],
    [
      'a near choice',
      ['bench', skill, '--activation', 'naturl'],
      /unknown value "naturl"\nhint: did you mean "natural"\?\n/,
    ],
    ['a near skill', ['bench', `${skill}s`], /no such folder .*\nhint: did you mean ".*tidy"\?\n/],
    [
      'an unknown judge',
      ['bench', makeSkill([{ id: 1, prompt: 'p', expectations: ['e'] }]), ...command, '--judge', 'foo:bar'],
      /--judge "foo:bar": unknown engine "foo"\nhint: expected one of/,
    ],
    ['no runs', ['bench', skill, '--runs', '0'], /--runs/],
    ['half a run', ['bench', skill, '--runs', '1.5'], /--runs/],
    ['no skill there', ['bench', '/no/such'], /no such folder/],
    ['a folder without SKILL.md', ['bench', notSkill], /SKILL\.md/],
    ['broken JSON', ['bench', badJson, ...command], /evals\.json:2:\d+\)/],
    ['an unknown case', ['bench', skill, ...command, '--case', 'frist'], /first/],
    ['an unknown engine', ['bench', skill, '--engine', 'claud-code'], /claude-code/],
    ['a program that is not there', ['bench', skill, '--engine', 'command:no-such-program'], /no-such-program/],
    ['no credentials', ['bench', skill, '--engine', 'anthropic'], /ANTHROPIC_API_KEY/],
    ['no engine at all', ['bench', skill], /whetstone demo/],
    ['no benchmark there', ['grade', notSkill], /not a benchmark folder: .*\n.*benchmarks\/<timestamp>/],
    [
      'nothing to aggregate',
      ['aggregate', notSkill],
      /no graded runs found .*\n.*<case>\/<configuration>\/grading\.json/,
    ],
    ['a dialect without a folder', ['aggregate', notSkill, '--to', 'agentskills'], /--to without --output/],
    ['an unknown git ref', ['bench', skill, ...command, '--baseline', 'git:nope'], /nope|git/],
  ])('%s', async (_what, args, message) => {
    const end = await runMain(args, { env: { PATH: '/usr/bin:/bin' } })
    expect(end.stderr).toMatch(message)
    expect(end.stderr).not.toMatch(/\n\s+at /)
    expect(end.code).toBe(2)
  })
  test('a number after -- is none of a flag', async () => {
    const end = await runMain(['bench', skill, '--runs', '5', '--print-config', '--', '--runs', '1'])
    expect(end.stderr).not.toContain('more than once')
  })
  test('with --json the error is a JSON line too', async () => {
    const end = await runMain(['bench', '/no/such', '--json'])
    expect(JSON.parse(end.stdout)).toMatchObject({ type: 'error', exit_code: 2 })
  })
  test('a server that is not there ends with 3, before any run', async () => {
    const workspace = path.join(fresh(), 'ws')
    const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' }
    const end = await runMain(['bench', skill, '--engine', 'anthropic', '--workspace', workspace], { env })
    expect(end).toMatchObject({ code: 3 })
    expect(end.stderr).toContain('127.0.0.1:9')
    expect(() => readdirSync(workspace)).toThrow()
  })
})

describe('what comes from files never drives the terminal', () => {
  const hostile = { 'SKILL.md': '---\nname: "tidy\\e[2J\\e]0;x\\a"\ndescription: d\n---\n' }
  const cases = [{ ...simple[0], name: 'first\u001b[2J\u202e' }]
  test.each([['--dry-run'], ['--runs=1']])('%s', async (flag) => {
    const end = await runMain(['bench', makeSkill(cases, hostile), ...command, flag])
    expect(end.code).toBe(0)
    expect(end.stdout + end.stderr).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u)
  })
  test('an error that names a file', async () => {
    const end = await runMain(['bench', '/no/su\u001b[2Jch'])
    expect(end.stderr).not.toMatch(/(?!\n)\p{Cc}/u)
  })
})

describe('bench', () => {
  test('--dry-run prints the plan and the calls and writes nothing', async () => {
    const cwd = fresh()
    const end = await runMain(['bench', makeSkill(simple), ...command, '--dry-run'], { cwd })
    expect(end).toMatchObject({ code: 0 })
    expect(end.stdout).toContain('6 agent runs, 0 judge calls')
    expect(readdirSync(cwd)).toEqual([])
  })
  test('--dry-run refuses checks that this engine can not decide', async () => {
    const evals = [{ id: 1, prompt: 'x', checks: [{ type: 'tool_used', name: 'Bash' }] }]
    const end = await runMain(['bench', makeSkill(evals), ...command, '--dry-run'])
    expect(end).toMatchObject({ code: 2 })
    expect(end.stderr).toMatch(/case 1 \(x\): tool_used: the engine command does not show how the agent works/)
  })
  test('--dry-run plans even where no engine available, and says why', async () => {
    const end = await runMain(['bench', makeSkill(simple), '--dry-run'], { env: { PATH: '/usr/bin:/bin' } })
    expect(end).toMatchObject({ code: 2 })
    expect(end.stdout).toMatch(/6 agent runs/)
    expect(end.stderr).toMatch(/^error: no engine available \(claude-code: .*anthropic: /)
  })
  test('--dry-run --json is the plan', async () => {
    const end = await runMain(['bench', makeSkill(simple), ...command, '--dry-run', '--json'])
    expect(plan.parse(JSON.parse(end.stdout)).runs).toHaveLength(6)
  })
  test('--json prints flow events, then the result', async () => {
    const cwd = fresh()
    const end = await runMain(['bench', makeSkill(simple), ...command, '--runs', '1', '--json'], { cwd })
    const lines = end.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const types = lines.slice(0, -1).map((line) => flowEvent.parse(line).type)
    expect(types).toEqual(
      expect.arrayContaining(['plan_ready', 'run_started', 'run_finished', 'grade_finished', 'benchmark_written']),
    )
    expect(lines.at(-1)).toMatchObject({ type: 'result', exit_code: 0, complete: true })
    expect(end.code).toBe(0)
    expect(readdirSync(path.join(cwd, 'workspaces/tidy/benchmarks'))).toHaveLength(1)
  })
  test('a suite in which no case can run is a mistake in the suite', async () => {
    const skill = makeSkill([{ id: 1, prompt: 'x', files: ['evals/no-such.txt'], expectations: ['y'] }])
    const end = await runMain(['bench', skill, ...command])
    expect(end.code).toBe(2)
    expect(end.stderr).toContain('no-such.txt')
  })
  test('a suite with no criteria at all is refused', async () => {
    const end = await runMain(['bench', makeSkill([{ id: 1, prompt: 'x' }]), ...command, '--runs', '1'])
    expect(end.code).toBe(2)
  })
  test('--baseline compares two versions, the new one minus the old one', async () => {
    const old = makeSkill(simple)
    const skill = makeSkill(simple)
    mkdirSync(path.join(old, 'x'), { recursive: true })
    writeFileSync(path.join(old, 'x/note.md'), 'old')
    const end = await runMain(['bench', skill, ...command, '--baseline', old, '--runs', '1', '--json'])
    const result = JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '')
    expect(Object.keys(result.run_summary).sort()).toEqual(['delta', 'new_skill', 'old_skill'])
  })
})

describe('grade and aggregate', () => {
  test('grade takes the criteria of now and runs nothing', async () => {
    const skill = makeSkill(simple)
    const workspace = path.join(fresh(), 'ws')
    const log = path.join(fresh(), 'log')
    const env = { AGENT_LOG: log }
    await runMain(
      [
        'bench',
        skill,
        ...command,
        '--runs',
        '1',
        '--sandbox',
        'off',
        '--workspace',
        workspace,
        '--pass-env',
        'AGENT_LOG',
      ],
      {
        env,
      },
    )
    const before = readFileSync(log, 'utf8')
    const evals = [{ ...simple[0], checks: [{ type: 'contains', value: 'messy' }] }]
    writeFileSync(path.join(skill, 'evals/evals.json'), JSON.stringify({ skill_name: 'tidy', evals }))
    const folder = path.join(workspace, 'benchmarks', readdirSync(path.join(workspace, 'benchmarks'))[0] ?? '')
    const graded = await runMain(['grade', folder, '--json'], { env })
    expect(JSON.parse(graded.stdout.trim().split('\n').at(-1) ?? '').run_summary.delta.pass_rate).toBe('-1.00')
    expect(readFileSync(log, 'utf8')).toBe(before)
    const benchmark = readFileSync(path.join(folder, 'benchmark.json'), 'utf8')
    writeFileSync(path.join(folder, 'benchmark.json'), 'broken')
    expect((await runMain(['aggregate', folder])).code).toBe(0)
    expect(readFileSync(path.join(folder, 'benchmark.json'), 'utf8')).toBe(benchmark)
  })
})
