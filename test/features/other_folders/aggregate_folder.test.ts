/** Folders of other tools: which runs are found and how they are counted, what is noted of them, and designs where earlier methods said too little or too much. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { benchExitCode } from '../../../src/cli/commands/bench/print.ts'
import { aggregateAgain } from '../../../src/flows/aggregate/aggregate.ts'
import { benchmarkHeadline, confidenceNotes } from '../../../src/phases/4-report/text/headline.ts'
import { runMain } from '../../cli/run_main.ts'
import { folderOf, graded } from '../../store/folder_of.ts'

const never = new AbortController().signal
const context = { emit: () => {}, env: {}, drain: never, signal: never, now: () => new Date('2026-01-15T10:30:00Z') }

function run(folder: string, more: { candidate?: string; baseline?: string; force?: boolean } = {}) {
  const { candidate = null, baseline = null, force = false } = more
  return aggregateAgain({ folder, candidate, baseline, force, agentskills: null }, context)
}

/** "configuration eval_id/run_number passed/total", in the order of benchmark.json. */
async function runsOf(files: Record<string, unknown>): Promise<string[]> {
  const { benchmark } = await run(folderOf(files))
  return benchmark.runs.map(
    ({ configuration, eval_id, run_number, result }) =>
      `${configuration} ${eval_id}/${run_number} ${result.passed}/${result.total}`,
  )
}

const both = ['with_skill 1/1 2/2', 'without_skill 1/1 1/2']

describe('the same two runs are found', () => {
  const [a, b] = [graded(2, 2, 'a'), graded(1, 2, 'b')]
  test.each<[string, Record<string, unknown>]>([
    [
      'among the outputs',
      { 'totals/with_skill/outputs/grading.json': a, 'totals/without_skill/outputs/grading.json': b },
    ],
    ['in one file', { 'eval-1/grading.json': { with_skill: a.expectations, without_skill: b.expectations } }],
    [
      'with a copy inside',
      {
        'eval-1/with_skill/grading.json': a,
        'eval-1/with_skill/with_skill/grading.json': a,
        'eval-1/without_skill/grading.json': b,
      },
    ],
    [
      'side by side, known by their metadata',
      {
        'eval-1/eval_metadata.json': { eval_id: 1, prompt: 'Add up.' },
        'totals/eval_metadata.json': { eval_id: 1, prompt: 'Add up.' },
        'eval-1/with_skill/run-1/grading.json': graded(2, 2),
        'eval-1/without_skill/run-1/grading.json': graded(1, 2),
        'totals/with_skill/grading.json': graded(2, 2),
        'totals/without_skill/grading.json': graded(1, 2),
      },
    ],
  ])('%s', async (_, files) => expect(await runsOf(files)).toEqual(both))
})

test('cases in folders of different names are different cases, however alike their gradings are', async () => {
  const grading = (passed: boolean) => ({
    expectations: [{ text: 'The tests pass', passed, evidence: `exit code ${passed ? 0 : 1}` }],
  })
  const filesOf = (...names: string[]) =>
    Object.fromEntries(
      names.flatMap((name) => [
        [`eval-${name}/with_skill/run-1/grading.json`, grading(true)],
        [`eval-${name}/without_skill/run-1/grading.json`, grading(false)],
      ]),
    )
  expect(await runsOf(filesOf('csv', 'json'))).toHaveLength(4)
  // the same folder at another place is a copy
  const copied = {
    ...filesOf('csv'),
    ...Object.fromEntries(Object.entries(filesOf('csv')).map(([at, one]) => [`old/${at}`, one])),
  }
  expect(await runsOf(copied)).toHaveLength(2)
})

test('an expectation that its author marks as an indicator is not in the rates; the same without the mark is', async () => {
  const rateOf = async (indicator: boolean) => {
    const grading = (passed: boolean) => ({
      expectations: [
        { text: 'The file is there', passed: true, evidence: 'x' },
        { text: 'Twelve rows', passed, evidence: 'y', indicator },
      ],
    })
    const cases = [1, 2, 3].flatMap((id) => [
      [`eval-${id}/with_skill/run-1/grading.json`, grading(true)],
      [`eval-${id}/without_skill/run-1/grading.json`, grading(false)],
    ])
    const { benchmark } = await run(folderOf(Object.fromEntries(cases)))
    return benchmark.statistics?.scopes?.these_cases.difference.baseline_mean
  }
  expect([await rateOf(true), await rateOf(false)]).toEqual([1, 0.5])
})

