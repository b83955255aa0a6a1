/** What a thread packs, compares and writes for a page is what the page would have done itself, and counts only as long as it is true. */
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { redactorFor } from '../../src/base/redact.ts'
import { type DetailsAhead, openDetails } from '../../src/flows/page/details_ahead.ts'
import { writePage } from '../../src/flows/page/write_page.ts'
import { aggregate } from '../../src/phases/4-report/aggregate.ts'
import { arm, inputOf } from '../phases/4-report/fixture.ts'
import { filling } from './filling.ts'
import { detailsIn, pageIn, sidecarIn } from './unpack.ts'

const thread = new URL('../../dist/program/detail_thread.js', import.meta.url)
const secret = 'sk-live-0123456789abcdefghij'
const env = { SERVICE_TOKEN: secret }
const enough = 64

const benchmark = aggregate(
  inputOf([...arm(1, 'with_skill', ['++', '+-', '++']), ...arm(1, 'without_skill', ['+-', '--', '--'])]),
)
const ids = benchmark.runs.map((one) => `eval-${one.eval_id}/${one.configuration}/run-${one.run_number}`)

const times = { started_at: '2026-01-15T10:30:00Z', ended_at: '2026-01-15T10:31:00Z', session_id: null }

/** Two benchmarks; all runs of the second but its last were taken from the first. Gives the second one's folder. */
function twice(): string {
  const above = path.join(mkdtempSync(path.join(tmpdir(), 'details-')), 'benchmarks')
  const [first, second] = ['2026-01-15T10-30-00Z', '2026-01-16T10-30-00Z'].map((name) => path.join(above, name))
  if (first === undefined || second === undefined) throw new Error('none')
  for (const [at, id] of ids.entries()) {
    const put = (name: string, text: string) => {
      mkdirSync(path.dirname(path.join(first, id, name)), { recursive: true })
      writeFileSync(path.join(first, id, name), text)
    }
    put('run.json', JSON.stringify({ ...times, final_response: `answer ${at}`, outputs: {} }))
    put('transcript.jsonl', `${JSON.stringify({ type: 'user', step: 0, text: `go, ${secret}` })}\n`)
    put('outputs/big.txt', filling(at))
  }
  cpSync(first, second, { recursive: true })
  for (const id of ids.slice(0, -1)) {
    const file = path.join(second, id, 'run.json')
    const cached_from = { benchmark: path.basename(first), at: times.ended_at }
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), cached_from }))
  }
  return second
}

const foldersOf = (folder: string) => ids.map((id) => path.join(folder, id))

/** What the page of the benchmark says of its runs, wherever it lies. */
async function pageOf(folder: string, details: DetailsAhead | null) {
  const report = path.join(folder, 'report.html')
  const folders = new Map(
    benchmark.runs.map((one, at) => {
      return [`${one.eval_id}/${one.configuration}/run-${one.run_number}`, path.join(folder, ids[at] ?? '')]
    }),
  )
  await writePage({ folder, report, benchmark, prompts: null, folders, redactor: redactorFor(env), details })
  const html = readFileSync(report, 'utf8')
  const data = path.join(folder, 'report.data')
  const beside = existsSync(data) ? readdirSync(data).filter((name) => name.endsWith('.js')) : []
  const said = beside.sort().map((name) => [name, sidecarIn(readFileSync(path.join(data, name), 'utf8'))])
  const { detail, before } = pageIn(html).runs
  return { inside: detailsIn(html), beside: Object.fromEntries(said), detail, before }
}

function opened(program = thread): DetailsAhead {
  const details = openDetails({ runs: enough, env }, program)
  if (details === null) throw new Error('no thread')
  return details
}

/** Whether each run was packed in the thread, and how many files it wrote beside the page. */
function watched(details: DetailsAhead) {
  const seen = { written: 0, compared: 0 }
  const watching: DetailsAhead = {
    warmUp: () => details.warmUp(),
    prepare: (of, folders) => details.prepare(of, folders),
    packed: () => details.packed(),
    async compared(pairs) {
      const answer = await details.compared(pairs)
      seen.compared += answer?.length ?? 0
      return answer
    },
    async write(files) {
      const isDone = await details.write(files)
      if (isDone) seen.written += files.length
      return isDone
    },
    [Symbol.asyncDispose]: () => details[Symbol.asyncDispose](),
  }
  return { seen, watching }
}

