/** `watch` on the practice model: it alarms when the answers get worse, not when they stay, and pays for nothing twice. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type BenchmarkRun, benchmark } from '../../../schemas/benchmark.ts'
import { type Watch, type WatchBaseline, watchBaseline, watchFile } from '../../../schemas/watch.ts'
import { parseScenario } from '../../../src/features/practice/scenario/scenario.ts'
import { type PracticeServer, startPractice } from '../../../src/features/practice/server.ts'
import { takeLease } from '../../../src/store/lease/lease.ts'
import { findSigner, writeSigned } from '../../../src/store/signing/signer.ts'
import { runMain } from '../../cli/run_main.ts'
import { fresh, makeSkill, plainEnvironment, whetstone } from '../../e2e/program.ts'

// a dozen calls, on a busy machine
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

const places = ['Paris', 'Rome', 'Madrid', 'Oslo', 'Lima']
const cases = places.map((place, at) => ({
  id: at + 1,
  name: place.toLowerCase(),
  prompt: `Which capital is number ${at + 1}?`,
  checks: [{ type: 'contains', value: place }],
}))

/** Every case is right in its first `good` conversations, and wrong from then on. */
const fading = (good: number) => `
models: [practice-1, practice-2]
rules:
${places
  .map((place, at) => {
    const seeds = JSON.stringify(Array.from({ length: good }, (_, seed) => seed))
    return `  - { name: ${place}, when: { user: "number ${at + 1}", seed: ${seeds} }, text: "${place}" }\n`
  })
  .join('')}  - { name: other, text: "I am not sure." }
`

const baselineRuns = 10
const usual = { 'runs-per-night': 5, 'baseline-runs': baselineRuns, retries: 0, sandbox: 'off' }
const place = ['--engine', 'anthropic:practice-1', '--trust-suite']
const envOf = (url: string) => ({ ANTHROPIC_API_KEY: 'practice', ANTHROPIC_BASE_URL: url })
const flagsWith = (more: Record<string, string | number> = {}) =>
  Object.entries({ ...usual, ...more }).map(([name, value]) => `--${name}=${value}`)

interface World extends AsyncDisposable {
  server: PracticeServer
  skill: string
  workspace: string
  folder: string
  calls: () => number
  run: (flags?: readonly string[], more?: Record<string, string | number>) => ReturnType<typeof runMain>
  baseline: () => WatchBaseline
  watch: () => Watch
}