describe('what is no copy', () => {
  test('two folders of one case are further runs of it', async () => {
    const metadata = { eval_id: 1, prompt: 'Add up.' }
    const files = {
      'first/eval_metadata.json': metadata,
      'first/with_skill/grading.json': graded(2, 2, 'a'),
      'second/eval_metadata.json': metadata,
      'second/with_skill/grading.json': graded(1, 2, 'b'),
    }
    expect(await runsOf(files)).toEqual(['with_skill 1/1 2/2', 'with_skill 1/2 1/2'])
  })
})

describe('what is no run', () => {
  const good = { 'eval-1/with_skill/run-1/grading.json': graded(2, 2, 'a') }
  test.each([
    ['a grading that an agent wrote', 'eval-1/with_skill/run-1/outputs/site/grading.json', graded(0, 2)],
    ['a transcript elsewhere', 'docs/notes/transcript.md', 'x'],
    ['a hidden folder', '.git/with_skill/grading.json', graded(0, 2)],
  ])('%s', async (_, file, value) => {
    const { benchmark } = await run(folderOf({ ...good, [file]: value }))
    expect(benchmark.counts).toMatchObject({ planned: 1, used: 1 })
    expect(benchmark.complete).toBe(true)
  })
})

describe('numbers and names', () => {
  const two = (metadata: Record<string, unknown>) => ({
    'a/eval_metadata.json': { eval_name: 'first', ...metadata },
    'a/with_skill/grading.json': graded(1, 1),
    'b/with_skill/eval_metadata.json': { eval_id: 7, eval_name: 'second', prompt: 'Say B.' },
    'b/with_skill/grading.json': graded(1, 1),
  })
  const cases = async (files: Record<string, unknown>) =>
    ((await run(folderOf(files))).benchmark.cases ?? []).map((row) => [row.eval_id, row.eval_key, row.eval_name])

  test('by the metadata of the case, or of the configuration', async () =>
    expect(await cases(two({ eval_id: 3 }))).toEqual([
      [3, null, 'first'],
      [7, null, 'second'],
    ]))
  test('a text as id is kept as the key', async () =>
    expect(await cases(two({ eval_id: 'sum' }))).toEqual([
      [1, 'sum', 'first'],
      [7, null, 'second'],
    ]))
  test('an id that two cases claim is given once', async () =>
    expect(await cases(two({ eval_id: 7 }))).toEqual([
      [1, 'b', 'second'],
      [7, null, 'first'],
    ]))
  test('eval-10 comes after eval-2, run-10 after run-2', async () => {
    const files = [
      'eval-10/with_skill/run-2',
      'eval-2/with_skill/run-10',
      'eval-2/with_skill/run-2',
      'eval-2/with_skill/run-b',
    ]
    expect(
      await runsOf(Object.fromEntries(files.map((folder) => [`${folder}/grading.json`, graded(1, 1, folder)]))),
    ).toEqual(['with_skill 2/1 1/1', 'with_skill 2/2 1/1', 'with_skill 2/10 1/1', 'with_skill 10/2 1/1'])
  })
})

