/** What a repository's configuration file widens counts only once the user confirmed it; the rest counts at once. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { configurableSettings } from '../../../src/cli/config/config_keys.ts'
import { confirmSettings, describeWidening, listUnconfirmed } from '../../../src/cli/config/confirm_settings.ts'
import { readConfigFile } from '../../../src/cli/config/read_config.ts'
import { fresh } from '../../e2e/program.ts'
import { runMain } from '../run_main.ts'
import { makeRepository, yaml } from './repository.ts'

const flags = configurableSettings('bench')

describe('what widens, by key and value', () => {
  const folder = fresh()
  symlinkSync(fresh(), path.join(folder, 'out'))
  symlinkSync(path.join(fresh(), 'missing'), path.join(folder, 'dangling'))
  mkdirSync(path.join(folder, '.git'))
  symlinkSync('.git', path.join(folder, 'to-git'))
  const inside = (name: string) => path.join(folder, name)
  const own = new Map([
    ['budget', ['5']],
    ['deadline', ['30m']],
    ['transcripts', ['false']],
    ['max-runs', ['3']],
  ])
  const describeOne = (key: string, value: string) =>
    describeWidening({ key, values: [value] }, { file: inside(yaml), own, flags })

  test.each<[string, ...string[]]>([
    ['engine', 'command:./x', 'acp:gemini', 'auto:command:./x', 'anthropic:bedrock:x'],
    ['model', 'command:./x', 'vertex:claude', 'http://h/v1'],
    ['judge', 'anthropic:haiku,command:./x', 'acp:goose acp'],
    ['user', 'command:./x'],
    ['matrix', 'anthropic:haiku,command:./x'],
    ['proposer', 'acp:x'],
    ['certify-judge', 'command:x'],
    ['confirm-on', 'command:x'],
    ['base-url', 'http://127.0.0.1:1', 'https://api.anthropic.com'],
    ['sandbox', 'off'],
    ['network', 'open', 'setup'],
    ['trust-suite', 'true'],
    ['live-mcp', 'true'],
    ['links', 'copy'],
    ['transcripts', 'true'],
    ['pass-env', 'HOME'],
    ['allow-read', inside('data'), '/etc'],
    ['queue', 'redis://h'],
    ['shared', inside('s')],
    ['shared-cache', inside('c'), 'https://h'],
    ['prices', inside('prices.yaml')],
    ['cost-per-run', '0.01'],
    ['budget', '6'],
    ['deadline', '31m'],
    ['ask-above-cost', '1000'],
    ['backend', 'docker'],
    ['workspace', '/tmp/x', inside('../x'), inside('out/x'), inside('dangling'), inside('.git/hooks'), 'git:x'],
    ['workspace', inside('to-git'), inside('to-git/new'), inside('.GIT/hooks')],
    ['suite', '/etc/passwd', inside('out/evals.json')],
    ['baseline', '/etc'],
    ['reporter', 'junit:/tmp/x.xml', `github, json:${inside('../x')}`, `markdown:${inside('.git/config')}`],
    ['reporter', `json:${inside('to-git/pre-commit')}`],
    ['some-new-key', 'x'],
  ])('%s', (key, ...values) => {
    for (const value of values) expect(describeOne(key, value), value).not.toBeNull()
  })
  test.each<[string, ...string[]]>([
    ['engine', 'anthropic:haiku', 'claude-code', 'auto'],
    ['judge', 'haiku', 'openai:gpt-5.4,anthropic:opus'],
    ['sandbox', 'required', 'auto'],
    ['network', 'none'],
    ['trust-suite', 'false'],
    ['links', 'refuse'],
    ['budget', '5', '1'],
    ['budget-tokens', '1000000'],
    ['deadline', '30m'],
    ['ask-above-cost', '0'],
    ['runs', '1000'],
    ['max-runs', '50'],
    ['workspace', inside('results'), folder, inside('data/new'), inside('.github/x')],
    ['baseline', 'git:main', inside('old')],
    ['reporter', 'github', `junit:${inside('r.xml')},github`],
  ])('control: %s', (key, ...values) => {
    for (const value of values) expect(describeOne(key, value), value).toBeNull()
  })
})

test.each(['node ./', 'node ..', 'python3 "."'])('a program that is the folder of the file: %s', async (program) => {
  const { skill } = makeRepository({ [yaml]: `engine: 'command:${program}'\n`, 'index.js': '' })
  const end = await runMain(['bench', skill])
  expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining('is the folder of this file') })
})

test('check names each setting of a line, and a NUL in one is a mistake', async () => {
  const { skill } = makeRepository({ [yaml]: '{ sandbox: "off", trust-suite: true }\n' })
  const { stdout, stderr } = await runMain(['check', skill])
  for (const key of ['sandbox: off', 'trust-suite: true']) expect(stdout + stderr).toContain(key)
  const nul = makeRepository({ [yaml]: 'workspace: "a\\0b"\n' })
  for (const command of ['check', 'bench']) expect(await runMain([command, nul.skill])).not.toMatchObject({ code: 70 })
})

test('aliases that repeat each other are a mistake of the file, not a bug', async () => {
  const bomb = ['a0: &a0 [x]', ...[1, 2, 3, 4, 5].map((at) => `a${at}: &a${at} [${`*a${at - 1},`.repeat(9)}]`)]
  const { skill } = makeRepository({ [yaml]: `${bomb.join('\n')}\n` })
  for (const command of ['bench', 'eval']) {
    const end = await runMain([command, skill])
    expect(end).toMatchObject({ code: 2, stderr: expect.stringMatching(/not valid YAML: .*alias/) })
  }
  expect((await runMain(['check', skill])).code).not.toBe(70)
})

describe('one rule, wherever the file is', () => {
  const text = 'runs: 2\nsandbox: off\npass-env: [SECRET]\n'
  const places: [string, () => string][] = [
    ['above the skill', () => makeRepository({ [yaml]: text }).skill],
    ['in the folder of the skill', () => makeRepository({}, { [yaml]: text }).skill],
    ['beside its suite', () => makeRepository({}, { [`evals/${yaml}`]: text }).skill],
    [
      'behind a link to the skill',
      () => {
        const link = path.join(fresh(), 'link')
        symlinkSync(makeRepository({}, { [yaml]: text }).skill, link)
        return link
      },
    ],
  ]
  test.each(places)('%s: exit 2 with the lines and what to do, unless trusted', async (_, makeIt) => {
    const skill = makeIt()
    const end = await runMain(['bench', skill, '--dry-run', '--engine', 'command:true'])
    expect(end).toMatchObject({ code: 2, stdout: '' })
    expect(end.stderr).toMatch(/sandbox: off is not confirmed: it .*:2\)\npass-env: SECRET is not confirmed: it .*:3\)/)
    expect(end.stderr).toMatch(/^hint: .*--trust-config.*terminal/m)
    const trusted = await runMain(['bench', skill, '--dry-run', '--engine', 'command:true', '--trust-config'])
    expect(trusted.stderr).not.toContain('not confirmed')
    expect(trusted.stdout).toMatch(/4 agent runs/)
  })
  test.each(['improve', 'prune', 'watch', 'eval', 'triggers', 'init', 'test'])('%s', async (command) => {
    const { skill } = makeRepository({ [yaml]: `${command}:\n  allow-read: /etc\n` })
    const more = command === 'init' ? ['--output', 'x.json'] : []
    const end = await runMain([command, skill, ...more])
    expect(end).toMatchObject({ code: 2, stderr: expect.stringMatching(/allow-read: \/etc is not confirmed.*:2\)/) })
  })
  test('a flag wins, so that nothing is to be confirmed', async () => {
    const { skill } = makeRepository({ [yaml]: 'network: open\nengine: command:./x\nbase-url: http://h\n' })
    const bench = ['bench', skill, '--dry-run', '--engine', 'anthropic:practice-1']
    const end = await runMain([...bench, '--network', 'none', '--base-url', 'http://127.0.0.1:9'])
    expect(end.stderr).not.toContain('not confirmed')
    const control = await runMain([...bench, '--sandbox', 'required'])
    expect(control.stderr).toMatch(/network: open is not confirmed/)
    expect(control.stderr).not.toMatch(/engine: .* is not confirmed/)
  })
  test('--print-config shows it, and asks nothing', async () => {
    const { skill } = makeRepository({ [yaml]: text })
    const end = await runMain(['bench', skill, '--print-config'])
    expect(end).toMatchObject({ code: 0, stdout: expect.stringMatching(/sandbox +off +\S+:2 \(not confirmed\)$/m) })
    expect(end.stdout).toMatch(/^runs +2 +\S+:1$/m)
  })
  test('no file can set --trust-config', async () => {
    const { skill } = makeRepository({ [yaml]: 'trust-config: true\nsandbox: off\n' })
    const end = await runMain(['bench', skill, '--dry-run'])
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining('"trust-config" is a flag') })
  })
})

describe('the own file', () => {
  const ownFile = (text: string) => {
    const home = fresh()
    mkdirSync(path.join(home, 'whetstone'))
    writeFileSync(path.join(home, 'whetstone', yaml), text)
    return { XDG_CONFIG_HOME: home }
  }
  const printed = async (skill: string, env: Record<string, string>, ...more: string[]) => {
    const end = await runMain(['bench', skill, '--print-config', '--json', ...more], { env })
    const { settings } = JSON.parse(end.stdout)
    return (key: string) => settings.find((one: { key: string }) => one.key === key)
  }
  test("counts where neither a flag nor the repository's file sets the key; paths are relative to it", async () => {
    const env = ownFile('runs: 9\nretries: 5\nsandbox: off\npass-env: [MINE]\nworkspace: ws\n')
    const of = await printed(makeRepository({ [yaml]: 'runs: 2\n' }).skill, env, '--retries', '1')
    expect([of('runs').value, of('retries').value, of('sandbox').value, of('pass-env').value]).toEqual([
      ...[2, 1, 'off'],
      ['MINE'],
    ])
    const file = path.join(env.XDG_CONFIG_HOME, 'whetstone', yaml)
    expect(of('sandbox').origin).toEqual({ kind: 'file', file, line: 3 })
    expect(of('workspace').value).toBe(path.join(path.dirname(file), 'ws'))
  })
  test('is that exact file only', async () => {
    const { skill } = makeRepository({ [yaml]: 'sandbox: off\n' })
    const repository = path.dirname(skill)
    mkdirSync(path.join(repository, '.config/whetstone'), { recursive: true })
    renameSync(path.join(repository, yaml), path.join(repository, '.config/whetstone', yaml))
    expect((await printed(skill, {}))('sandbox').value).toBe('auto')
    expect((await printed(skill, { HOME: repository, XDG_CONFIG_HOME: '' }))('sandbox').value).toBe('off')
  })
  test("is no repository's for a skill beside it", async () => {
    const env = ownFile('sandbox: off\n')
    const skill = path.join(env.XDG_CONFIG_HOME, 'whetstone/tidy')
    cpSync(makeRepository({}).skill, skill, { recursive: true })
    expect((await printed(skill, env))('sandbox').origin).toMatchObject({ kind: 'file', line: 1 })
    const end = await runMain(['bench', skill, '--dry-run', '--engine', 'command:true'], { env })
    expect(end.stderr).not.toMatch(/not confirmed|not read/)
  })
  test("its server is not that of the repository's engine, and its matrix gives way", async () => {
    const env = ownFile('engine: openai\nbase-url: http://127.0.0.1:9\n')
    const of = await printed(makeRepository({ [yaml]: 'engine: anthropic:haiku\n' }).skill, env)
    expect([of('engine').value, of('base-url').value]).toEqual(['anthropic:haiku', null])
    expect((await printed(makeRepository({}).skill, env))('base-url').value).toBe('http://127.0.0.1:9')
    const matrix = ownFile('matrix: anthropic:haiku,openai\n')
    expect((await printed(makeRepository({ [yaml]: 'engine: openai\n' }).skill, matrix))('matrix').value).toBeNull()
  })
  test("a repository's file does not raise its limits unconfirmed", async () => {
    const { skill } = makeRepository({ [yaml]: 'budget: 20\nsandbox: auto\n' })
    const bench = ['bench', skill, '--print-config']
    const strict = await runMain(bench, { env: ownFile('budget: 5\nsandbox: required\n') })
    expect(strict.stdout).toMatch(/^budget +20 .*not confirmed/m)
    expect(strict.stdout).toMatch(/^sandbox +auto .*not confirmed/m)
    expect((await runMain(bench)).stdout).not.toContain('not confirmed')
  })
})

describe('confirmed once', () => {
  function makeClone() {
    const root = fresh()
    mkdirSync(path.join(root, 'agent/lib'), { recursive: true })
    for (const name of ['run.sh', 'agent/index.js', 'agent/lib/more.js']) writeFileSync(path.join(root, name), 'true\n')
    writeFileSync(path.join(root, yaml), 'engine: command:sh ./run.sh {prompt}\njudge: command:node ./agent\n')
    return root
  }
  const state = { XDG_STATE_HOME: fresh(), PATH: '/usr/bin:/bin' }
  async function listOpen(root: string, commit: string | null = null) {
    const file = path.join(root, yaml)
    const context = { file, command: 'bench', commit, env: state, own: new Map(), flags }
    const open = await listUnconfirmed((await readConfigFile(file, 'bench')).settings, context)
    const answer = (yes: boolean) => confirmSettings(open, context, async () => yes)
    return { keys: open.map(({ key }) => key), answer }
  }

  test('is not asked again, until the value or a file that it names changes; a no is remembered by nobody', async () => {
    const root = makeClone()
    const first = await listOpen(root)
    expect(first.keys).toEqual(['engine', 'judge'])
    await expect(first.answer(false)).rejects.toThrow('were not confirmed')
    expect((await listOpen(root)).keys).toEqual(['engine', 'judge'])
    await first.answer(true)
    expect((await listOpen(root)).keys).toEqual([])
    writeFileSync(path.join(root, 'run.sh'), 'curl evil\n')
    expect((await listOpen(root)).keys).toEqual(['engine'])
    writeFileSync(path.join(root, 'agent/lib/more.js'), 'evil()\n')
    expect((await listOpen(root)).keys).toEqual(['engine', 'judge'])
    await (await listOpen(root)).answer(true)
    writeFileSync(
      path.join(root, yaml),
      'runs: 3\nengine: command:sh ./run.sh {prompt} x\njudge: command:node ./agent\n',
    )
    expect((await listOpen(root)).keys).toEqual(['engine'])
    const copy = path.join(fresh(), 'copy')
    cpSync(root, copy, { recursive: true })
    expect((await listOpen(copy)).keys).toEqual(['engine', 'judge'])
    for (const place of [root, copy]) writeFileSync(path.join(place, yaml), 'network: open\n')
    await (await listOpen(root)).answer(true)
    expect([(await listOpen(root)).keys, (await listOpen(copy)).keys]).toEqual([[], ['network']])
  })
  test('by a commit: what is as it was there; not what changed since, and not behind a link', async () => {
    const root = makeClone()
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', root, '-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args])
    git('init', '-q')
    git('add', '.')
    git('commit', '-qm', 'base')
    expect((await listOpen(root)).keys).toEqual(['engine', 'judge'])
    expect((await listOpen(root, 'HEAD')).keys).toEqual([])
    writeFileSync(path.join(root, 'agent/index.js'), 'evil()\n')
    git('commit', '-qam', 'change')
    expect((await listOpen(root, 'HEAD^')).keys).toEqual(['judge'])
    symlinkSync('agent', path.join(root, 'link'))
    writeFileSync(path.join(root, yaml), 'engine: command:sh link/index.js\n')
    git('add', '.')
    git('commit', '-qm', 'link')
    expect((await listOpen(root, 'HEAD')).keys).toEqual(['engine'])
    writeFileSync(path.join(root, yaml), 'judge: command:node ./agent\n')
    expect((await listOpen(root, 'HEAD')).keys).toEqual(['judge'])
    expect((await listOpen(root, 'nothing')).keys).toEqual(['judge'])
  })
  test('check names the file with its lines, once, until then', async () => {
    const { skill, root } = makeRepository({ [yaml]: 'runs: 3\neval:\n  network: open\n' })
    const check = async () => JSON.parse((await runMain(['check', skill, skill, '--json'], { env: state })).stdout)
    const found = (report: { skills: { problems: { rule: string }[] }[] }) =>
      report.skills.flatMap(({ problems }) => problems).filter(({ rule }) => rule === 'config-not-confirmed')
    expect(found(await check())).toMatchObject([{ line: 3, message: expect.stringContaining('network: open') }])
    writeFileSync(path.join(root, yaml), 'runs: 3\n')
    expect(found(await check())).toEqual([])
  })
})

describe('before that no key is sent', () => {
  test.each(['bench', 'eval'])('%s --dry-run', async (command) => {
    const seen: string[] = []
    const server = createServer((request, response) => {
      seen.push(JSON.stringify(request.headers))
      response.writeHead(500).end()
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    const { skill } = makeRepository({ [yaml]: `engine: anthropic:haiku\nbase-url: http://127.0.0.1:${port}\n` })
    const env = { ANTHROPIC_API_KEY: 'sk-made-up' }
    const end = await runMain([command, skill, '--dry-run'], { env })
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining('base-url: ') })
    expect(seen).toEqual([])
    await runMain([command, skill, '--dry-run', '--trust-config'], { env })
    expect(seen.join()).toContain('sk-made-up')
    server.close()
  })
})