/** A skill of five cases on a server of its own. */
async function openWorld(scenario: string): Promise<World> {
  const server = await startPractice({ scenario: parseScenario(scenario, 'test.yaml') })
  const skill = makeSkill(cases)
  const workspace = path.join(fresh(), 'ws')
  const folder = path.join(workspace, 'watch/anthropic-practice-1')
  const read = (file: string) => JSON.parse(readFileSync(path.join(folder, file), 'utf8'))
  return {
    ...{ server, skill, workspace, folder },
    calls: () => server.requests.filter(({ path: place }) => place.endsWith('/messages')).length,
    run: (flags = [], more = {}) =>
      runMain(['watch', skill, ...place, '--workspace', workspace, ...flagsWith(more), ...flags], {
        env: envOf(server.url),
      }),
    baseline: () => watchBaseline.parse(read('baseline.json')),
    watch: () => watchFile.parse(read('watch.json')),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

describe('the answers get worse in night 4', () => {
  let world: World
  const codes: (number | null)[] = []
  beforeAll(async () => {
    world = await openWorld(fading(baselineRuns + 3))
    for (let call = 0; call < 12 && codes.at(-1) !== 1; call += 1) codes.push((await world.run()).code)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('the first call is the baseline, nights before the fall are quiet, and then it alarms', () => {
    expect(world.baseline().runs.length).toBe(50)
    expect(codes.slice(0, 4)).toEqual([0, 0, 0, 0])
    expect(codes.at(-1)).toBe(1)
    expect(codes.length).toBeLessThanOrEqual(4 + 7)
    expect(world.watch()).toMatchObject({ status: 'alarm', since: 4 })
  })
  test('each night has fresh runs of all cases in turn', () => {
    const { nights } = world.watch()
    expect(world.calls()).toBe(50 + 5 * nights.length)
    for (const { runs } of nights) expect(runs.map(({ eval_id }) => eval_id).sort()).toEqual([1, 2, 3, 4, 5])
    expect(readFileSync(path.join(world.folder, 'watch.html'), 'utf8')).toContain('Alarm: the level fell')
  })
  test('an alarm stays, and costs nothing, until it is dismissed', async () => {
    const before = world.calls()
    const again = await world.run()
    expect(again.code).toBe(1)
    expect(again.stdout).toContain('Nothing was run')
    expect((await world.run(['--status'])).code).toBe(1)
    expect(world.calls()).toBe(before)
    expect((await world.run(['--dismiss', 'fixed'])).code).toBe(0)
    const { nights, status } = world.watch()
    expect(status).toBe('quiet')
    expect(nights.map(({ left_out }) => left_out !== undefined)).toEqual(nights.map((_, at) => at >= 3))
    expect((await world.run(['--dismiss', 'fixed'])).stderr).toContain('--dismiss without an alarm')
  })
  test('a changed skill is named and refused before a call; --rebaseline runs a new baseline and keeps the old one', async () => {
    const before = world.calls()
    writeFileSync(path.join(world.skill, 'SKILL.md'), '---\nname: tidy\ndescription: Tidies.\n---\n\nSay it.\n')
    const refused = await world.run()
    expect([refused.code, world.calls()]).toEqual([2, before])
    expect(refused.stderr).toContain('changed since the baseline: the skill')
    expect((await world.run(['--rebaseline'])).code).toBe(0)
    expect(world.calls()).toBe(before + 50)
    expect(readdirSync(path.join(world.folder, 'earlier')).length).toBe(1)
    expect(world.watch().nights).toEqual([])
  })
})

test('a night that a limit stops is not counted, and continues without paying twice', async () => {
  await using world = await openWorld(fading(1000))
  await world.run()
  const [{ result: first }] = benchmark.parse(
    JSON.parse(readFileSync(path.join(world.folder, world.baseline().folder, 'benchmark.json'), 'utf8')),
  ).runs as [BenchmarkRun]
  const stopped = await world.run([], { 'budget-tokens': Math.round(2.5 * (first.tokens ?? 0)), concurrency: 1 })
  expect(stopped.code).toBe(3)
  expect(world.watch().nights).toEqual([])
  const part = world.calls() - 50
  expect(part).toBeGreaterThan(0)
  expect(part).toBeLessThan(5)
  expect((await world.run()).code).toBe(0)
  expect([world.calls(), world.watch().nights.length]).toEqual([55, 1])
})

test('Ctrl-C in the baseline ends with 130, and the same command pays only for what is missing', async () => {
  const scenario = parseScenario(`latency: 100\n${fading(1000)}`, 'test.yaml')
  await using server = await startPractice({ scenario })
  const args = ['watch', makeSkill(cases), ...place, '--workspace', path.join(fresh(), 'ws'), ...flagsWith()]
  const env = envOf(server.url)
  const calls = () => server.requests.filter((one) => one.path.endsWith('/messages')).length
  let said = ''
  const stopped = await whetstone(args, {
    env,
    started: (child) =>
      child.stderr?.on('data', (text: string) => {
        const isFirst = !said.includes('[10/50]')
        said += text
        if (isFirst && said.includes('[10/50]')) child.kill('SIGINT')
      }),
  })
  expect(stopped.code, stopped.stderr).toBe(130)
  expect(calls()).toBeLessThan(50)
  const again = await whetstone(args, { env })
  expect(again.code, again.stderr).toBe(0)
  expect(calls()).toBe(50)
})

test('failures of the provider: a night counts its completed runs, and one without any is incomplete', async () => {
  await using world = await openWorld(fading(1000))
  await world.run()
  const failing = (rule: string) =>
    parseScenario(
      `models: [practice-1]\nrules:\n${rule}  - { name: x, when: { user: "number 2" }, text: Rome }\n  - { name: other, text: Oslo }\n`,
      'failing.yaml',
    )
  await using down = await startPractice({ scenario: failing('  - { name: down, fault: { status: 500 } }\n') })
  const first = '  - { name: down, when: { user: "number 1" }, fault: { status: 500 } }\n'
  await using half = await startPractice({ scenario: failing(first) })
  const at = (url: string) =>
    runMain(['watch', world.skill, ...place, '--workspace', world.workspace, ...flagsWith()], { env: envOf(url) })
  expect((await at(down.url)).code).toBe(3)
  expect(world.watch().nights).toEqual([])
  expect([0, 1]).toContain((await at(half.url)).code)
  const [night] = world.watch().nights
  expect([night?.planned, night?.runs.length]).toEqual([5, 4])
})

test('an edited baseline is refused; one of another model is named, not counted, and refused the next time', async () => {
  await using world = await openWorld(fading(1000))
  await world.run()
  const file = path.join(world.folder, 'baseline.json')
  const changed = { ...world.baseline(), model: 'practice-0' }
  writeFileSync(file, JSON.stringify(changed))
  const calls = world.calls()
  const edited = await world.run()
  expect([edited.code, edited.stderr, world.calls()]).toEqual([
    2,
    expect.stringContaining('no signature of yours'),
    calls,
  ])
  await writeSigned(watchBaseline, { file }, { value: changed, signer: findSigner(plainEnvironment()) })
  const found = await world.run()
  expect([found.code, world.watch().nights.length]).toEqual([2, 1])
  expect(found.stderr).toContain('the runs report the model practice-1, those of the baseline practice-0')
  const before = world.calls()
  expect([(await world.run()).code, world.calls()]).toEqual([2, before])
})

test('two at once: the second is refused and asks no model', async () => {
  await using world = await openWorld(fading(1000))
  mkdirSync(world.folder, { recursive: true })
  const lease = await takeLease(world.folder)
  if ('heldBy' in lease) throw new Error('held')
  const refused = await world.run()
  await lease[Symbol.asyncDispose]()
  expect([refused.code, world.calls()]).toEqual([2, 0])
  expect(refused.stderr).toContain('has been at work there')
  expect((await world.run()).code).toBe(0)
})

test('what could not find a fall is refused before a call, with the number that would do', async () => {
  await using world = await openWorld(fading(1000))
  const few = await world.run([], { 'baseline-runs': 9 })
  expect(few.stderr).toContain('use --baseline-runs 10 or more')
  expect((await world.run([], { 'runs-per-night': 3 })).stderr).toContain('use --runs-per-night 4 or more')
  const small = makeSkill(cases.slice(0, 3))
  const tooSmall = await runMain(['watch', small, ...place, ...flagsWith()], { env: envOf(world.server.url) })
  expect(tooSmall.stderr).toContain('add 2 cases')
  const none = await world.run(['--status'])
  expect(none.stderr).toContain('no baseline yet')
  expect([few.code, tooSmall.code, none.code, world.calls()]).toEqual([2, 2, 2, 0])
  const dry = await world.run(['--dry-run'])
  expect(dry.stdout).toContain('baseline  50 runs')
  expect([dry.code, world.calls(), existsSync(world.folder)]).toEqual([0, 0, false])
})

describe('after the baseline', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(fading(1000))
    expect((await world.run([], { 'quiet-nights': 5000 })).code).toBe(0)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('--quiet-nights is kept, and another one is refused before a call', async () => {
    expect((await world.run()).code).toBe(0)
    expect(world.watch()).toMatchObject({ quiet_nights: 5000, detect: 0.15, nights: [{ planned: 5 }] })
    const before = world.calls()
    expect(await world.run([], { 'quiet-nights': 100 })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--quiet-nights 100: the watch began with 5000\nhint: .*--rebaseline/),
    })
    expect((await world.run([], { detect: 20 })).stderr).toContain('--detect 20: the watch began with 15')
    expect((await world.run([], { 'quiet-nights': 5000, detect: 15 })).code).toBe(0)
    expect(world.calls()).toBe(before + 5)
  })
  test('a damaged file is named with a way out', async () => {
    for (const name of ['watch.json', 'baseline.json']) {
      const file = path.join(world.folder, name)
      const whole = readFileSync(file, 'utf8')
      for (const damaged of ['{"schema_version":', '{"schema_version":1}']) {
        writeFileSync(file, damaged)
        const { code, stderr } = await world.run()
        expect([code, stderr]).toEqual([2, expect.stringMatching(/hint: restore the file, or move .* away/)])
        expect(stderr).toContain(name)
      }
      writeFileSync(file, whole)
    }
    expect((await world.run(['--status'])).code).toBe(0)
  })
})
