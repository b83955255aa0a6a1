/** What a page carries of its runs: in itself failures and regressions first, the rest beside it. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { getRedactor } from '../../src/base/secrets/redact.ts'
import { writePage } from '../../src/flows/page/write_page.ts'
import { aggregate } from '../../src/phases/4-report/benchmark/aggregate.ts'
import { arm, inputOf } from '../phases/4-report/fixture.ts'
import { filling } from './filling.ts'
import { stage } from './stage.ts'
import { detailsIn, pageIn, sidecarIn } from './unpack.ts'

const secret = 'sk-live-0123456789abcdefghij'
const env = { SERVICE_TOKEN: secret }

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

/** What the page of the benchmark says of its runs, wherever it lies. */
async function pageOf(folder: string) {
  const report = path.join(folder, 'report.html')
  const folders = new Map(
    benchmark.runs.map((one, at) => {
      return [`${one.eval_id}/${one.configuration}/run-${one.run_number}`, path.join(folder, ids[at] ?? '')]
    }),
  )
  await writePage({ folder, report, benchmark, prompts: null, folders, redactor: getRedactor(env) })
  const html = readFileSync(report, 'utf8')
  const data = path.join(folder, 'report.data')
  const beside = existsSync(data) ? readdirSync(data).filter((name) => name.endsWith('.js')) : []
  const said = beside.sort().map((name) => [name, sidecarIn(readFileSync(path.join(data, name), 'utf8'))])
  const { detail, before } = pageIn(html).runs
  return { inside: detailsIn(html), beside: Object.fromEntries(said), detail, before }
}

test('a run that was taken from the iteration before is carried once', async () => {
  const { detail, before, beside } = await pageOf(twice())
  expect(detail).toContain(2) // not all of them have room in the page
  expect(before).toEqual(ids.map((_, at) => (at === ids.length - 1 ? 2 : 3)))
  expect(Object.keys(beside).filter((name) => name.startsWith('before-'))).toHaveLength(1)
})

test('credentials of the user are kept out, in the page and beside it', async () => {
  const { inside, beside } = await pageOf(twice())
  const all = JSON.stringify([inside, beside])
  expect(all).not.toContain(secret)
  expect(all.split('[redacted:SERVICE_TOKEN]')).toHaveLength(ids.length + 1)
})

test('a file in the place of report.data is an error that names it', async () => {
  const folder = twice()
  writeFileSync(path.join(folder, 'report.data'), '')
  await expect(pageOf(folder)).rejects.toThrow('report.data')
})

/** Failures and regressions are in the page first. */
const both = aggregate(
  inputOf([
    ...arm(1, 'with_skill', ['++', '++', '+-']),
    ...arm(1, 'without_skill', ['+-', '--', '--']),
    ...arm(2, 'with_skill', ['--', '--', '--']),
    ...arm(2, 'without_skill', ['++', '++', '++']),
  ]),
)
const runs = both.runs.map(({ eval_id, configuration, run_number }, index) => ({
  eval_id,
  configuration,
  run_number,
  outputs: { 'big.txt': filling(index) },
}))

test('a small benchmark is one file', async () => {
  const { folder, report } = await stage({
    benchmark: both,
    runs: runs.map((run) => ({ ...run, outputs: { a: 'b' } })),
  })
  expect(existsSync(path.join(folder, 'report.data'))).toBe(false)
  expect(detailsIn(readFileSync(report, 'utf8'))).toHaveLength(12)
})

test('what does not fit lies beside the page, the regressed case never; it is written again only when its run has changed', async () => {
  const { folder, report, again } = await stage({ benchmark: both, runs })
  const { runs: columns, cases } = pageIn(readFileSync(report, 'utf8'))
  const placed = (place: number) => columns.detail.flatMap((one, index) => (one === place ? [index] : []))
  expect(placed(0)).toEqual([])
  expect(placed(1).length).toBeGreaterThan(0)
  expect(new Set(placed(1).map((index) => cases[columns.case[index] ?? -1]?.eval_id))).toEqual(new Set([2]))
  const names = readdirSync(path.join(folder, 'report.data')).filter((name) => name.endsWith('.js'))
  expect(names).toHaveLength(placed(2).length)
  const read = sidecarIn(readFileSync(path.join(folder, 'report.data', names[0] ?? ''), 'utf8'))
  expect(read).toMatchObject({ outputs: [{ path: 'big.txt', bytes: 100_000, as: 'text' }] })
  const written = () => names.map((name) => statSync(path.join(folder, 'report.data', name)).mtimeMs)
  const before = written()
  await again()
  expect(written()).toEqual(before)
  await again({ eval_id: 1, configuration: 'with_skill', run_number: 1, outputs: { 'big.txt': filling(99) } })
  expect(written().filter((time, index) => time !== before[index])).toHaveLength(1)
})

test('--single-file: nothing lies beside it', async () => {
  const { folder, report } = await stage({ benchmark: both, runs, singleFile: true })
  expect(existsSync(path.join(folder, 'report.data'))).toBe(false)
  expect(detailsIn(readFileSync(report, 'utf8'))).toHaveLength(12)
})
