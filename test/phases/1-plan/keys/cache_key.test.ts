/** The keys of a run, in its plan and in the cache: whatever shapes a run changes them, nothing else does. */
import { describe, expect, test } from 'vitest'
import type { HarborTask } from '../../../../schemas/harbor_task.ts'
import { planOptions, type RunSpec, runSpec } from '../../../../schemas/plan.ts'
import { environment, inputFile } from '../../../../schemas/suite.ts'
import {
  describePartDifferences,
  findNearestEntry,
  findPartDifferences,
} from '../../../../src/flows/cache/explain_misses.ts'
import {
  buildCacheParts,
  type CacheContext,
  computeCacheKey,
  numberDuplicateRuns,
} from '../../../../src/phases/1-plan/keys/cache_key.ts'
import { computeRunKey } from '../../../../src/phases/1-plan/keys/plan_keys.ts'

const file = { path: 'in.csv', source: '/a/in.csv', kind: 'file' as const, sha256: 'f1', bytes: 3 }
const skill = { name: 'tidy', description: 'd', path: '/a/tidy', sha256: 's1' }
const spec: Omit<RunSpec, 'key'> = {
  run_id: 'eval-1-a/with_skill/run-1',
  eval_id: 1,
  eval_name: 'a',
  configuration: 'with_skill',
  run_number: 1,
  prompt: 'Add up.',
  files: [file],
  setup: null,
  git: { bundle: '/a/b', sha256: 'g0' },
  skill,
  absent_skill: null,
  engine: { name: 'command', model: null, command: './agent' },
  max_turns: null,
  timeout_seconds: 60,
  activation: 'natural',
}
const surroundings: CacheContext = {
  skillFiles: new Map([['s1', { 'SKILL.md': 'h1' }]]),
  twins: new Map(),
  engine: { 'engine version': '1.0.0', 'program agent': 'p1', 'endpoint ANTHROPIC_BASE_URL': 'http://a/' },
}

const task: HarborTask = {
  folder: '/t/one',
  sha256: 't1',
  backend: 'plain',
  workdir: '/app',
  env: {},
  set_env: {},
  places: ['/app'],
  steps: [],
  not_plain: null,
  image: null,
  build_seconds: 60,
  verifier: { seconds: 60, env: {}, expects_tests: true },
  solution: null,
  limits: {},
  skill_copies: [],
  skills: [],
}

type Change = [string, Partial<Omit<RunSpec, 'key'>>]
/** By field of a run: changes that give another run. */
const shaping: Change[] = [
  ['prompt', { prompt: 'Add up!' }],
  ['files', { files: [{ ...file, sha256: 'f2' }] }],
  ['files', { files: [{ ...file, path: 'other.csv' }] }],
  ['files', { files: [{ ...file, kind: 'directory' }] }],
  ['files', { files: [{ ...file, executable: true }] }],
  ['files', { files: [] }],
  ['turns', { turns: [{ prompt: 'And now?' }] }],
  ['end_when', { end_when: { agent_response_matches: 'done' } }],
  ['user', { user: { goal: 'a sum' } }],
  ['answer_key', { answer_key: ['5'] }],
  ['user_engine', { user_engine: { name: 'anthropic', model: 'haiku' } }],
  ['setup', { setup: 'make' }],
  ['teardown', { teardown: 'make clean' }],
  ['collect', { collect: ['~/a.md'] }],
  ['attach', { attach: [{ path: 'in.csv', image: false }] }],
  ['git', { git: true }],
  ['git', { git: { bundle: '/a/b', sha256: 'g1' } }],
  ['environment', { environment: { files: [], rules: [], agents: [], hooks: {}, mcp_servers: {} } }],
  ['sandbox', { sandbox: { network: 'open' } }],
  ['harbor', { harbor: task }],
  ['skill', { skill: { ...skill, sha256: 's2' } }],
  ['skill', { skill: null }],
  ['absent_skill', { absent_skill: 'tidy' }],
  ['engine', { engine: { ...spec.engine, name: 'anthropic' } }],
  ['engine', { engine: { ...spec.engine, model: 'haiku' } }],
  ['engine', { engine: { ...spec.engine, command: './other' } }],
  ['engine', { engine: { ...spec.engine, base_url: 'http://b/' } }],
  ['max_turns', { max_turns: 5 }],
  ['timeout_seconds', { timeout_seconds: 61 }],
  ['activation', { activation: 'instructed' }],
  ['run_number', { run_number: 2 }],
  ['among', { among: [{ ...skill, name: 'other' }] }],
  ['stop_at', { stop_at: 'skill_read' }],
]
/** Changes that leave the run the same. */
const same: Change[] = [
  ['run_id', { run_id: 'eval-9-z/new_skill/run-1' }],
  ['eval_id', { eval_id: 9 }],
  ['eval_name', { eval_name: 'z' }],
  ['configuration', { configuration: 'new_skill' }],
  ['rerun_of', { rerun_of: 'eval-1-a/with_skill/run-1' }],
  ['files', { files: [{ ...file, source: '/b/in.csv' }] }],
  ['git', { git: { bundle: '/b/b', sha256: 'g0' } }],
  ['skill', { skill: { ...skill, path: '/b/tidy' } }],
]

