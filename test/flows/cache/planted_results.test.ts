/** Results that somebody else left in a workspace never decide: bench neither reuses nor resumes them. Its own it does, wherever they are. */
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { benchmark } from '../../../schemas/benchmark.ts'
import { sha256 } from '../../../src/base/json/json.ts'
import { parseScenario } from '../../../src/features/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/features/practice/server.ts'
import { runMain } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../../e2e/program.ts'

/** Nothing passes, so that a pass is a forged one. */
const scenario = `
schema_version: 1
rules:
  - name: judge
    when: { tool: '^submit$' }
    tool_calls: [{ name: submit, input: { verdicts: [{ n: 1, passed: false, evidence: bad }] } }]
  - name: works
    when: { not_called: '^Write' }
    tool_calls: [{ name: Write, input: { file_path: out.txt, content: bad } }]
  - name: agent
    text: bad
`
const skill = makeSkill([
  { id: 1, prompt: 'one', expectations: ['It is good.'] },
  { id: 2, prompt: 'two', expectations: ['It is good.'] },
])
const practice = await startPractice({ scenario: parseScenario(scenario, 'test.yaml') })
const made = path.join(fresh(), 'ws')

beforeAll(async () => {
  expect(await bench(made)).toMatchObject({ code: 0, asked: everything, rate: 0 })
})
afterAll(() => practice.close())

/** What bench asked the model, and the candidate's pass rate by its result. */
async function bench(workspace: string, flags: readonly string[] = [], env: Record<string, string> = {}) {
  const before = practice.requests.length
  const args = ['bench', skill, '--engine', 'anthropic:practice-1', '--runs', '1', '--workspace', workspace]
  const end = await runMain([...args, '--sandbox=off', '--trust-suite', ...flags], {
    env: { ANTHROPIC_BASE_URL: practice.url, ANTHROPIC_API_KEY: 'practice', ...env },
  })
  const rules = practice.requests.slice(before).map(({ rule }) => rule)
  const asked = {
    agent: rules.filter((rule) => rule === 'agent').length,
    judge: rules.filter((rule) => rule === 'judge').length,
  }
  const result = benchmark.parse(JSON.parse(readFileSync(path.join(newest(workspace), 'benchmark.json'), 'utf8')))
  return {
    ...end,
    asked,
    rate: result.run_summary.with_skill?.pass_rate.mean,
    result,
    folders: folders(workspace).length,
  }
}

const none = { agent: 0, judge: 0 }
const everything = { agent: 4, judge: 4 }
const folders = (workspace: string) => readdirSync(path.join(workspace, 'benchmarks')).sort()
const newest = (workspace: string) => path.join(workspace, 'benchmarks', folders(workspace).at(-1) ?? '')
const rewrite = (file: string, change: (text: string) => string) =>
  writeFileSync(file, Buffer.from(change(readFileSync(file, 'latin1')), 'latin1'))

/** The workspace elsewhere, with its cache alone. */
function onlyCache(): string {
  const workspace = path.join(fresh(), 'moved')
  cpSync(made, workspace, { recursive: true })
  rmSync(path.join(workspace, 'benchmarks'), { recursive: true })
  return workspace
}

/** The workspace elsewhere, with its benchmark as one that was interrupted, under another name, and without a cache. */
function onlyUnfinished(): string {
  const workspace = path.join(fresh(), 'moved')
  cpSync(made, workspace, { recursive: true })
  rmSync(path.join(workspace, '.cache'), { recursive: true })
  const folder = path.join(workspace, 'benchmarks/2027-01-01T00-00-00Z')
  renameSync(newest(workspace), folder)
  rewrite(path.join(folder, 'benchmark.json'), (text) => text.replace('"complete": true', '"complete": false'))
  return workspace
}

/** Forges what an entry of the cache says, with the sha256 of that. */
const forge = (file: string) =>
  rewrite(file, (text) => {
    const [first = '', ...rest] = text.split('\n')
    const body = rest.join('\n').replaceAll('bad', 'yes').replaceAll('"passed":false', '"passed":true')
    return [first.replace(/^\w{64}/, sha256(Buffer.from(body, 'latin1'))), body].join('\n')
  })
