/** Two machines share runs and gradings through a cache that only signed entries can come from, and a broken cache costs nothing. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { benchmark } from '../../../schemas/benchmark.ts'
import { parseScenario } from '../../../src/features/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/features/practice/server.ts'
import { cacheFormat } from '../../../src/phases/1-plan/keys/cache_key.ts'
import { createSealer } from '../../../src/store/cache/cache.ts'
import { packEntry, unpackEntry } from '../../../src/store/cache/cache_pack.ts'
import { runMain } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../../e2e/program.ts'

const scenario = `
schema_version: 1
rules:
  - name: judge
    when: { tool: '^submit$' }
    tool_calls: [{ name: submit, input: { verdicts: [{ n: 1, passed: true, evidence: done }] } }]
  - name: agent
    text: done
`
const skill = makeSkill([{ id: 1, prompt: 'task', expectations: ['It is done.'] }])
const key = 'a-key-that-only-our-machines-know'

/** `filled` is only read: a cache with two runs and two gradings. */
const at: { practice?: Awaited<ReturnType<typeof startPractice>>; filled: string } = {
  filled: path.join(fresh(), 'filled'),
}
beforeAll(async () => {
  at.practice = await startPractice({ scenario: parseScenario(scenario, 'test.yaml') })
  expect(await benchElsewhere(at.filled)).toMatchObject({ code: 0, asked: { agent: 2, judge: 2 }, reused: undefined })
})
afterAll(() => at.practice?.close())

interface Machine {
  flags?: readonly string[]
  env?: Record<string, string>
  workspace?: string
  engine?: string
}

/** bench in a workspace of its own, as on another machine: what it asked the model, and what its result says. */
async function benchElsewhere(
  place: string,
  { flags = [], env = {}, workspace = path.join(fresh(), 'ws'), engine = 'anthropic:practice-1' }: Machine = {},
) {
  const before = at.practice?.requests.length ?? 0
  const args = ['bench', skill, '--engine', engine, '--runs', '1', '--workspace', workspace]
  const end = await runMain([...args, '--shared-cache', place, '--sandbox=off', '--trust-suite', ...flags], {
    env: {
      ...{ ANTHROPIC_BASE_URL: at.practice?.url ?? '', ANTHROPIC_API_KEY: 'practice', WHETSTONE_CACHE_KEY: key },
      ...env,
    },
  })
  const rules = at.practice?.requests.slice(before).map(({ rule }) => rule) ?? []
  const count = (name: string) => rules.filter((rule) => rule === name).length
  const folder = path.join(workspace, 'benchmarks')
  const name = existsSync(folder) ? readdirSync(folder).sort().at(-1) : undefined
  const file = name === undefined ? '' : path.join(folder, name, 'benchmark.json')
  const result = existsSync(file) ? benchmark.parse(JSON.parse(readFileSync(file, 'utf8'))) : null
  const said = end.stderr.split('\n').filter((line) => line.includes('shared cache') && !line.includes('reused'))
  return {
    ...end,
    workspace,
    asked: { agent: count('agent'), judge: count('judge') },
    reused: result?.reused,
    result,
    said,
  }
}

const nothing = { agent: 0, judge: 0 }
const everything = { agent: 2, judge: 2 }

const asIs = (name: string, blob: Buffer): [string, Buffer] => [name, blob]

/** A copy of the filled cache, each entry changed. */
function changedCache(change: (name: string, blob: Buffer) => [name: string, blob: Buffer]): string {
  const folder = path.join(fresh(), 'changed')
  mkdirSync(folder)
  for (const name of readdirSync(at.filled)) {
    const [as, blob] = change(name, readFileSync(path.join(at.filled, name)))
    writeFileSync(path.join(folder, as), blob)
  }
  return folder
}

