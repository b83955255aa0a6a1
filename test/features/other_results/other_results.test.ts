/** Results of other tools become a benchmark with the same numbers. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import zlib from 'node:zlib'
import JSZip from 'jszip'
import { describe, expect, test } from 'vitest'
import { aggregateAgain } from '../../../src/flows/aggregate/aggregate.ts'
import { type ImportRequest, importResults } from '../../../src/flows/aggregate/import_results.ts'
import { fresh } from '../../e2e/program.ts'
import { folderOf } from '../../store/folder_of.ts'

const never = new AbortController().signal
const context = { emit: () => {}, env: {}, drain: never, signal: never, now: () => new Date('2026-01-15T10:30:00Z') }

type Asked = Partial<Omit<ImportRequest, 'from' | 'places'>>

async function imported(from: string, places: string[], asked: Asked = {}) {
  const target = path.join(fresh(), 'new')
  const request = { columns: {}, candidate: null, baseline: null, target, ...asked }
  await importResults({ from, places, ...request })
  const { benchmark } = await aggregateAgain(
    { folder: target, force: false, agentskills: null, page: false, ...request },
    context,
  )
  return benchmark
}

/** "configuration case/run rate seconds tokens" of every run. */
function list({ runs }: Awaited<ReturnType<typeof imported>>): string[] {
  return runs.map(
    ({ configuration, eval_name, run_number, result }) =>
      `${configuration} ${eval_name}/${run_number} ${result.pass_rate} ${result.time_seconds ?? '-'} ${result.tokens ?? '-'}`,
  )
}

describe('csv', () => {
  const rows = [
    'agent,task,resolved,duration_sec,tokens',
    'new,sum,1,10,100',
    'new,sum,0,12,90',
    'new,"a ""long"", name",0.5,,',
    'old,sum,false,9,80',
    'old,"a ""long"", name",pass,8,70',
  ]
  const whole = [
    'new sum/1 1 10 100',
    'new sum/2 0 12 90',
    'new a "long", name/1 0.5 - -',
    'old sum/1 0 9 80',
    'old a "long", name/1 1 8 70',
  ]

  test('a row is a run; quotes, semicolons, a byte order mark and Windows line ends make no difference', async () => {
    const file = (text: string) => [path.join(folderOf({ 'r.csv': text }), 'r.csv')]
    const asked = { candidate: 'new', baseline: 'old' }
    expect(list(await imported('csv', file(rows.join('\n')), asked)).sort()).toEqual([...whole].sort())
    const excel = `\uFEFF${rows.join('\r\n').replaceAll(/,(?! )/g, ';')}\r\n`
    expect(list(await imported('csv', file(excel), asked)).sort()).toEqual([...whole].sort())
  })

  test('the difference is candidate − baseline', async () => {
    const file = path.join(folderOf({ 'r.csv': 'agent,task,reward\na,x,1\nb,x,0.25\n' }), 'r.csv')
    const delta = async (candidate: string, baseline: string) =>
      (await imported('csv', [file], { candidate, baseline })).run_summary.delta?.pass_rate
    expect(await delta('a', 'b')).toBe('+0.75')
    expect(await delta('b', 'a')).toBe('-0.75')
  })

  test('a row without a score is a run that is missing, not a zero', async () => {
    const text = 'model,skills_enabled,task,reward\nm,1,a,1\nm,1,b,\nm,0,a,0\nm,0,b,1\n'
    const benchmark = await imported('csv', [path.join(folderOf({ 'r.csv': text }), 'r.csv')])
    expect(list(benchmark).map((one) => one.split(' ').slice(0, 3).join(' '))).toEqual([
      'm+with_skill a/1 1',
      'm+without_skill a/1 0',
      'm+without_skill b/1 1',
    ])
    expect(benchmark).toMatchObject({ complete: false, counts: { planned: 4, used: 3 } })
  })

  test('columns are chosen by --columns', async () => {
    const text = 'who,what,points,passed\na,x,0.25,1\nb,x,0.75,1\n'
    const file = path.join(folderOf({ 'r.csv': text }), 'r.csv')
    const columns = { case: ['what'], configuration: ['who'], score: ['points'] }
    expect(list(await imported('csv', [file], { columns })).map((one) => one.slice(0, 10))).toEqual([
      'a x/1 0.25',
      'b x/1 0.75',
    ])
  })

  test.each<[string, string, Asked, string]>([
    ['no rows', 'agent,task,reward\n', {}, 'no rows'],
    ['a score of another scale', 'agent,task,reward\na,x,7\n', {}, 'line 2: "7" is not a score'],
    ['a negative cost', 'agent,task,reward,cost\na,x,1,-3\n', {}, 'line 2: cost: "-3" is not an amount'],
    ['an endless time', 'agent,task,reward,seconds\na,x,1,Infinity\n', {}, '"Infinity" is not an amount'],
    ['no case', 'agent,task,reward\na,,1\n', {}, 'line 2: no case'],
    ['a short line', 'agent,task,reward\na,x\n', {}, 'line 2'],
    ['two columns of a name', 'agent,task,task,reward\na,x,y,1\n', {}, 'two columns are called "task"'],
    ['no column of scores', 'agent,task,points\na,x,1\n', {}, 'no column for the score'],
    ['an unknown column', 'agent,task,reward\na,x,1\n', { columns: { score: ['rewards'] } }, 'no such column'],
    ['three configurations', 'agent,task,reward\na,x,1\nb,x,1\nc,x,1\n', {}, '3 configurations: a, b, c'],
    [
      'an unknown configuration',
      'agent,task,reward\na,x,1\nb,x,1\n',
      { candidate: 'aa' },
      'unknown configuration "aa"',
    ],
  ])('%s is refused, and nothing is written', async (_what, text, asked, message) => {
    const file = path.join(folderOf({ 'r.csv': text }), 'r.csv')
    const target = path.join(fresh(), 'new')
    await expect(imported('csv', [file], { ...asked, target })).rejects.toThrow(message)
    expect(existsSync(target)).toBe(false)
    expect(readdirSync(path.dirname(target))).toEqual([])
  })

  test('a folder that exists is refused', async () => {
    const file = path.join(folderOf({ 'r.csv': 'agent,task,reward\na,x,1\n' }), 'r.csv')
    await expect(imported('csv', [file], { target: path.dirname(file) })).rejects.toThrow('exists already')
    expect(readdirSync(path.dirname(file))).toEqual(['r.csv'])
  })
})

