/** whetstone.config: found up the tree, flags win, every mistake has its line, what widens something is in trust_config.test.ts. */
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { listFlags, sectionKeys } from '../../../src/cli/config/config_keys.ts'
import { fresh } from '../../e2e/program.ts'
import { runMain, tidyAgent } from '../run_main.ts'
import { makeRepository, yaml } from './repository.ts'

/** What a command would run with, by key. */
async function settingsOf(...args: string[]) {
  const end = await runMain([...args, '--print-config', '--json'])
  expect(end.code, end.stderr).toBe(0)
  const { file, settings } = JSON.parse(end.stdout)
  return { file, of: (key: string) => settings.find((one: { key: string }) => one.key === key) }
}
const printed = (skill: string, ...flags: string[]) => settingsOf('bench', skill, ...flags)

describe('values', () => {
  test('flag before section before top before default, each with its origin', async () => {
    const { skill, root } = makeRepository({ [yaml]: 'runs: 5\ntimeout: 60\nretries: 1\nbench:\n  timeout: 90\n' })
    const { of, file } = await printed(skill, '--retries', '4')
    expect(file).toBe(path.join(root, yaml))
    expect(of('runs')).toMatchObject({ value: 5, origin: { kind: 'file', file, line: 1 } })
    expect(of('timeout')).toMatchObject({ value: 90, origin: { kind: 'file', line: 5 } })
    expect(of('retries')).toMatchObject({ value: 4, origin: { kind: 'flag' } })
    expect(of('concurrency')).toMatchObject({ value: 4, origin: { kind: 'default' } })
    expect(of('model')).toMatchObject({ value: null, origin: { kind: 'suite' } })
  })
  test("the file's server is not that of another engine", async () => {
    const { skill } = makeRepository({ [yaml]: 'engine: openai:llama3\nbase-url: http://127.0.0.1:9/v1\n' })
    const urlWith = async (...flags: string[]) => (await printed(skill, ...flags)).of('base-url').value
    expect(await urlWith('--engine', 'anthropic:haiku')).toBeNull()
    expect(await urlWith('--engine=anthropic')).toBeNull()
    for (const flags of [[], ['--engine', 'openai'], ['--engine=openai:other'], ['--runs', '2']])
      expect(await urlWith(...flags)).toBe('http://127.0.0.1:9/v1')
    expect(await urlWith('--engine', 'anthropic', '--base-url', 'http://127.0.0.1:8')).toBe('http://127.0.0.1:8')
  })
  test('a table for people', async () => {
    const { skill } = makeRepository({ [yaml]: 'runs: 5\n' })
    const { stdout } = await runMain(['bench', skill, '--print-config', '--retries=4'], { cwd: path.dirname(skill) })
    expect(stdout).toMatch(/^runs +5 +whetstone\.config\.yaml:1$/m)
    expect(stdout).toMatch(/^retries +4 +flag$/m)
  })
  test('JSON too, lists, and paths relative to the file', async () => {
    const text = JSON.stringify({
      $schema: 'x',
      workspace: 'out',
      reporter: 'junit:r.xml,github',
      case: [1, 'b*'],
      engine: 'command:./agent.sh {prompt}',
    })
    const { skill, root } = makeRepository({ 'whetstone.config.json': text })
    const { of } = await printed(skill)
    expect(of('reporter').value).toEqual([`junit:${path.join(root, 'r.xml')},github`])
    expect(of('workspace').value).toBe(path.join(root, 'out'))
    expect(of('case').value).toEqual(['1', 'b*'])
    expect(of('engine').value).toBe(`command:${path.join(root, 'agent.sh')} {prompt}`)
  })
  test('they hold for the runs', async () => {
    const { skill, root } = makeRepository({
      [yaml]: `engine: ${JSON.stringify(tidyAgent)}\nruns: 1\nworkspace: out\n`,
    })
    expect(await runMain(['bench', skill, '--trust-config'])).toMatchObject({ code: 0 })
    expect(readdirSync(path.join(root, 'out/benchmarks'))).toHaveLength(1)
  })
  test('--matrix puts engine and model of the file aside, --engine its matrix', async () => {
    const { skill } = makeRepository({ [yaml]: 'engine: anthropic\nmodel: haiku\n' })
    const { of } = await printed(skill, '--matrix', 'anthropic:haiku,anthropic:sonnet')
    expect([of('engine').value, of('model').value]).toEqual(['auto', null])
    const other = await printed(makeRepository({ [yaml]: 'matrix: anthropic:haiku\n' }).skill, '--engine', 'anthropic')
    expect(other.of('matrix').value).toBeNull()
  })
})