const swap = (one: string, other: string) => {
  const texts = [readFileSync(one), readFileSync(other)] as const
  writeFileSync(one, texts[1])
  writeFileSync(other, texts[0])
}
const inCache = (workspace: string) => {
  const runs = path.join(workspace, '.cache/runs')
  const keys = readdirSync(runs).sort()
  const gradings = keys.map((key) => path.join(runs, key, 'gradings'))
  const answers = readdirSync(path.join(workspace, '.cache/judge')).map((name) =>
    path.join(workspace, '.cache/judge', name),
  )
  return {
    runs: keys.map((key) => path.join(runs, key)),
    gradings: gradings.map((folder) => path.join(folder, readdirSync(folder)[0] ?? '')),
    answers,
    dropGradings: () => gradings.forEach((folder) => void rmSync(folder, { recursive: true })),
  }
}
type Cached = ReturnType<typeof inCache>
const first = ([one = '']: readonly string[]) => one
const second = ([, two = '']: readonly string[]) => two

test.each<[string, (cached: Cached) => void, object]>([
  ['negative control: as it was', () => {}, none],
  ['negative control: without the gradings, whose answers are there', ({ dropGradings }) => dropGradings(), none],
  ['each run forged', ({ runs }) => runs.forEach((one) => void forge(path.join(one, 'entry'))), { agent: 4 }],
  ['each grading forged', ({ gradings }) => gradings.forEach(forge), none],
  [
    'each grading and answer forged',
    ({ gradings, answers }) => [...gradings, ...answers].forEach(forge),
    { agent: 0, judge: 4 },
  ],
  [
    'two runs under the keys of each other',
    ({ runs }) => swap(path.join(first(runs), 'entry'), path.join(second(runs), 'entry')),
    { agent: 2 },
  ],
  [
    'two gradings and two answers swapped',
    ({ gradings, answers, dropGradings }) => {
      swap(first(gradings), second(gradings))
      dropGradings()
      swap(first(answers), second(answers))
    },
    { agent: 0, judge: 2 },
  ],
  [
    'an answer as a grading',
    ({ gradings, answers }) => {
      cpSync(first(answers), first(gradings))
      for (const one of answers) rmSync(one)
    },
    { agent: 0, judge: 1 },
  ],
])('a cache, %s', async (_what, change, asked) => {
  const workspace = onlyCache()
  change(inCache(workspace))
  const end = await bench(workspace)
  expect(end).toMatchObject({ code: 0, asked, rate: 0 })
  expect(end.result.metadata.not_own).toBeUndefined()
})

test('a cache of somebody else is counted in one line, and replaced', async () => {
  const [workspace, state] = [onlyCache(), { XDG_STATE_HOME: fresh() }]
  const end = await bench(workspace, [], state)
  expect(end.asked).toEqual(everything)
  expect(end.stderr.split('\n').filter((line) => line.includes('without your signature'))).toEqual([
    `${path.join(workspace, '.cache')}: 4 cached results without your signature: not used (in CI, set WHETSTONE_SIGNING_KEY; in the GitHub Action, signing-key)`,
  ])
  expect((await bench(workspace, [], state)).asked).toEqual(none)
})

test('with the same WHETSTONE_SIGNING_KEY another machine reuses it; no agent and no file gets the key', async () => {
  const workspace = path.join(fresh(), 'ws')
  const key = { WHETSTONE_SIGNING_KEY: 'a-secret-of-the-repository' }
  const machine = () => ({ ...key, XDG_STATE_HOME: fresh() })
  expect((await bench(workspace, [], machine())).asked).toEqual(everything)
  expect((await bench(workspace, [], machine())).asked).toEqual(none)
  expect((await bench(workspace, ['--fresh', '--pass-env', 'WHETSTONE_SIGNING_KEY'], machine())).code).toBe(2)
  const short = await bench(workspace, [], { WHETSTONE_SIGNING_KEY: 'short' })
  expect([short.code, short.stderr]).toEqual([2, expect.stringContaining('WHETSTONE_SIGNING_KEY: 5 characters')])
  for (const name of readdirSync(workspace, { recursive: true, encoding: 'utf8' })) {
    const file = path.join(workspace, name)
    if (/\.(json|jsonl|md|hmac)$/.test(name))
      expect(readFileSync(file, 'utf8')).not.toContain(key.WHETSTONE_SIGNING_KEY)
  }
})

const arm = 'eval-1-one/with_skill/run-1'
const passes = (text: string) =>
  text
    .replaceAll('"passed": false', '"passed": true')
    .replaceAll('"failed": 1', '"failed": 0')
    .replaceAll('"passed": 0', '"passed": 1')