describe('harbor', () => {
  const trial = (task: string, agent: string, more: object) => ({
    ...{ task_name: task, trial_name: `${task}__x`, agent_info: { name: agent, version: '1', model_info: null } },
    ...more,
  })
  const rewarded = (reward: number) => ({
    verifier_result: { rewards: { reward } },
    agent_result: { n_input_tokens: 900, n_cache_tokens: 100, n_output_tokens: 50, cost_usd: 0.02 },
    agent_execution: { started_at: '2026-01-01T00:00:00Z', finished_at: '2026-01-01T00:01:30Z' },
  })
  const failed = (exception_type: string) => ({ exception_info: { exception_type, exception_message: 'no' } })

  test('a trial is a run; the timeout of an agent counts, a failure of the place does not', async () => {
    const job = folderOf({
      'result.json': { id: 'x', n_total_trials: 4 },
      'a__1/result.json': trial('a', 'codex', rewarded(0.5)),
      'b__1/result.json': trial('b', 'codex', failed('AgentTimeoutError')),
      'c__1/result.json': trial('c', 'codex', failed('EnvironmentBuildError')),
      'a__2/result.json': trial('a', 'goose', rewarded(1)),
    })
    const benchmark = await imported('harbor', [job])
    expect(list(benchmark).sort()).toEqual(['codex a/1 0.5 90 950', 'codex b/1 0 - -', 'goose a/1 1 90 950'])
    expect(benchmark.counts).toMatchObject({ planned: 4, used: 3 })
  })

  test('a reward that Harbor itself does not take for valid is no result; after other ends it is', async () => {
    const ends = [
      'ApiRateLimitError',
      'SandboxLikelyOutOfMemoryError',
      'AgentSetupTimeoutError',
      'AgentTimeoutError',
      'OddError',
    ]
    const trials = ends.map((end, at) => [
      `${at}/result.json`,
      trial(`t${at}`, 'codex', { ...rewarded(0), ...failed(end) }),
    ])
    const job = folderOf({ ...Object.fromEntries(trials), 'z/result.json': trial('z', 'codex', rewarded(1)) })
    const benchmark = await imported('harbor', [job])
    expect(
      list(benchmark)
        .map((one) => one.slice(0, 12))
        .sort(),
    ).toEqual(['codex t3/1 0', 'codex t4/1 0', 'codex z/1 1 '])
    expect(benchmark.counts).toMatchObject({ planned: 6, used: 3 })
  })

  test('two jobs of one agent are told apart by their folders', async () => {
    const root = folderOf({
      'with/a__1/result.json': trial('a', 'codex', rewarded(1)),
      'without/a__1/result.json': trial('a', 'codex', rewarded(0)),
    })
    const benchmark = await imported('harbor', [path.join(root, 'without'), path.join(root, 'with')])
    expect(list(benchmark).map((one) => one.slice(0, 12))).toEqual(['with a/1 1 9', 'without a/1 '])
  })

  test('of several rewards one is chosen', async () => {
    const job = folderOf({
      'a/result.json': trial('a', 'x', { verifier_result: { rewards: { style: 0.25, tests: 1 } } }),
    })
    await expect(imported('harbor', [job])).rejects.toThrow('several scores: style, tests')
    expect(list(await imported('harbor', [job], { columns: { score: ['style'] } }))).toEqual(['x a/1 0.25 - -'])
  })
})

