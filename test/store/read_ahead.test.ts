/** What a thread reads ahead of many runs is what whoever needs it would read itself. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { type RunAhead, readAhead } from '../../src/store/read_ahead.ts'

const thread = new URL('../../dist/src/store/read_thread.js', import.meta.url)
const fresh = () => mkdtempSync(path.join(tmpdir(), 'ahead-'))
const most = 'x'.repeat(256 * 1024)
const runs = Array.from({ length: 2500 }, (_, at) => ({ run_id: `case/arm/run-${at}` }))
const unread: RunAhead = { record: undefined, grading: undefined, again: true }

/** What lies of some runs, and what is read of it; of all others nothing is there. */
const cases: { run: number; files: Record<string, string | Buffer>; ahead: RunAhead }[] = [
  { run: 0, files: { 'run.json': '{}' }, ahead: unread },
  { run: 511, files: { 'run.json': '{}' }, ahead: unread },
  { run: 512, files: { 'run.json': '{"a":1}' }, ahead: { record: '{"a":1}', grading: null, again: false } },
  {
    run: 700,
    files: { 'run.json': '{"a":"ü€😀"}', 'grading.json': '\uFEFF{}', 'grading-again-1.json': '{}' },
    ahead: { record: '{"a":"ü€😀"}', grading: '\uFEFF{}', again: true },
  },
  { run: 701, files: { 'grading.json': '{}' }, ahead: { record: null, grading: '{}', again: false } },
  { run: 702, files: { 'run.json': '' }, ahead: { record: '', grading: null, again: false } },
  {
    run: 703,
    files: { 'run.json': `${most}x`, 'grading.json': most },
    ahead: { record: undefined, grading: most, again: false },
  },
  {
    run: 704,
    files: { 'run.json/of a folder': '', 'grading.json': Buffer.from([0x22, 0xff, 0x22]) },
    ahead: { record: undefined, grading: '"\uFFFD"', again: false },
  },
  { run: 2499, files: { 'grading.json': '{"last":1}' }, ahead: { record: null, grading: '{"last":1}', again: false } },
]

function benchmark(): string {
  const folder = fresh()
  for (const { run, files } of cases) {
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(folder, runs[run]?.run_id ?? '', name)
      mkdirSync(path.dirname(file), { recursive: true })
      writeFileSync(file, text)
    }
  }
  return folder
}

async function readAll(program: URL | null, many = runs) {
  const taken: [string, RunAhead][] = []
  await readAhead(benchmark(), many, ({ run_id }, ahead) => taken.push([run_id, ahead]), program)
  return taken
}

test('every run is taken once, in order, with what lies there byte for byte; what is large or no file is left', async () => {
  const absent: RunAhead = { record: null, grading: null, again: false }
  const known = new Map(cases.map(({ run, ahead }) => [run, ahead]))
  expect(await readAll(thread)).toEqual(
    runs.map(({ run_id }, at) => [run_id, known.get(at) ?? (at < 512 ? unread : absent)]),
  )
})
test.each([
  ['that breaks when it starts', "throw new Error('of the thread')"],
  [
    'that breaks at its second task',
    `import { parentPort } from 'node:worker_threads'
     import { readRunBytes } from '${new URL('../../dist/src/store/run_bytes.js', import.meta.url)}'
     let tasks = 0
     parentPort.on('message', (wanted) => {
       tasks += 1
       if (tasks === 2) process.exit(1)
       parentPort.postMessage(readRunBytes(wanted))
     })`,
  ],
  ['that is not there', null],
])('a thread %s is done without: nothing is lost', async (_what, text) => {
  const file = path.join(fresh(), 'thread.mjs')
  if (text !== null) writeFileSync(file, text)
  const taken = await readAll(pathToFileURL(file))
  expect(taken.map(([id]) => id)).toEqual(runs.map(({ run_id }) => run_id))
  expect(taken.at(-1)?.[1]).toEqual(unread)
})
test('few are left to whoever asks, and so are all where there is no thread', async () => {
  expect((await readAll(thread, runs.slice(0, 1999))).every(([, ahead]) => ahead.record === undefined)).toBe(true)
  expect((await readAll(null)).every(([, ahead]) => ahead.record === undefined)).toBe(true)
})
test('what is thrown by who takes ends the reading', async () => {
  const late = ({ run_id }: { run_id: string }) => {
    if (run_id.endsWith('-1000')) throw new Error('no more')
  }
  await expect(readAhead(benchmark(), runs, late, thread)).rejects.toThrow('no more')
})