test('the page is the same with it and without', async () => {
  const folder = twice()
  await using details = opened()
  details.warmUp() // without a question it has nothing to answer
  details.prepare(folder, foldersOf(folder).slice(0, 2))
  details.prepare(folder, foldersOf(folder).slice(2))
  expect([...(await details.packed()).keys()]).toEqual(foldersOf(folder))
  const { seen, watching } = watched(details)
  const ahead = await pageOf(folder, watching)
  expect(seen).toEqual({ written: ahead.detail.filter((place) => place === 2).length, compared: ids.length })
  expect(seen.written).toBeGreaterThan(0)
  const alone = await pageOf(twice(), null)
  expect(ahead).toEqual(alone)
  expect(ahead.before).toEqual(ids.map((_, at) => (at === ids.length - 1 ? 2 : 3)))
})

test('credentials of the user are kept out in the thread as well', async () => {
  const folder = twice()
  await using details = opened()
  details.prepare(folder, foldersOf(folder))
  const { inside, beside } = await pageOf(folder, details)
  const all = JSON.stringify([inside, beside])
  expect(all).not.toContain(secret)
  expect(all.split('[redacted:SERVICE_TOKEN]')).toHaveLength(ids.length + 1)
})

test('a run that changed after it was packed is read again', async () => {
  const folder = twice()
  const [changed = ''] = foldersOf(folder)
  await using details = opened()
  details.prepare(folder, foldersOf(folder))
  await details.packed()
  appendFileSync(
    path.join(changed, 'transcript.jsonl'),
    `${JSON.stringify({ type: 'user', step: 1, text: 'later' })}\n`,
  )
  const { inside, beside } = await pageOf(folder, details)
  const said = [...inside, ...Object.values(beside)].map((one) => JSON.stringify(one))
  expect(said.filter((text) => text.includes('later'))).toHaveLength(1)
  expect(said).toHaveLength(ids.length + 1) // and the last of the iteration before
})

test('a file of its own name that leads elsewhere is not written through', async () => {
  const folder = twice()
  const outside = path.join(mkdtempSync(path.join(tmpdir(), 'details-')), 'file')
  writeFileSync(outside, 'mine')
  const data = path.join(folder, 'report.data')
  mkdirSync(data)
  const link = path.join(data, 'run-x.js')
  symlinkSync(outside, link)
  await using details = opened()
  details.prepare(folder, [])
  details.prepare(folder, foldersOf(folder).slice(0, 1))
  expect(await details.write([{ file: link, text: 'new' }])).toBe(true)
  expect([readFileSync(outside, 'utf8'), readFileSync(link, 'utf8')]).toEqual(['mine', 'new'])
})

test.each([
  ['that breaks when it starts', "throw new Error('of the thread')"],
  [
    'that ends at its second task',
    "let n = 0; require('worker_threads').parentPort.on('message', () => { n += 1; if (n > 1) process.exit(1); require('worker_threads').parentPort.postMessage({ packed: [] }) })",
  ],
])('a thread %s is done without: nothing is lost', async (_what, text) => {
  const folder = twice()
  const program = path.join(mkdtempSync(path.join(tmpdir(), 'details-')), 'thread.cjs')
  writeFileSync(program, text)
  await using details = opened(pathToFileURL(program))
  for (const one of foldersOf(folder)) details.prepare(folder, [one])
  expect([...(await details.packed())]).toEqual([])
  expect(await details.write([{ file: path.join(folder, 'x'), text: '' }])).toBe(false)
  expect(await pageOf(folder, details)).toEqual(await pageOf(twice(), null))
})

test('a file that can not be written in the thread is tried once more, and its error is the page’s', async () => {
  const folder = twice()
  await using details = opened()
  details.prepare(folder, foldersOf(folder))
  await details.packed()
  writeFileSync(path.join(folder, 'report.data'), '') // a file in the place of the folder
  await expect(pageOf(folder, details)).rejects.toThrow('report.data')
})

test('once it has ended nothing is held, and nothing comes', async () => {
  const folder = twice()
  const details = opened()
  details.prepare(folder, foldersOf(folder))
  expect((await details.packed()).size).toBe(ids.length)
  await details[Symbol.asyncDispose]()
  details.warmUp()
  details.prepare(folder, foldersOf(folder))
  expect((await details.packed()).size).toBe(0)
  expect(await details.compared([['a', 'b']])).toBeNull()
})

test('few runs, or no thread: none is started', () => {
  const of = { env: {} }
  expect(openDetails({ ...of, runs: enough - 1 }, thread)).toBeNull()
  expect(openDetails({ ...of, runs: enough }, new URL('none.js', thread))).toBeNull()
  expect(openDetails({ ...of, runs: enough }, null)).toBeNull()
})