test.each<[string, (folder: string) => void, object]>([
  ['negative control: as it was', () => {}, { asked: none, folders: 1 }],
  [
    'its plan edited',
    (at) => rewrite(path.join(at, 'plan.json'), (text) => text.replace('"runs": 1', '"runs": 1 ')),
    { asked: everything, folders: 2 },
  ],
  ['its plan without a signature', (at) => rmSync(path.join(at, 'plan.json.hmac')), { asked: everything, folders: 2 }],
  [
    'a record edited',
    (at) => rewrite(path.join(at, arm, 'run.json'), (text) => text.replace('bad', 'yes')),
    { asked: { agent: 1, judge: 1 }, folders: 1 },
  ],
  [
    'an output edited',
    (at) => writeFileSync(path.join(at, arm, 'outputs/out.txt'), 'yes'),
    { asked: { agent: 1, judge: 1 }, folders: 1 },
  ],
  [
    'an output added',
    (at) => writeFileSync(path.join(at, arm, 'outputs/more.txt'), 'yes'),
    { asked: { agent: 1, judge: 1 }, folders: 1 },
  ],
  [
    'a transcript edited',
    (at) => rewrite(path.join(at, arm, 'transcript.jsonl'), (text) => text.replaceAll('bad', 'yes')),
    { asked: { agent: 1, judge: 1 }, folders: 1 },
  ],
  [
    'a grading edited',
    (at) => rewrite(path.join(at, arm, 'grading.json'), passes),
    { asked: { agent: 0, judge: 1 }, folders: 1 },
  ],
  [
    'the grading of another run',
    (at) => {
      for (const name of ['grading.json', 'grading.json.hmac'])
        cpSync(path.join(at, arm.replace('with_', 'without_'), name), path.join(at, arm, name))
    },
    { asked: { agent: 0, judge: 1 }, folders: 1 },
  ],
  [
    'a signed run under the id of another',
    (at) => {
      rmSync(path.join(at, arm), { recursive: true })
      cpSync(path.join(at, arm.replace('with_', 'without_')), path.join(at, arm), { recursive: true })
      const key = JSON.parse(readFileSync(path.join(at, 'plan.json'), 'utf8')).runs.find(
        (run: { run_id: string }) => run.run_id === arm,
      ).key
      rewrite(path.join(at, arm, 'run.json'), (text) => text.replace(/"key": ".*"/, `"key": "${key}"`))
    },
    { asked: { agent: 1, judge: 1 }, folders: 1 },
  ],
  [
    'transcript.md edited: it is written again',
    (at) => rewrite(path.join(at, arm, 'transcript.md'), () => 'yes'),
    { asked: none, folders: 1 },
  ],
])('an unfinished benchmark of ours, %s', async (_what, change, expected) => {
  const workspace = onlyUnfinished()
  change(newest(workspace))
  const end = await bench(workspace, ['--no-cache'])
  expect(end).toMatchObject({ code: 0, rate: 0, ...expected })
  expect(end.result.metadata.not_own).toBeUndefined()
  const text = readFileSync(path.join(newest(workspace), arm, 'transcript.md'), 'utf8')
  expect([existsSync(path.join(newest(workspace), arm, 'run.json')), text]).toEqual([
    true,
    expect.not.stringMatching(/^yes$/),
  ])
})

test('an unfinished benchmark of somebody else is not resumed, and one line says why; aggregate reads it and says whose it is', async () => {
  const workspace = onlyUnfinished()
  const planted = newest(workspace)
  for (const name of readdirSync(planted, { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('grading.json')) rewrite(path.join(planted, name), passes)
  const theirs = { XDG_STATE_HOME: fresh() }
  const end = await bench(workspace, ['--no-cache'], theirs)
  expect(end).toMatchObject({ code: 0, asked: everything, rate: 0, folders: 2 })
  expect(end.stderr).toContain(`${planted}: an unfinished benchmark without your signature: not used`)
  const told = await runMain(['aggregate', planted], { env: theirs })
  expect([told.code, told.stdout]).toEqual([0, expect.stringContaining('4 of 4 runs lack your signature')])
  const read = benchmark.parse(JSON.parse(readFileSync(path.join(planted, 'benchmark.json'), 'utf8')))
  expect(read.metadata.not_own).toEqual({ runs: 4, of: 4 })
  expect(readFileSync(path.join(planted, 'benchmark.md'), 'utf8')).toContain('4 of 4 runs lack your signature')
  const again = await runMain(
    ['bench', skill, '--workspace', workspace, '--last-failed', '--dry-run', '--engine', 'anthropic:practice-1'],
    {
      env: { ...theirs, XDG_STATE_HOME: fresh(), ANTHROPIC_API_KEY: 'practice', ANTHROPIC_BASE_URL: practice.url },
    },
  )
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('no benchmark of')])
})
