/** The command line at its edge: help, mistakes with their exit codes, JSON lines. What needs a process is in `program.system.test.ts`. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { flowEvent } from '../../schemas/flow_event.ts'
import { plan } from '../../schemas/plan.ts'
import { commandNames } from '../../src/cli/help/installed_text.ts'
import { agent, fresh, makeSkill } from '../e2e/program.ts'
import { runMain, tidyAgent } from './run_main.ts'

const simple = [{ id: 1, name: 'first', prompt: 'x', checks: [{ type: 'contains', value: 'TIDY' }] }]
const command = ['--engine', tidyAgent]

describe('help', () => {
  const helpOf = async (name: string) => (await runMain([name, '--help'])).stdout
  test('names each command once, at most 20 of them before help advanced', async () => {
    const { stdout } = await runMain(['--help'])
    const { stdout: more } = await runMain(['help', 'advanced'])
    const listNames = (text: string) => [...text.matchAll(/^ {2}([\w-]+)/gm)].map(([, name = '']) => name)
    const names = listNames(stdout.slice(stdout.indexOf('Start:'), stdout.indexOf('Options:')))
    expect(names.length).toBeLessThanOrEqual(20)
    expect([...names, ...listNames(more)]).toEqual(commandNames)
    expect(new Set(commandNames).size).toBe(commandNames.length)
    expect(`${stdout}\n${more}`.split('\n').filter((line) => line.length > 80)).toEqual([])
  })
  test.each(commandNames)('of %s: whole examples, at most 60 lines of 90 columns', async (name) => {
    const help = await helpOf(name)
    const examples = /^Examples:\n([\s\S]*?)\n\n/m.exec(`${help}\n\n`)?.[1]?.split('\n') ?? []
    expect(examples.length).toBeGreaterThan(0)
    expect(examples.filter((line) => !/^ {2}(?:# |whetstone )\S/.test(line))).toEqual([])
    const lines = help.trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(60)
    expect(lines.filter((line) => line.length > 90)).toEqual([])
  })
  test.each([[[]], [['help']], [['-h']]])('%j shows the help of the program and ends with 0', async (words) => {
    const end = await runMain(words)
    expect(end).toEqual(await runMain(['--help']))
    expect(end.code).toBe(0)
  })
  test('help bench is bench --help', async () => {
    expect(await runMain(['help', 'bench'])).toEqual(await runMain(['bench', '--help']))
  })
  test.each(['bench', 'improve', 'eval', 'triggers'])(
    'of %s has the rest of the options in --help-all',
    async (name) => {
      const stdout = await helpOf(name)
      expect(stdout).toContain('Common:')
      expect(stdout).not.toContain('--queue-ca')
      const { stdout: all } = await runMain([name, '--help-all'])
      const options = (text: string) => [...text.matchAll(/^ +(?:-\w, )? *--([\w-]+)/gm)].map(([, flag]) => flag)
      expect(options(all)).toEqual(expect.arrayContaining(options(stdout)))
      expect(options(all).length).toBeGreaterThan(options(stdout).length + 5)
      expect(all.includes('--queue-ca')).toBe(name !== 'triggers')
    },
  )
})

test('help settings describes each setting that --help-all only names', async () => {
  const { stdout } = await runMain(['help', 'settings'])
  const described = [...stdout.matchAll(/^ {2}--([\w-]+)\n {6}(.{10,})\n {6}\((.+)\)$/gm)]
  expect(described.length).toBe(stdout.split('\n').filter((line) => line.startsWith('  --')).length)
  for (const command of ['bench', 'improve', 'eval', 'watch']) {
    const [, names = ''] = (await runMain([command, '--help-all'])).stdout.split('(whetstone help settings):\n')
    const own = described.flatMap(([, name, , commands = '']) => (commands.split(', ').includes(command) ? [name] : []))
    expect([...names.matchAll(/--([\w-]+)/g)].map(([, name]) => name).sort(), command).toEqual(own.sort())
  }
})

describe('a mistake ends with exit 2, one line and a way out', () => {
  const skill = makeSkill(simple)
  const notSkill = fresh()
  const badJson = makeSkill(simple, { 'evals/evals.json': '{\n  "evals": [,]\n}' })
  test.each<[string, string[], RegExp]>([
    ['an unknown command', ['benhc'], /^error: unknown command "benhc"\nhint: did you mean "bench"\?\n$/],
    ['a folder as command', ['skills/x'], /"skills\/x"\nhint: to benchmark a skill: whetstone bench skills\/x\n$/],
    [
      'folders that view does not take',
      ['view', 'a', 'b', 'workspaces'],
      /^error: unknown arguments: "b", "workspaces"\nhint: view takes \[folder\]; see whetstone view --help\n$/,
    ],
    ['a word too many', ['grade', 'a', 'judge'], /unknown argument: "judge"\nhint: grade takes <benchmark>; see/],
    ['a misspelt flag', ['bench', skill, '--rusn', '3'], /^error: unknown option: "--rusn"\nhint: .* "--runs"\?\n$/],
    [
      'a flag of another command',
      ['aggregate', skill, '--runs', '3'],
      /unknown option: "--runs"\nhint: see whetstone aggregate --help/,
    ],
    ['no skill', ['bench'], /bench needs <skill/],
    ['a number without its value', ['bench', skill, '--runs', '--json'], /--runs: no value\n/],
    ['an empty value', ['bench', skill, '--workspace', ''], /--workspace: empty/],
    ['a flag without its value', ['bench', skill, '--suite', '--runs', '1'], /--suite: no value/],
    ['a flag given twice', ['bench', skill, '--engine', 'a', '--engine', 'b'], /--engine: given more than once/],
    ['a number given twice', ['bench', skill, '--runs', '5', '--runs', '1'], /^error: --runs: given .*\nhint: pass it/],
    ['a switch neither true nor false', ['bench', skill, '--dry-run=yes'], /--dry-run: expected true or false, got "y/],
    ['runs without end', ['bench', skill, '--runs', '1e9'], /--runs: .* to 1000/],
    ['runs in words', ['bench', skill, '--runs', 'three'], /--runs: expected a whole number .*, got "three"\n/],
    ['a timeout that no timer can keep', ['bench', skill, '--timeout', '1e12'], /--timeout/],
    ['a duration that is none', ['bench', skill, '--max-wait', 'soon'], /--max-wait: expected a duration .*"soon"\n/],
    ['a share that is none', ['audit', skill, '--sample', '0'], /--sample: expected per cent .*\nhint: .*--sample 10/],
    ['a port that is none', ['practice', '--scenario', 'x', '--port', '99999'], /--port/],
    ['no such choice', ['bench', skill, '--activation', 'bogus'], /"bogus"\nhint: expected one of natural, instructed/],
    ['a near choice', ['bench', skill, '--activation', 'naturl'], /"naturl"\nhint: did you mean "natural"\?\n/],
    [
      'an unknown judge',
      ['bench', makeSkill([{ id: 1, prompt: 'p', expectations: ['e'] }]), ...command, '--judge', 'foo:bar'],
      /--judge "foo:bar": unknown engine "foo"\nhint: expected one of/,
    ],
    ['a folder without SKILL.md', ['bench', notSkill], /SKILL\.md/],
    ['broken JSON', ['bench', badJson, ...command], /evals\.json:2:\d+\)/],
    ['an unknown case', ['bench', skill, ...command, '--case', 'frist'], /first/],
    ['an unknown engine', ['bench', skill, '--engine', 'claud-code'], /claude-code/],
    ['no engine at all', ['bench', skill], /whetstone demo/],
    ['a dialect without a folder', ['aggregate', notSkill, '--to', 'agentskills'], /--to without --output/],
    ['an unknown git ref', ['bench', skill, ...command, '--baseline', 'git:nope'], /nope|git/],
  ])('%s', async (_what, args, message) => {
    const end = await runMain(args, { env: { PATH: '/usr/bin:/bin' } })
    expect(end.stderr).toMatch(message)
    expect(end.stderr).not.toMatch(/\n\s+at /)
    expect(end.code).toBe(2)
  })
  test('with --json the error is a JSON line too', async () => {
    const end = await runMain(['bench', '/no/such', '--json'])
    expect(JSON.parse(end.stdout)).toMatchObject({ type: 'error', exit_code: 2 })
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
    // of a program no steps are known
    expect(lines.filter(({ type }) => type === 'run_step')[0]).toMatchObject({ doing: 'works' })
    expect(lines.at(-1)).toMatchObject({ type: 'result', exit_code: 0, complete: true })
    expect(end.code).toBe(0)
    expect(readdirSync(path.join(cwd, 'workspaces/tidy/benchmarks'))).toHaveLength(1)
  })
})

describe('grade and aggregate', () => {
  test('grade takes the criteria of now and runs nothing', async () => {
    const skill = makeSkill(simple)
    const workspace = path.join(fresh(), 'ws')
    const log = path.join(fresh(), 'log')
    const env = { AGENT_LOG: log }
    const flags = ['--runs', '1', '--sandbox', 'off', '--workspace', workspace, '--pass-env', 'AGENT_LOG']
    await runMain(['bench', skill, '--engine', agent('tidy.mjs'), ...flags], { env })
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