describe('candidate minus baseline', () => {
  const pair = (candidate: string, baseline: string) =>
    folderOf({ [`eval-1/${candidate}/grading.json`]: graded(2, 2), [`eval-1/${baseline}/grading.json`]: graded(1, 2) })
  test.each([
    ['previous_skill', 'vanilla', 'pass rate 100% with the skill, 50% without: +50 points'],
    ['current', 'original', 'pass rate 100% with the new version, 50% with the old: +50 points'],
    ['with_reference', 'without_reference', 'pass rate 100% for with_reference, 50% for without_reference: +50 points'],
    ['pdf_with_skill', 'pdf_without_skills', 'pass rate 100% with the skill, 50% without: +50 points'],
    ['new_skill', 'with_skill', 'pass rate 100% for new_skill, 50% for with_skill: +50 points'],
  ])('%s against %s, and no more is said than the names tell', async (candidate, baseline, sentence) => {
    const { benchmark } = await run(pair(candidate, baseline))
    expect(benchmark.run_summary.delta?.pass_rate).toBe('+0.50')
    expect(benchmarkHeadline(benchmark)).toContain(sentence)
    const worse = Array.from({ length: 6 }, (_, at) => [
      [`eval-1/${candidate}/run-${at + 1}/grading.json`, graded(0, 2)],
      [`eval-1/${baseline}/run-${at + 1}/grading.json`, graded(2, 2)],
    ]).flat()
    const { benchmark: hurt } = await run(folderOf(Object.fromEntries(worse)))
    const [subject] = /the skill|the new version/.exec(sentence) ?? [candidate]
    expect(hurt.notes.join('\n')).toContain(`Significantly worse with ${subject}: case 1`)
    const all = [benchmarkHeadline(hurt), ...confidenceNotes(hurt), ...hurt.notes].join('\n')
    expect([...new Set(all.match(/the skill|the new version/g))]).toEqual(subject === candidate ? [] : [subject])
  })
  test('as asked, the other way round; of one configuration there is none', async () => {
    const { benchmark } = await run(pair('with_skill', 'old_skill'), { candidate: 'old_skill' })
    expect(benchmark.run_summary.delta?.pass_rate).toBe('-0.50')
    const alone = await run(folderOf({ 'eval-1/with_skill/grading.json': graded(1, 2) }))
    expect(alone.benchmark.run_summary.delta?.pass_rate).toBeUndefined()
  })
  test('a name that is not there is a mistake', async () =>
    expect(run(pair('with_skill', 'old_skill'), { baseline: 'older' })).rejects.toThrow(
      '--baseline: unknown configuration "older"',
    ))
})

describe('what is missing or broken', () => {
  const good = { 'eval-1/with_skill/grading.json': graded(1, 2) }
  test('invalid JSON is named with its line, the rest goes on, and it is incomplete', async () => {
    const broken = '{\n  "expectations": [\n    {"text": "a" "passed": true}\n  ]\n}'
    const { benchmark } = await run(folderOf({ ...good, 'eval-1/without_skill/grading.json': broken }))
    expect(benchmark.problems).toEqual([
      { file: 'eval-1/without_skill/grading.json', message: expect.stringMatching(/^line 3:18: not valid JSON/) },
    ])
    expect(benchmark.notes[0]).toMatch(/^Left out: eval-1\/without_skill\/grading.json: line 3:18/)
    expect([benchmark.complete, benchmark.counts?.used, benchmark.counts?.planned]).toEqual([false, 1, 2])
  })
  test('a run without a grading is listed, not forgotten', async () => {
    const { benchmark } = await run(folderOf({ ...good, 'eval-1/without_skill/outputs/a.txt': 'x' }))
    expect(benchmark.excluded_runs).toMatchObject([
      { configuration: 'without_skill', reason: 'missing', message: 'there is no grading.json' },
    ])
    expect(benchmark.complete).toBe(false)
  })
  test('unknown time and tokens are absent, not 0', async () => {
    const { benchmark } = await run(folderOf({ ...good, 'eval-1/with_skill/timing.json': { total_tokens: 0 } }))
    expect(benchmark.runs[0]?.result).not.toHaveProperty('time_seconds')
    expect(benchmark.runs[0]?.result).not.toHaveProperty('tokens')
    expect(benchmark.run_summary.with_skill).not.toHaveProperty('time_seconds')
  })
  test('a null verdict leaves the benchmark incomplete', async () => {
    const grading = {
      expectations: [
        { text: 'a', passed: true },
        { text: 'b', passed: null },
      ],
    }
    const { benchmark } = await run(folderOf({ 'eval-1/with_skill/grading.json': grading }))
    expect(benchmark.runs[0]?.result).toMatchObject({ passed: 1, total: 1, undecided: 1 })
    expect(benchmark.complete).toBe(false)
  })
  test('two gradings of one run that differ are told', async () => {
    const { benchmark } = await run(folderOf({ ...good, 'eval-1/with_skill/run-1/grading.json': graded(2, 2) }))
    expect(benchmark.problems).toMatchObject([{ file: 'eval-1/with_skill', message: /other verdicts/ }])
    expect(benchmark.runs.map(({ result }) => result.passed)).toEqual([2])
  })
  test('several iterations are a mistake that names them', async () => {
    const files = {
      'iteration-1/eval-1/with_skill/grading.json': graded(1, 1),
      'iteration-2/eval-1/with_skill/grading.json': graded(1, 1),
    }
    await expect(run(folderOf(files))).rejects.toThrow('several benchmarks: iteration-1, iteration-2')
    const deeper = folderOf(
      Object.fromEntries(Object.entries(files).map(([name, file]) => [`benchmarks/${name}`, file])),
    )
    const fix = `pass one, such as ${path.join(deeper, 'benchmarks', 'iteration-2')}`
    await expect(run(deeper)).rejects.toMatchObject({ fix })
  })
})