describe('where it is looked for', () => {
  test('beside the suite first', async () => {
    const { skill } = makeRepository({ [yaml]: 'runs: 5\n' }, { [`evals/${yaml}`]: 'runs: 7\n' })
    expect((await printed(skill)).of('runs').value).toBe(7)
  })
  const nested = (git: boolean) => {
    const { skill } = makeRepository({})
    const root = fresh()
    cpSync(skill, path.join(root, 'repository/tidy'), { recursive: true })
    if (git) mkdirSync(path.join(root, 'repository/.git'))
    writeFileSync(path.join(root, yaml), 'runs: 5\n')
    return path.join(root, 'repository/tidy')
  }
  test('not above the git repository', async () => expect((await printed(nested(true))).file).toBeNull())
  test('negative control: where there is no repository it is found', async () => {
    expect((await printed(nested(false))).of('runs').value).toBe(5)
  })
  test('of many skills each its own', async () => {
    const [one, two] = [makeRepository({ [yaml]: 'runs: 2\n' }), makeRepository({ [yaml]: 'runs: 6\n' })]
    const end = await runMain(['bench', one.skill, two.skill, '--engine', tidyAgent, '--dry-run'])
    expect(end.stdout).toMatch(/4 agent runs[\s\S]*12 agent runs/)
  })
})

describe('a file that looks like a configuration and is not read is named once', () => {
  const lines = (stderr: string) => stderr.split('\n').filter((line) => line.includes('not read'))
  test.each(['.whetstonerc', 'whetstone.yaml', 'whetstone.config.toml'])('%s', async (name) => {
    const { skill, root } = makeRepository({ [name]: 'runs: 5\n' })
    const { stderr } = await runMain(['bench', skill, skill, '--print-config'], { cwd: root })
    expect(lines(stderr)).toEqual([
      `warning: configuration file not read: ${name} (rename it to whetstone.config.yaml)`,
    ])
  })
  test('one above a nearer one', async () => {
    const { skill, root } = makeRepository({ [yaml]: 'runs: 5\n' }, { [`evals/${yaml}`]: 'runs: 7\n' })
    const { stderr } = await runMain(['bench', skill, '--print-config'], { cwd: root })
    expect(lines(stderr)).toEqual([
      expect.stringMatching(/not read: whetstone\.config\.yaml \(.*evals\/\S+ is nearer\)$/),
    ])
  })
  test('control: the file that applies is not named', async () => {
    const { skill, root } = makeRepository({ [yaml]: 'runs: 5\n' })
    expect(lines((await runMain(['bench', skill, '--print-config'], { cwd: root })).stderr)).toEqual([])
  })
})