describe('a second machine', () => {
  test('runs and grades nothing again, says where its runs are from, and has a cache of its own then', async () => {
    const second = await benchElsewhere(at.filled)
    expect(second).toMatchObject({ code: 0, asked: nothing, reused: { runs: 2, shared: 2 }, said: [] })
    expect(second.stderr).toContain(
      '2 of 2 runs reused (1 with_skill, 1 without_skill; 2 from the shared cache; oldest 20',
    )
    expect(second.result).toMatchObject({ complete: true })
    const third = await benchElsewhere(path.join(fresh(), 'empty'), { workspace: second.workspace })
    expect(third).toMatchObject({ code: 0, asked: nothing, reused: { shared: 2 } })
  })
  test.each<[string, readonly string[], object]>([
    ['--no-cache', ['--no-cache'], everything],
    ['--calibrate', ['--calibrate'], everything],
    ['a baseline age that its runs exceed', ['--baseline-age', '0h'], nothing], // both sides are from one time
  ])('with %s', async (_what, flags, asked) => {
    expect(await benchElsewhere(changedCache(asIs), { flags })).toMatchObject({ code: 0, asked })
  })
  test.each<[string, readonly string[], object]>([
    ['runs the older side again', [], { agent: 1, judge: 1 }],
    ['takes both if older ones are allowed', ['--baseline-age', '72h'], { agent: 0, judge: 1 }],
  ])(
    'of which one configuration is two days old %s: the signed time of the run counts',
    async (_what, flags, asked) => {
      const old = changedCache((name, blob) => {
        return [name, isOldSide(blob) ? makeOlder(name, blob) : blob]
      })
      expect(await benchElsewhere(old, { flags })).toMatchObject({ code: 0, asked })
    },
  )
})

const isOldSide = (blob: Buffer) =>
  /^{"schema_version":1,"key":.*"run_id":"eval-1[^"]*without_skill/m.test(String(blob))

/** The run as it would be if it had been performed two days earlier, signed with the key. */
function makeOlder(name: string, blob: Buffer): Buffer {
  const { entry, small } = unpackEntry(content(blob), name)
  const run = JSON.parse(String(small.get('run.json')))
  const at = new Date(Date.parse(run.ended_at) - 2 * 24 * 60 * 60 * 1000).toISOString()
  small.set('run.json', Buffer.from(JSON.stringify({ ...run, ended_at: at })))
  const contents = entry.files.map((file) => small.get(file.path) ?? Buffer.alloc(0))
  const files = entry.files.map((file, index) => ({ ...file, bytes: contents[index]?.length ?? 0 }))
  return sealAs(key, name, packEntry({ ...entry, files, from: { ...entry.from, at } }, contents))
}

const content = (blob: Buffer) => blob.subarray(blob.indexOf(10) + 1)

describe('an entry', () => {
  const poison = (blob: Buffer) => Buffer.from(blob.toString('latin1').replaceAll('done', 'dONE'), 'latin1')
  const names = () => readdirSync(at.filled).sort()
  test.each<[string, (name: string, blob: Buffer) => [string, Buffer]]>([
    ['that was changed', (name, blob) => [name, poison(blob)]],
    ['renamed', (name, blob) => [names()[(names().indexOf(name) + 1) % names().length] ?? '', blob]],
  ])('%s is not used, and one line says so', async (_what, change) => {
    const end = await benchElsewhere(changedCache(change))
    expect(end).toMatchObject({ code: 0, asked: everything, reused: undefined })
    expect(end.said).toHaveLength(1)
    expect(end.said[0]).toMatch(
      /shared cache .*: entry [0-9a-f]{12}… is not used: it was not signed with this key, or it was changed/,
    )
  })
  test('that is refused is replaced by the new run', async () => {
    const cache = changedCache((name, blob) => [name, poison(blob)])
    await benchElsewhere(cache)
    expect(await benchElsewhere(cache)).toMatchObject({ asked: nothing, said: [] })
  })
})

/** Seals it as a run: a grading then does not fit, so it is asked again. */
function sealAs(withKey: string, name: string, content: Buffer): Buffer {
  return createSealer(Buffer.from(withKey)).seal({ kind: 'run', name, format: cacheFormat }, content)
}