const keyOf = (changes: Partial<Omit<RunSpec, 'key'>>, more: Partial<CacheContext> = {}) =>
  computeCacheKey(buildCacheParts({ ...spec, ...changes }, { ...surroundings, ...more }))

/** The key by which a run of a plan is found again. */
const runKeyOf = (changes: Change[1]) => computeRunKey({ ...spec, ...changes })

/** The fields of which a change is not seen. */
const unseen = (key: (changes: Change[1]) => string) => [
  ...new Set(shaping.filter(([, change]) => key(change) === key({})).map(([field]) => field)),
]

test.each<[string, Partial<HarborTask>, boolean]>([
  ['content', { sha256: 't2' }, false],
  ['backend', { backend: 'docker' }, false],
  ['time limit of the verifier', { verifier: { ...task.verifier, seconds: 61 } }, false],
  ['place on this machine', { folder: '/t/two' }, true],
  ['solution', { solution: { env: {}, sha256: 'x' } }, true],
])('a Harbor task with another %s: %j is the same run: %s', (_what, change, isSame) => {
  expect(keyOf({ harbor: { ...task, ...change } }) === keyOf({ harbor: task })).toBe(isSame)
})

describe('the plan', () => {
  test('every field of a run either changes the key or is known not to shape it', () => {
    const known = new Set([...shaping, ...same].map(([field]) => field))
    expect(Object.keys(runSpec.shape).filter((field) => field !== 'key' && !known.has(field))).toEqual([])
  })
  test('every option of a plan stands in its runs, or does not shape them', () => {
    const inRuns = ['engine', 'user', 'max_turns', 'timeout_seconds', 'activation', 'runs']
    const notShaping = [
      ...['judge', 'on_timeout', 'retries', 'judge_samples', 'require_evidence', 'until', 'fast_fail'],
      'margin',
    ]
    expect(Object.keys(planOptions.shape).filter((one) => ![...inRuns, ...notShaping].includes(one))).toEqual([])
  })
  test('a change of anything that shapes a run is seen', () => {
    expect([unseen(keyOf), unseen(runKeyOf)]).toEqual([[], []])
  })
  test.each([
    ['prompt', 'prompt'],
    ['setup', 'setup'],
    ['run number', 'run_number'],
    ['input file in.csv', 'files'],
    ['timeout seconds', 'timeout_seconds'],
  ])('negative control: a key without %s gives a wrong hit, which that sees', (left, field) => {
    const without = (changes: Change[1]) => {
      const { [left]: _, ...parts } = buildCacheParts({ ...spec, ...changes }, surroundings)
      return computeCacheKey(parts)
    }
    expect(unseen(without)).toContain(field)
  })
  test.each(same)('another %s is the same run', (_field, change) => {
    expect([keyOf(change), runKeyOf(change)]).toEqual([keyOf({}), runKeyOf({})])
  })
  test('the same again has the same key', () => {
    expect(keyOf(structuredClone(spec))).toBe(keyOf({}))
  })
})

describe('what surrounds it', () => {
  test.each<[string, Partial<CacheContext>]>([
    ['engine version', { engine: { ...surroundings.engine, 'engine version': '1.0.1' } }],
    ['program', { engine: { ...surroundings.engine, 'program agent': 'p2' } }],
    ['server', { engine: { ...surroundings.engine, 'endpoint ANTHROPIC_BASE_URL': 'http://b/' } }],
    ['variable passed', { engine: { ...surroundings.engine, 'environment X': '#1' } }],
    ['twin', { twins: new Map([[spec.run_id, 2]]) }],
  ])('another %s is another run', (_what, change) => {
    expect(keyOf({}, change)).not.toBe(keyOf({}))
  })
  test('no part hides another of its name', () => {
    expect(() => keyOf({}, { engine: { prompt: 'x' } })).toThrow('two parts of the cache key are named prompt')
  })
})

test('twins: runs of one shape are counted in the order of the plan', () => {
  const runs = ['a', 'b', 'c'].map((id, at) => ({
    run_id: id,
    key: computeRunKey({ ...spec, run_number: at < 2 ? 1 : 2 }),
  }))
  expect([...numberDuplicateRuns(runs)]).toEqual([['b', 2]])
})

