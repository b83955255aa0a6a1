/** doctor says what is there, by name and never by value, and how to mend what is not. */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { checkNodeVersion, minNodeVersion } from '../../../src/features/doctor/machine.ts'
import { parseScenario } from '../../../src/features/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/features/practice/server.ts'
import { runMain } from '../../cli/run_main.ts'
import { agent, fresh, whetstone } from '../../e2e/program.ts'
import { needsSandbox } from '../../sandbox/needs_sandbox.ts'

const key = 'sk-very-secret-0815'

async function examined(args: string[] = [], env: Record<string, string> = {}) {
  const end = await runMain(['doctor', '--json', ...args], { env })
  const { findings, ...rest } = JSON.parse(end.stdout)
  const found = (name: string) => findings.find((one: { name: string }) => one.name === name)
  return { ...end, ...rest, found, findings }
}

async function withServer(scenario: string, args: string[] = ['--engine', 'anthropic:practice-1']) {
  await using server = await startPractice({ scenario: parseScenario(scenario, 'test.yaml') })
  return await examined(args, {
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: server.url,
  })
}

const says = "models: [practice-1]\nrules: [{ name: says, text: 'hello' }]"

describe('what it all comes to', () => {
  const told = async (args: string[], env: Record<string, string> = {}) => {
    const engine = ['--engine', agent('tidy.mjs')]
    const { code, stdout } = await runMain(['doctor', ...engine, ...args], { env })
    return [code, stdout.trim().split('\n').at(-1)]
  }
  const file = () => {
    const made = path.join(fresh(), 'file')
    writeFileSync(made, '')
    return made
  }
  test('a command that cannot be started', async () => {
    const end = await examined(['--engine', 'command:no-such-program'])
    expect(end).toMatchObject({ code: 1 })
    expect(end.found('engine command')).toMatchObject({ state: 'missing', detail: expect.stringContaining('no-such') })
  })
  test('an engine that does not exist', async () =>
    expect((await runMain(['doctor', '--engine', 'claud-code'])).code).toBe(2))
  test('an engine can work', async () => expect(await told([])).toEqual([0, 'An engine can work.']))
  test('an engine can work and the workspace is none', async () => {
    const words = 'command can work; what is missing for a benchmark: workspace.'
    expect(await told(['--workspace', file()])).toEqual([1, words])
  })
  test('every engine that is listed in the documentation is asked', async () => {
    const names = (await examined()).findings.map(({ name }: { name: string }) => name)
    const docs = readFileSync(path.join(import.meta.dirname, '../../../docs/reference/engines.md'), 'utf8')
    const rows = [...docs.slice(0, docs.indexOf('`--engine auto`')).matchAll(/^\| \[?`([\w-]+)`/gm)].map(
      ([, name]) => name,
    )
    expect(rows).toContain('opencode')
    for (const row of rows.filter((name) => name !== 'command' && name !== 'acp'))
      expect(names).toContain(`engine ${row}`)
  })
  test('only opencode, which auto does not take, can work: it has to be named', async () => {
    const PATH = fresh()
    for (const [name, said] of Object.entries({ opencode: '1.18.0', rg: '14.0.0' })) {
      writeFileSync(path.join(PATH, name), `#!/bin/sh\necho ${said}\n`)
      chmodSync(path.join(PATH, name), 0o755)
    }
    const env = { PATH, OPENAI_API_KEY: key, OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' }
    const { code, stdout } = await runMain(['doctor'], { env })
    expect([code, stdout.trim().split('\n').at(-1)]).toEqual([0, 'One engine works if you name it: --engine opencode.'])
  })
})

describe('credentials', () => {
  test('are told by name, set and not set', async () => {
    const { found } = await withServer(says)
    expect(found('credentials')).toMatchObject({
      state: 'ok',
      detail: expect.stringMatching(/^set: ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL; not set: ANTHROPIC_AUTH_TOKEN/),
    })
  })
  test.each([
    ['when all is well', says],
    [
      'when the server says the key back',
      `faults: [{ path: '.*', status: 401, message: 'no such key: ${key}' }]\n${says}`,
    ],
  ])('never by value: %s', async (_when, scenario) => {
    const { stdout, stderr } = await withServer(scenario)
    expect(stdout + stderr).not.toContain('0815')
  })
  test('negative control: what the server says is shown', async () => {
    const { found } = await withServer(
      `faults: [{ path: '.*', status: 401, message: 'no such key: other-0815' }]\n${says}`,
    )
    expect(found('engine anthropic')).toMatchObject({ state: 'missing', detail: expect.stringContaining('other-0815') })
  })
  test('a password in an address is cut out', async () => {
    const end = await examined([], { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: 'http://me:pass-4711@127.0.0.1:9' })
    expect(end.found('engine anthropic').detail).toContain('http://…@127.0.0.1:9')
    expect(end.stdout).not.toContain('4711')
  })
  test('what a program says is cut as in every record, keys of nobody here too', async () => {
    const claude = path.join(fresh(), 'claude')
    const keys = `sk-ant-api03-${'Ab1'.repeat(20)} token=hunter2secret --password 'hunter3secret' Bearer ${'x9'.repeat(12)}`
    writeFileSync(claude, `#!/bin/sh\necho "key ${keys}; tokens: 12" >&2\nexit 3\n`)
    chmodSync(claude, 0o755)
    const end = await examined(['--engine', 'claude-code'], { WHETSTONE_CLAUDE: claude })
    expect(end.found('engine claude-code').detail).toMatch(/gave no version: key .*tokens: 12/)
    expect(end.stdout).not.toMatch(/Ab1Ab1|hunter|x9x9/)
  })
})

describe('the machine', () => {
  test.each([
    ['20.18.3', 'missing'],
    ['20.19.0', 'ok'],
    ['22.1.0', 'ok'],
  ])('Node %s is %s', (version, state) => expect(checkNodeVersion(version)).toMatchObject({ state }))
  test('the least Node is that of package.json', () => {
    const file = path.join(import.meta.dirname, '../../../package.json')
    expect(JSON.parse(readFileSync(file, 'utf8')).engines.node).toBe(`>=${minNodeVersion}`)
  })
  test('no git on PATH', async () => {
    const { found } = await examined([], { PATH: fresh() })
    expect(found('git')).toMatchObject({ state: 'warning', fix: expect.stringContaining('install git') })
  })
  test('no sandbox, and what that means', async () => {
    expect((await examined([], { PATH: fresh() })).found('sandbox')).toMatchObject({
      state: 'warning',
      detail: expect.stringMatching(/as you.*bwrap is not on PATH/),
      fix: expect.stringContaining('install bubblewrap'),
    })
  })
  needsSandbox('a sandbox', () => {
    test('that works, and whether it can limit processes', async () => {
      const { found } = await examined()
      expect(found('sandbox')).toMatchObject({ state: 'ok', detail: expect.stringContaining('bubblewrap') })
      expect(found('process limit')).toMatchObject({ state: expect.stringMatching(/ok|warning/) })
    })
  })
  test('instructions above the temporary folder', async () => {
    const top = fresh()
    mkdirSync(path.join(top, 'tmp'))
    writeFileSync(path.join(top, 'CLAUDE.md'), 'x')
    const { found } = await examined([], { TMPDIR: path.join(top, 'tmp') })
    expect(found('surroundings')).toMatchObject({ state: 'warning', detail: expect.stringContaining('CLAUDE.md') })
  })
  test('folders of killed benchmarks, which it leaves', async () => {
    const TMPDIR = fresh()
    const left = path.join(TMPDIR, `user-999999999-${'a1'.repeat(12)}`)
    mkdirSync(left)
    const { found } = await examined([], { TMPDIR })
    expect(found('leftovers')).toMatchObject({ state: 'warning', detail: expect.stringContaining(left) })
    expect(existsSync(left)).toBe(true)
  })
  test.runIf(process.platform === 'linux')('processes of killed benchmarks, with how to end them', async () => {
    const TMPDIR = fresh()
    const mark = 'b2'.repeat(12)
    mkdirSync(path.join(TMPDIR, `user-999999999-${mark}`))
    const living = (PROCESS_GROUP_MARK: string) =>
      spawn('sleep', ['60'], { env: { ...process.env, PROCESS_GROUP_MARK } })
    const [left, control] = [living(mark), living('c3'.repeat(12))]
    onTestFinished(() => void [left, control].map((one) => one.kill()))
    const finding = (await examined([], { TMPDIR })).found('leftovers')
    const fix = expect.stringContaining(`kill -9 ${left.pid}`)
    expect(finding).toMatchObject({ detail: expect.stringContaining(`pid ${left.pid} (sleep 60)`), fix })
    expect(JSON.stringify(finding)).not.toContain(String(control.pid))
  })
})

describe('a temporary folder that can not be used', () => {
  const file = path.join(fresh(), 'file')
  writeFileSync(file, '')
  const places = [
    ['is not there', path.join(fresh(), 'none'), 'no such folder'],
    ['is a file', file, 'no folder'],
  ] as const
  test.each(places)('%s: a finding like the others', async (_what, TMPDIR, says) => {
    const { code, found, findings } = await examined(['--engine', agent('tidy.mjs')], { TMPDIR })
    expect(found('temporary folder')).toMatchObject({
      ...{ state: 'missing', detail: expect.stringContaining(says), fix: expect.stringContaining('TMPDIR') },
    })
    expect(found('temporary folder').detail).toContain(TMPDIR)
    expect(found('engine command')).toMatchObject({ state: 'ok' })
    expect([code, findings.length]).toEqual([1, (await examined(['--engine', agent('tidy.mjs')])).findings.length])
  })
  test.each(places)('%s: bench says so, exit code 2', async (_what, TMPDIR, says) => {
    const end = await runMain(['demo'], { env: { TMPDIR }, cwd: fresh() })
    expect(end.code).toBe(2)
    expect(end.stderr).toMatch(new RegExp(`temporary folder ${TMPDIR}: ${says}[^]*TMPDIR`))
    expect(end.stderr).not.toContain('bug')
  })
})

test('Ctrl-C ends it, and the program that hangs', async () => {
  const [claude, note] = [path.join(fresh(), 'claude'), path.join(fresh(), 'pid')]
  writeFileSync(claude, `#!/bin/sh\necho $$ > ${note}\nexec sleep 1000\n`)
  chmodSync(claude, 0o755)
  const interrupt = async (child: ChildProcess) => {
    await expect.poll(() => existsSync(note) && readFileSync(note, 'utf8')).toMatch(/^\d+\n$/)
    child.kill('SIGINT')
    await new Promise((resolve) => child.stderr?.once('data', resolve))
    child.kill('SIGINT')
  }
  const waited: Promise<void>[] = []
  const started = (child: ChildProcess) => void waited.push(interrupt(child))
  const end = await whetstone(['doctor'], { env: { WHETSTONE_CLAUDE: claude }, started })
  await Promise.all(waited)
  expect(end.code).toBe(130)
  expect(() => process.kill(Number(readFileSync(note, 'utf8')), 0)).toThrow('ESRCH')
})