test('a folder that fails costs one line, and the runs start', async () => {
  const unreadable = path.join(fresh(), 'unreadable')
  for (const name of readdirSync(at.filled)) mkdirSync(path.join(unreadable, name), { recursive: true })
  const unwritable = path.join(fresh(), 'unwritable')
  symlinkSync('/none/there', unwritable)
  for (const [place, message] of [
    [unreadable, 'not a plain file; the benchmark continues without it'],
    [unwritable, 'no such file'],
  ] as const) {
    const end = await benchElsewhere(place)
    expect(end).toMatchObject({ code: 0, asked: everything, result: { complete: true } })
    expect(end.said).toEqual([expect.stringContaining(message)])
  }
})

describe('is refused before anything runs:', () => {
  const noKey = { WHETSTONE_CACHE_KEY: '' }
  test.each<[string, string, Machine, string]>([
    ['no key', at.filled, { env: noKey }, 'no key; only signed runs are read and written'],
    [
      'a key file that is missing',
      at.filled,
      { flags: ['--cache-key-file', '/none'] },
      '--cache-key-file /none: no such file',
    ],
    ['a folder in a missing folder', '/none/there', {}, '--shared-cache /none/there: no such folder'],
    ['an http address', 'http://cache.example/x', {}, 'expected a folder, such as a mounted bucket, not an address'],
    ['an address with a password', 'https://me:hunter22@cache.example', {}, 'expected a folder'],
    ['the key for the agent', at.filled, { flags: ['--pass-env', 'WHETSTONE_CACHE_KEY'] }, 'runs may not see'],
  ])('%s', async (_what, place, machine, message) => {
    const end = await benchElsewhere(place, machine)
    expect(end).toMatchObject({ code: 2, asked: nothing })
    expect(end.stderr).toContain(message)
    expect(end.stderr).not.toContain('hunter22')
  })
})

test('the key is in no file of the workspace, the cache or the environment of the agent, and entries are redacted', async () => {
  const folder = fresh()
  const [script, seen] = [path.join(folder, 'agent.sh'), path.join(folder, 'seen')]
  writeFileSync(script, `cat > /dev/null; env >> ${seen}; env > env.txt; echo done\n`)
  const cache = path.join(folder, 'cache')
  const engine = `command:sh ${script}`
  const env = {
    WHETSTONE_SHARED_CACHE: cache,
    MY_TOKEN: 'own-token-31337-of-mine',
  }
  const end = await benchElsewhere(cache, {
    engine,
    flags: ['--judge', 'anthropic:practice-1', '--pass-env', 'MY_TOKEN'],
    env,
  })
  expect(end).toMatchObject({ code: 0, asked: { judge: 2 } })
  expect(readFileSync(seen, 'utf8')).toContain(env.MY_TOKEN) // the agent does see what it may
  expect(readFileSync(seen, 'utf8')).not.toMatch(/WHETSTONE_(CACHE|SHARED)/)
  const filesWith = grepAll(cache, end.workspace)
  expect(grepAll(cache)('MY_TOKEN=[redacted:MY_TOKEN]'), 'runs are shared as they are kept').not.toEqual([])
  for (const secret of [key, ...Object.values({ ...env, WHETSTONE_SHARED_CACHE: key })]) {
    expect(filesWith(secret)).toEqual([])
  }
})

/** The files below these folders that have this text. */
function grepAll(...folders: string[]) {
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((one) =>
      one.isFile() ? [path.join(one.parentPath, one.name)] : [],
    ),
  )
  return (text: string) => files.filter((file) => readFileSync(file).includes(text))
}

test('a killed writer leaves nothing that is read, and the local cache alone still serves', async () => {
  const first = await benchElsewhere(at.filled)
  const cache = path.join(fresh(), 'half')
  cpSync(at.filled, cache, { recursive: true })
  for (const name of readdirSync(cache)) writeFileSync(path.join(cache, `.${name}.tmp`), 'half')
  expect(await benchElsewhere(cache, { workspace: first.workspace })).toMatchObject({ asked: nothing, said: [] })
})