describe("another tool's benchmark.json", () => {
  const stats = (mean: number) => ({ mean, stddev: 0, min: mean, max: mean })
  const made = (arms: Record<string, number>, delta: string) => ({
    metadata: { skill_name: 'tidy', executor_model: '<model-name>', timestamp: '2026-01-01T00:00:00Z' },
    runs: [{}],
    run_summary: {
      ...Object.fromEntries(Object.entries(arms).map(([name, mean]) => [name, { pass_rate: stats(mean) }])),
      delta: { pass_rate: delta },
    },
  })
  const files = (committed: unknown, baseline = 'old_skill') => ({
    'benchmark.json': committed,
    'eval-1/with_skill/run-1/grading.json': graded(2, 2),
    [`eval-1/${baseline}/run-1/grading.json`]: { ...graded(1, 2), summary: undefined },
  })
  const notesOf = async (committed: unknown) =>
    (await run(folderOf(files(committed)))).benchmark.notes.filter((note) => note.includes('existing benchmark.json'))

  test('stays as it is; ours lies beside it', async () => {
    const folder = folderOf(files({ mine: true }))
    const { paths } = await run(folder)
    expect(path.basename(paths.benchmark)).toBe('whetstone-benchmark.json')
    expect(readFileSync(path.join(folder, 'benchmark.json'), 'utf8')).toBe('{"mine":true}')
    expect(existsSync(path.join(folder, 'whetstone-report.html'))).toBe(true)
  })
  test('is overwritten with --force; ours is overwritten without', async () => {
    const folder = folderOf(files({ mine: true }))
    expect(path.basename((await run(folder, { force: true })).paths.benchmark)).toBe('benchmark.json')
    expect(path.basename((await run(folder)).paths.benchmark)).toBe('benchmark.json')
  })
  test('that is broken is named', async () => {
    const folder = folderOf(files('{"runs": [}'))
    const { benchmark, paths } = await run(folder)
    expect(benchmark.problems).toMatchObject([{ file: 'benchmark.json' }])
    expect(path.basename(paths.benchmark)).toBe('whetstone-benchmark.json')
  })

  const half = { with_skill: 1, old_skill: 0.5 }
  test.each([
    ['that agrees', made(half, '+0.50'), /agrees with this one \(2 means compared\)/],
    ['with the sign turned', made(half, '-0.50'), /has delta -0.50, this one \+0.50: because it subtracts/],
    ['with another one', made(half, '+0.30'), /has delta \+0.30, this one \+0.50: for an unknown reason/],
    [
      'that takes a missing summary for 0',
      made({ with_skill: 1, old_skill: 0 }, '-1.00'),
      /pass_rate 0 for old_skill, this one 0.5000: because it uses the summary/,
    ],
    ['without means', { mine: true }, /nothing to compare/],
    ['in percent', made({ with_skill: 100, old_skill: 50 }, '+50pp'), /agrees with this one/],
  ])('%s', async (_, committed, note) => expect(await notesOf(committed)).toEqual([expect.stringMatching(note)]))

  test('that counted characters for tokens, and milliseconds for nothing', async () => {
    const grading = { ...graded(1, 1), timing: { total_duration_seconds: 5 }, execution_metrics: { output_chars: 777 } }
    const committed = {
      run_summary: { with_skill: { pass_rate: stats(1), tokens: stats(777), time_seconds: stats(2.5) } },
    }
    const { benchmark } = await run(
      folderOf({
        'benchmark.json': committed,
        'eval-1/with_skill/run-1/grading.json': grading,
        'eval-1/with_skill/run-1/timing.json': { total_tokens: 50000, total_duration_seconds: 5 },
        'eval-2/with_skill/run-1/grading.json': { ...grading, timing: undefined },
        'eval-2/with_skill/run-1/timing.json': { duration_ms: 7000, prompt_tokens: 10000 },
      }),
    )
    expect(benchmark.notes.filter((note) => note.includes('existing benchmark.json'))).toEqual([
      expect.stringMatching(/time_seconds 2.5 for with_skill, this one 6.0000: because it counts a run without/),
      expect.stringMatching(/tokens 777 for with_skill, this one 30000.0: because it counts/),
    ])
  })
})