describe('what lies around the agent', () => {
  type Around = NonNullable<RunSpec['environment']>
  const around: Around = { files: [file], rules: [file], agents: [file], hooks: {}, mcp_servers: {} }
  const one = { ...file, path: 'more.md' }
  const changes: Record<keyof Around, Partial<Around>> = {
    files: { files: [one] },
    hooks: { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] } },
    rules: { rules: [one] },
    agents: { agents: [one] },
    mcp_servers: { mcp_servers: { search: { command: 'search' } } },
    recordings: { recordings: { search: one } },
    skills: { skills: [one] },
    commands: { commands: [one] },
    instructions: { instructions: 'Be brief.' },
    system_prompt: { system_prompt: 'You are a clerk.' },
    temperature: { temperature: 0.5 },
    tools: { tools: ['Read'] },
    env: { env: { MODE: 'fast' } },
    texts: { texts: { 'a.txt': 'a' } },
    read_only: { read_only: ['a.txt'] },
    agent_texts: { agent_texts: { clerk: 'Files things.' } },
    plugin: { plugin: { name: 'demo', folder: 'demo' } },
    programs: { programs: { folder: one, executables: ['gh'], answers: {} } },
    may_lack: { may_lack: { needs: ['hooks of Stop'] } },
  }
  const keyIn = (change: Partial<Around>) => keyOf({ environment: { ...around, ...change } })

  test('every field of it changes the key', () => {
    expect(Object.keys(changes).sort()).toEqual(Object.keys(environment.shape).sort())
    const unseenHere = Object.entries(changes).filter(([, change]) => keyIn(change) === keyIn({}))
    expect(unseenHere.map(([field]) => field)).toEqual([])
  })

  test('of a file in it, and of an input file, all but where it lies and its size', () => {
    const other = {
      path: 'b.csv',
      source: '/b/in.csv',
      kind: 'directory',
      sha256: 'f2',
      bytes: 4,
      executable: true,
    } as const
    expect(Object.keys(other).sort()).toEqual(Object.keys(inputFile.shape).sort())
    const seen = (key: (changed: typeof file) => string) =>
      Object.entries(other).flatMap(([field, value]) => (key({ ...file, [field]: value }) === key(file) ? [] : [field]))
    for (const key of [
      (changed: typeof file) => keyOf({ files: [changed] }),
      (changed: typeof file) => keyIn({ files: [changed] }),
    ]) {
      expect(seen(key)).toEqual(['path', 'kind', 'sha256', 'executable'])
    }
  })
})

const kept = {
  prompt: 'a'.repeat(64),
  skill: 'b'.repeat(64),
  'skill file SKILL.md': 'c'.repeat(64),
  'engine version': '2.1.328',
  'input file in.csv': 'd'.repeat(64),
  'run number': '1',
}
const told = (changes: Record<string, string | undefined>) => {
  const is = Object.fromEntries(
    Object.entries({ ...kept, ...changes }).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])),
  )
  return describePartDifferences(findPartDifferences(kept, is))
}
const other = 'e'.repeat(64)

describe('a miss in words', () => {
  test.each([
    [{ skill: other, 'skill file SKILL.md': other }, 'skill changed: SKILL.md'],
    [{ skill: other, 'skill file more.md': other }, 'skill changed: more.md is new'],
    [{ 'engine version': '2.1.329' }, 'engine version 2.1.328 → 2.1.329'],
    [{ 'input file in.csv': other }, 'input file in.csv changed'],
    [{ 'run number': '4' }, 'no cached run has the number 4'],
    [{ prompt: other, 'run number': '4' }, 'no cached run has this prompt'],
    [{ 'engine version': '3', 'input file in.csv': other }, 'engine version 2.1.328 → 3; input file in.csv changed'],
    [{}, ''],
  ])('%j', (changes, text) => {
    expect(told(changes)).toBe(text)
  })
})

describe('the nearest entry', () => {
  const entry = (name: string, changes: Record<string, string>) => ({ name, parts: { ...kept, ...changes } })
  test.each([
    [
      'differs in the fewest parts',
      [entry('two', { 'engine version': '1', x: '1' }), entry('one', { 'engine version': '1' })],
      'one',
    ],
    ['is of the same prompt', [entry('prompt', { prompt: other }), entry('far', { a: '1', b: '1', c: '1' })], 'far'],
    ['is of the same arm', [entry('arm', { skill: 'none' }), entry('far', { a: '1', b: '1', c: '1' })], 'far'],
    ['is of the same run number', [entry('run', { 'run number': '2' }), entry('far', { a: '1', b: '1' })], 'far'],
  ])('%s', (_what, entries, name) => {
    expect(findNearestEntry(kept, entries)?.name).toBe(name)
  })
  test('of none is none', () => {
    expect(findNearestEntry(kept, [])).toBeNull()
  })
})