test('terminal-bench: a run of its own is a configuration; tests are listed and do not count', async () => {
  const result = (is_resolved: boolean | null, failure_mode: string) => ({
    ...{ trial_name: 'a.1-of-1', task_id: 'a', instruction: 'Do a.', is_resolved, failure_mode },
    ...{ parser_results: { test_one: 'passed', test_two: 'failed' }, total_input_tokens: 10, total_output_tokens: 5 },
    ...{ agent_started_at: '2026-01-01T00:00:00+00:00', agent_ended_at: '2026-01-01T00:00:07+00:00' },
  })
  const root = folderOf({
    'one/results.json': { results: [result(true, 'unset'), result(null, 'agent_timeout'), result(null, 'unknown')] },
    'one/run_metadata.json': { agent_name: 'goose', model_name: 'x/sonnet' },
    'one/a/a.1-of-1/results.json': result(true, 'unset'),
    'two/results.json': { results: [result(false, 'unset')] },
  })
  const benchmark = await imported('terminal-bench', [root])
  expect(list(benchmark)).toEqual(['goose+x-sonnet a/1 1 7 15', 'goose+x-sonnet a/2 0 7 15', 'two a/1 0 7 15'])
  expect(benchmark.counts).toMatchObject({ planned: 4, used: 3 })
  expect(benchmark.runs[0]?.expectations.map(({ text, diagnostic }) => `${text} ${diagnostic ?? false}`)).toEqual([
    'resolved false',
    'test_one true',
    'test_two true',
  ])
})

/** The archive with each stored entry as a frame of zstd with one raw block. */
function toZstdEntries(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  const central: Buffer[] = []
  const end = bytes.lastIndexOf('PK\x05\x06')
  let at = bytes.readUInt32LE(end + 16)
  let offset = 0
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    const length = 46 + bytes.readUInt16LE(at + 28) + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
    const entry = Buffer.from(bytes.subarray(at, at + length))
    const local = bytes.readUInt32LE(at + 42)
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
    const content = bytes.subarray(start, start + bytes.readUInt32LE(at + 20))
    const block = Buffer.alloc(3)
    block.writeUIntLE((content.length << 3) | 1, 0, 3)
    const frame = Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58]), block, content])
    const first = Buffer.from(bytes.subarray(local, start))
    first.writeUInt16LE(93, 8)
    first.writeUInt32LE(frame.length, 18)
    entry.writeUInt16LE(93, 10)
    entry.writeUInt32LE(frame.length, 20)
    entry.writeUInt32LE(offset, 42)
    parts.push(first, frame)
    central.push(entry)
    offset += first.length + frame.length
    at += length
  }
  const tail = Buffer.from(bytes.subarray(end))
  tail.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, ...central, tail])
}