test('a grading that holds counts alone is not told as timed out', async () => {
  const { benchmark } = await run(folderOf({ 'eval-1/with_skill/grading.json': { summary: { passed: 4, total: 4 } } }))
  expect(benchmark.runs.map(({ result }) => result.pass_rate)).toEqual([1])
  expect(benchmark.notes.join('\n')).not.toContain('timed out')
})

test.each<[object, number, RegExp | null]>([
  [
    { passed: 2, total: 3, pass_rate: 90 },
    0.6667,
    /^A contradiction in 1 grading: .* pass_rate is 90, and 2 of 3 passed/,
  ],
  [{ passed: 2, total: 3, pass_rate: 150 }, 0.6667, /^A contradiction/],
  [{ passed: 2, total: 3, pass_rate: 66.7 }, 0.6667, null],
  [{ pass_rate: 85 }, 0.85, /^A pass rate read as a percentage in 1 grading: .*: its pass_rate is 85\.$/],
  [{ pass_percent: 85 }, 0.85, /its pass_percent is 85\.$/],
  [{ pass_rate: '85%' }, 0.85, null],
  [{ pass_rate: 0.85 }, 0.85, null],
])('a summary of %j: the counts count, and a note names what is doubtful', async (summary, rate, note) => {
  const { benchmark } = await run(folderOf({ 'eval-1/with_skill/grading.json': { summary } }))
  expect(benchmark.runs.map(({ result }) => result.pass_rate)).toEqual([rate])
  expect(benchmark.notes.filter((one) => /contradiction|percentage/.test(one))).toEqual(
    note === null ? [] : [expect.stringMatching(note)],
  )
})

test.each(['expectations', 'assertion_results'])('%s that is null: the summary counts, with a note', async (name) => {
  const summary = { passed: 2, failed: 1, total: 3, pass_rate: 0.67 }
  const { benchmark } = await run(folderOf({ 'eval-1/with_skill/grading.json': { [name]: null, summary } }))
  expect(benchmark.runs.map(({ result }) => [result.passed, result.total])).toEqual([[2, 3]])
  expect(benchmark.notes.join('\n')).toContain(`its ${name} is null; its summary counts: 2 of 3 passed`)
  const bare = folderOf({ 'eval-1/with_skill/grading.json': { [name]: null } })
  await expect(run(bare)).rejects.toThrow(/contains no list of verdicts, no counts/)
})

test.each<[string, object | undefined, string | null]>([
  ['more passes than the items', { passed: 2, failed: 0, total: 2, pass_rate: 1 }, '2 of 2'],
  ['fewer items than there are', { passed: 1, failed: 0, total: 1, pass_rate: 1 }, '1 of 1'],
  ['control: the same counts', { passed: 1, failed: 1, total: 2, pass_rate: 0.5 }, null],
  ['control: no summary', undefined, null],
])('a summary with %s: the items count, and a note names a contradiction', async (_, summary, said) => {
  const first = { ...graded(1, 2, 'a'), ...(summary && { summary }) }
  const files = { 'eval-1/with_skill/grading.json': first, 'eval-1/without_skill/grading.json': graded(1, 2, 'b') }
  const { benchmark } = await run(folderOf(files))
  expect(benchmark.runs.map(({ result }) => result.passed)).toEqual([1, 1])
  const note = `A contradiction in 1 grading: eval-1/with_skill: its summary says ${said} passed, its items 1 of 2; the items count.`
  expect(benchmark.notes.filter((one) => one.includes('contradict'))).toEqual(said === null ? [] : [note])
})

test('a grading of one item can contradict itself, too', async () => {
  const one = { ...graded(0, 1, 'a'), summary: { passed: 1, failed: 0, total: 1, pass_rate: 1 } }
  const { benchmark } = await run(folderOf({ 'eval-1/with_skill/grading.json': one }))
  expect(benchmark.notes.join('\n')).toContain('its summary says 1 of 1 passed, its items 0 of 1;')
})