describe('mistakes', () => {
  test.each<[string, string, RegExp, RegExp]>([
    [
      'an unknown key',
      'runs: 3\nconcurency: 2\n',
      /unknown setting "concurency" \(.*config\.yaml:2\)/,
      /"concurrency"/,
    ],
    ['one of a section', 'grade:\n  runs: 3\n', /unknown setting "runs" in grade.*:2\)/, /whetstone bench --help/],
    [
      'what is asked once',
      'fresh: true\n',
      /"fresh" is a flag of the command line.*:1\)/,
      /remove it, and pass --fresh/,
    ],
    ['an engine that is none', 'runs: 1\nengine: goose\n', /engine: .*goose.*:2\)/, /start it as a program/],
    ['a time that is none', 'deadline: yesterday\n', /deadline: expected a time, got "yesterday".*:1\)/, /such as 30m/],
    [
      'a gate that is none',
      'runs: 1\ngate: ["ci_low >"]\n',
      /gate: "ci_low >": expected the form.*:2\)/,
      /such as --gate/,
    ],
    ['a wrong type', 'runs: many\n', /runs: .*expected number.*:1\)/, /docs\/reference\/cli\.md/],
    ['a refused value', 'runs: 0\n', /runs: expected a whole number from 1 to 1000.*:1\)/, /docs\/reference\/cli\.md/],
    ['broken syntax', 'runs: [\n', /config\.yaml:\d+:\d+\)/, /close the bracket/],
    ['a list at the top', '- runs\n', /the file: .*object.*config\.yaml:1\)/, /docs\/reference\/cli\.md/],
  ])('%s: file, line, key and fix, exit 2', async (_what, text, message, fix) => {
    const { skill } = makeRepository({ [yaml]: text })
    const end = await runMain(['bench', skill, '--dry-run'])
    expect(end.stderr).toMatch(message)
    expect(end.stderr).toMatch(fix)
    expect(end.code).toBe(2)
  })
  test('one that is found later says where the value stands; not where a flag gives it', async () => {
    const { skill } = makeRepository({ [yaml]: 'runs: 1\nbudget: 2\n' })
    const args = ['bench', skill, '--engine', tidyAgent]
    const { stderr } = await runMain(args)
    expect(stderr).toMatch(/--budget: the cost of command is unknown \(.*whetstone\.config\.yaml:2\)/)
    expect((await runMain([...args, '--budget', '3'])).stderr).toMatch(/^(error: )?--budget: the cost of command/m)
  })
  test('two files side by side', async () => {
    const { skill } = makeRepository({ [yaml]: 'runs: 1\n', 'whetstone.config.json': '{}' })
    const end = await runMain(['bench', skill, '--dry-run'])
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining('keep one of them') })
  })
  test('what is one for all skills, said in two ways', async () => {
    const [one, two] = [makeRepository({ [yaml]: 'budget: 2\n' }), makeRepository({ [yaml]: 'budget: 3\n' })]
    const end = await runMain(['bench', one.skill, two.skill, '--dry-run'])
    expect(end).toMatchObject({ code: 2, stderr: expect.stringMatching(/budget: 2 for .*3 for .*\n.*pass --budget/) })
  })
})

describe('improve', () => {
  test('has what bench has, its own section first, and says where each comes from', async () => {
    const { skill } = makeRepository({ [yaml]: 'runs: 4\nseed: 7\nbudget: 3\nimprove:\n  seed: 9\n  total-runs: 80\n' })
    const { of } = await settingsOf('improve', skill, '--goal', 'cheaper')
    expect(['total-runs', 'budget', 'seed'].map((key) => of(key).value)).toEqual([80, 3, 9])
    expect([of('total-runs').origin.line, of('goal').origin.kind, of('apply')]).toEqual([6, 'flag', undefined])
  })
  test('a value that bench takes and prune does not: file, line and fix', async () => {
    const { skill } = makeRepository({ [yaml]: 'margin: 95\n' })
    const end = await runMain(['prune', skill, '--engine', 'anthropic'])
    expect(end).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/margin: expected .*:1\)\n.*section prune/),
    })
    const mended = await runMain(['prune', skill, '--print-config', '--margin', '3'])
    expect(mended.stdout).toMatch(/^margin +0.03 +flag$/m)
  })
  test.each(['proposer: command:./evil.sh', 'pass-env: [SECRET]', 'apply: true'])(
    'a skill may not set %s',
    async (text) => {
      const { skill } = makeRepository({}, { [yaml]: `improve:\n  ${text}\n` })
      const end = await runMain(['improve', skill, '--engine', 'anthropic'])
      expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining(`${yaml}:2)`) })
    },
  )
})

describe('init', () => {
  test('takes who works from the file, not who judges; --judge puts both aside', async () => {
    const { skill } = makeRepository({
      [yaml]: 'engine: anthropic:haiku\njudge: openai\nbudget: 2\ninit:\n  cases: 20\n',
    })
    const { of } = await settingsOf('init', skill, '--budget', '3')
    expect(['engine', 'budget', 'cases'].map((key) => of(key).value)).toEqual(['anthropic:haiku', 3, 20])
    expect([of('judge'), of('cases').origin.line, of('output')]).toEqual([undefined, 5, undefined])
    expect((await settingsOf('init', skill, '--judge', 'openai')).of('engine').value).toBe('auto')
    const end = await runMain(['init', skill, '--output', path.join(skill, 'evals/more.json'), '--dry-run', '--json'])
    expect(JSON.parse(end.stdout)).toMatchObject({ cases: 20, engine: 'anthropic', model: 'claude-haiku-4-5' })
  })
})