describe('inspect', () => {
  const sample = (id: string, epoch: number, value: unknown, more: object = {}) => ({
    ...{ id, epoch, input: `Question ${id}`, scores: { match: { value, answer: '' } }, total_time: 3 },
    ...{ model_usage: { m: { input_tokens: 4, output_tokens: 2, total_tokens: 6 } }, ...more },
  })
  const samples = [
    sample('q', 1, 'C'),
    sample('q', 2, 'I'),
    sample('r', 1, 'P'),
    sample('r', 2, 'C', { error: { message: 'x' } }),
  ]
  const head = (model: string) => ({ version: 2, status: 'success', eval: { task: 'quiz', model } })
  const whole = ['m-a q/1 1 3 6', 'm-a q/2 0 3 6', 'm-b q/1 1 3 6', 'm-a r/1 0.5 3 6']

  test('a sample and epoch is a run, from JSON and from an archive', async () => {
    const other = { ...head('m/b'), samples: [sample('q', 1, true)] }
    const logs = folderOf({ 'a.json': { ...head('m/a'), samples }, 'b.json': other })
    const benchmark = await imported('inspect', [logs])
    expect(list(benchmark)).toEqual(whole)
    expect(benchmark.counts).toMatchObject({ planned: 5, used: 4 })

    const zip = new JSZip()
    zip.file('header.json', JSON.stringify(head('m/a')))
    for (const one of samples) zip.file(`samples/${one.id}_epoch_${one.epoch}.json`, JSON.stringify(one))
    const archive = await zip.generateAsync({ type: 'uint8array', compression: 'DEFLATE' })
    const archived = folderOf({ 'b.json': other })
    writeFileSync(path.join(archived, 'a.eval'), archive)
    expect(list(await imported('inspect', [archived]))).toEqual(whole)
  })

  test('an archive of zstd is read where Node can, else the way out is named', async () => {
    const zip = new JSZip()
    zip.file('header.json', JSON.stringify(head('m/a')))
    zip.file('samples/q_epoch_1.json', JSON.stringify(sample('q', 1, 'C')))
    const bytes = await zip.generateAsync({ type: 'nodebuffer', compression: 'STORE' })
    const root = fresh()
    writeFileSync(path.join(root, 'a.eval'), toZstdEntries(bytes))
    if ('zstdDecompressSync' in zlib) expect(list(await imported('inspect', [root]))).toEqual(['m-a q/1 1 3 6'])
    else
      await expect(imported('inspect', [root])).rejects.toMatchObject({
        message: expect.stringContaining('zstd needs Node 22.15 or later'),
        fix: expect.stringContaining('inspect log convert'),
      })
  })

  test('logs of one task that differ by arguments or solver are configurations', async () => {
    const log = (more: object, value: string) => {
      return { ...head('m/a'), eval: { task: 'quiz', model: 'm/a', ...more }, samples: [sample('q', 1, value)] }
    }
    const runs = async (one: object, other: object) =>
      list(await imported('inspect', [folderOf({ 'a.json': log(one, 'C'), 'b.json': log(other, 'I') })])).sort()
    expect(await runs({ task_args: { skill: true, n: 4 } }, { task_args: { skill: false, n: 4 } })).toEqual([
      'm-a+skill=false q/1 0 3 6',
      'm-a+skill=true q/1 1 3 6',
    ])
    expect(await runs({ solver: 'plain' }, { solver: 'skilled' })).toEqual([
      'm-a+solver=plain q/1 1 3 6',
      'm-a+solver=skilled q/1 0 3 6',
    ])
    expect(await runs({ task_args: { n: 4 } }, { task_args: { n: 4 } })).toEqual(['m-a q/1 1 3 6', 'm-a q/2 0 3 6'])
    expect(await runs({ task_args: { n: 4 } }, { task: 'other', task_args: { n: 5 } })).toEqual([
      'm-a other: q/1 0 3 6',
      'm-a quiz: q/1 1 3 6',
    ])
  })

  test('an archive that is none names the way out', async () => {
    const file = path.join(folderOf({ 'a.eval': 'not a zip' }), 'a.eval')
    await expect(imported('inspect', [file])).rejects.toThrow("can't be read as an archive")
  })
})