describe('notes on a folder of another tool', () => {
  const runs = (configuration: string, evals: number) =>
    Object.fromEntries(
      Array.from({ length: evals }, (_, at) => [
        `eval-${at + 1}/${configuration}/run-1/grading.json`,
        { ...graded(1, 2), summary: { passed: 2, failed: 0, total: 2, pass_rate: 1 } },
      ]),
    )
  const many = {
    ...runs('model_a', 2),
    ...runs('model_b', 2),
    ...runs('model_c', 2),
    ...runs('model_d', 1),
    'benchmark.json': { run_summary: { model_a: { pass_rate: 0.9, time_seconds: 3 }, model_b: { pass_rate: 0.9 } } },
  }
  test('are six at most, together with those on its runs: files that cannot be read are counted', async () => {
    const broken = Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((id) => [`eval-${id}/model_b/run-2/grading.json`, '{']))
    const folder = folderOf({ ...many, ...broken })
    const { benchmark, paths } = await run(folder)
    expect(benchmark.problems).toHaveLength(7)
    expect(benchmark.notes).toHaveLength(6)
    const expected = [
      /^Left out: 7 files, such as eval-1\/model_b\/run-2\/grading.json: line 1:2: .*\. All are in benchmark.json, under problems\.$/,
      /^A contradiction in 7 gradings/,
      /^The names model_a and model_b do not show which is the baseline/,
      /^The configurations model_c \(2 runs\) and model_d \(1 run\) are excluded from every number: only model_a and model_b are compared\.$/,
      /^The existing benchmark.json has pass_rate 0.9 for model_a.* \(2 more means differ\)\.$/,
      /^7 of 11 planned runs are not in the rates/,
    ]
    expect(benchmark.notes).toEqual(expected.map((note) => expect.stringMatching(note)))
    const [, notes = ''] = readFileSync(paths.markdown, 'utf8').split('## Notes')
    expect(notes.split('\n## ')[0]?.match(/^- /gm)).toHaveLength(6)
    const { stdout } = await runMain(['aggregate', folder])
    expect(stdout.match(/^- /gm)).toHaveLength(3)
    expect(stdout).toMatch(/3 more notes/)
  })
  test('name each file while all notes fit', async () => {
    const files = { ...runs('model_a', 1), 'eval-2/model_a/grading.json': '{', 'eval-3/model_a/grading.json': '{' }
    const { notes } = (await run(folderOf(files))).benchmark
    expect(notes.filter((note) => note.startsWith('Left out: eval-'))).toHaveLength(2)
  })
})

/** Expectations met by each run of a case. */
interface GradedCase {
  met?: readonly number[]
  metWithout?: readonly number[]
}

async function verdictOf(cases: readonly GradedCase[], total: number) {
  const files = cases.flatMap(({ met = [], metWithout = [] }, at) => {
    const place = (arm: string, run: number) => `eval-${at + 1}/${arm}/run-${run + 1}/grading.json`
    return [
      ...met.map((count, run) => [place('with_skill', run), graded(count, total, 'a')] as const),
      ...metWithout.map((count, run) => [place('without_skill', run), graded(count, total, 'b')] as const),
    ]
  })
  const made = await run(folderOf(Object.fromEntries(files)))
  return { headline: benchmarkHeadline(made.benchmark), code: benchExitCode(made, []) }
}

const [four, five] = [Array<number>(4).fill(1), Array<number>(5).fill(5)]

test.each<[string, GradedCase[], number, string, number]>([
  [
    '3 cases × 5 runs × 8 expectations, every run better: helps, with a narrow interval',
    Array(3).fill({ met: [6, 7, 6, 7, 6], metWithout: five }),
    8,
    'Helps: pass rate 80% with the skill, 62% without: +18 points, 95% CI [9, 26]',
    0,
  ],
  [
    'no case in both configurations',
    [{ met: four }, { metWithout: [0, 0, 0, 0] }],
    1,
    'Not comparable: no case was graded in both configurations; left out: 2 cases graded in one only.',
    3,
  ],
  [
    'a case in one configuration only is left out and makes the benchmark incomplete',
    [{ met: four, metWithout: [0, 0, 0, 0] }, { met: four }],
    1,
    '(1 case × 4 runs; left out: 1 case graded in one configuration only)',
    3,
  ],
])('%s', async (_, cases, total, text, code) => {
  const found = await verdictOf(cases, total)
  expect(found.headline).toContain(text)
  expect(found.code).toBe(code)
})