describe('triggers, eval and test', () => {
  const ofBench = 'runs: 5\ngate: ci_low > 0\nreporter: junit:bench.xml\nengine: anthropic:haiku\n'
  const ofOthers = 'eval:\n  timeout: 7\ntest:\n  reporter: junit:tests.xml\n'
  const text = `${ofBench}triggers:\n  among: others\n  fail-on: missed\n${ofOthers}`

  test('take what holds for them; gates and reports of bench are not theirs', async () => {
    const { skill, root } = makeRepository({ [yaml]: text })
    const triggers = await settingsOf('triggers', skill, '--runs', '2')
    expect(triggers.of('runs')).toMatchObject({ value: 2, origin: { kind: 'flag' } })
    expect(triggers.of('engine')).toMatchObject({ value: 'anthropic:haiku', origin: { kind: 'file', line: 4 } })
    expect(triggers.of('among').value).toEqual([path.join(root, 'others')])
    expect(triggers.of('fail-on').value).toEqual(['missed'])
    for (const key of ['gate', 'reporter']) expect(triggers.of(key)).toMatchObject({ origin: { kind: 'default' } })
    const evaluated = await settingsOf('eval', skill)
    expect(evaluated.of('timeout')).toMatchObject({ value: 7, origin: { kind: 'file', line: 9 } })
    expect(evaluated.of('reporter').value).toEqual([])
    expect((await settingsOf('test', skill)).of('reporter').value).toEqual([`junit:${path.join(root, 'tests.xml')}`])
  })
  test('triggers looks beside the set that is named', async () => {
    const { skill, root } = makeRepository({ [yaml]: 'runs: 5\n' })
    const other = fresh()
    mkdirSync(path.join(other, '.git'))
    writeFileSync(path.join(other, yaml), 'runs: 9\n')
    expect((await settingsOf('triggers', skill)).file).toBe(path.join(root, yaml))
    expect((await settingsOf('triggers', skill, '--set', path.join(other, 'q.json'))).of('runs').value).toBe(9)
  })
  test('the file holds for the run of tests, and says so', async () => {
    const { skill, root } = makeRepository({ [yaml]: 'test: { reporter: "junit:out/tests.xml" }\n' })
    mkdirSync(path.join(skill, 'tests/cases'), { recursive: true })
    writeFileSync(
      path.join(skill, 'tests/cases/one.yaml'),
      'name: says hello\ninput: {}\nexpected: { exit-code: 0, stdout-contains: [hello] }\ncommand: echo hello\n',
    )
    const end = await runMain(['test', skill])
    expect(end.stderr).toMatch(/settings of .*whetstone\.config\.yaml: reporter/)
    expect(readdirSync(path.join(root, 'out'))).toEqual(['tests.xml'])
  })
  test.each([
    ['what is asked once', ['triggers'], 'triggers: { generate: 20 }\n', /"generate" is a flag .* of triggers.*:1\)/],
    ['a choice of cases', ['eval'], 'eval:\n  target: skill:x\n', /"target" is a flag .* a setting of eval.*:2\)/],
    ['a refused value', ['triggers'], 'triggers: { threshold: 2 }\n', /triggers.threshold: expected a share.*:1\)/],
  ])('%s is refused with its line', async (_, command, file, message) => {
    const { skill } = makeRepository({ [yaml]: file })
    const end = await runMain([...command, skill, '--dry-run'])
    expect(end).toMatchObject({ code: 2, stderr: expect.stringMatching(message) })
  })
})

test.each([
  [
    'bench',
    'calibrate changed description detect dry-run explain fresh last-failed name power print-config rerun shard trust-config trust-config-at yes',
  ],
  ['improve', 'apply branch description dry-run grow-suite print-config resume review set trust-config use-drafts yes'],
  ['triggers', 'all dry-run fresh full-grid generate output print-config trust-config'],
  ['init', 'dry-run from-sessions judge output print-config trust-config'],
  ['watch', 'detect dismiss dry-run print-config rebaseline status trust-config'],
])('every flag of %s is a setting, or of a single start: %s', (command, once) => {
  const keys = sectionKeys(command)
  const others = Object.keys(listFlags(command)).filter((name) => !keys.includes(name))
  expect(others.sort().join(' ')).toBe(once)
})
