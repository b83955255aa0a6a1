/** What lies in the page and what beside it: failures and regressions first, the rest in files that are written once. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { aggregate } from '../../src/phases/4-report/benchmark/aggregate.ts'
import { arm, inputOf } from '../phases/4-report/fixture.ts'
import { filling } from './filling.ts'
import { stage } from './stage.ts'
import { detailsIn, pageIn, sidecarIn } from './unpack.ts'

const benchmark = aggregate(
  inputOf([
    ...arm(1, 'with_skill', ['++', '++', '+-']),
    ...arm(1, 'without_skill', ['+-', '--', '--']),
    ...arm(2, 'with_skill', ['--', '--', '--']),
    ...arm(2, 'without_skill', ['++', '++', '++']),
  ]),
)
const runs = benchmark.runs.map(({ eval_id, configuration, run_number }, index) => ({
  eval_id,
  configuration,
  run_number,
  outputs: { 'big.txt': filling(index) },
}))

test('a small benchmark is one file', async () => {
  const { folder, report } = await stage({ benchmark, runs: runs.map((run) => ({ ...run, outputs: { a: 'b' } })) })
  expect(existsSync(path.join(folder, 'report.data'))).toBe(false)
  expect(detailsIn(readFileSync(report, 'utf8'))).toHaveLength(12)
})

test('what does not fit lies beside the page, the regressed case never', async () => {
  const { folder, report } = await stage({ benchmark, runs })
  const { runs: columns, cases } = pageIn(readFileSync(report, 'utf8'))
  const placed = (place: number) => columns.detail.flatMap((one, index) => (one === place ? [index] : []))
  expect(placed(0)).toEqual([])
  expect(placed(1).length).toBeGreaterThan(0)
  expect(new Set(placed(1).map((index) => cases[columns.case[index] ?? -1]?.eval_id))).toEqual(new Set([2]))
  const names = readdirSync(path.join(folder, 'report.data')).filter((name) => name.endsWith('.js'))
  expect(names).toHaveLength(placed(2).length)
  const read = sidecarIn(readFileSync(path.join(folder, 'report.data', names[0] ?? ''), 'utf8'))
  expect(read).toMatchObject({ outputs: [{ path: 'big.txt', bytes: 100_000, as: 'text' }] })
})

test('--single-file: nothing lies beside it', async () => {
  const { folder, report } = await stage({ benchmark, runs, singleFile: true })
  expect(existsSync(path.join(folder, 'report.data'))).toBe(false)
  expect(detailsIn(readFileSync(report, 'utf8'))).toHaveLength(12)
})

test('a file beside the page is written again only when its run has changed', async () => {
  const { folder, again } = await stage({ benchmark, runs })
  const file = (name: string) => path.join(folder, 'report.data', name)
  const names = readdirSync(file('.')).filter((name) => name.endsWith('.js'))
  const written = () => names.map((name) => statSync(file(name)).mtimeMs)
  const before = written()
  await again()
  expect(written()).toEqual(before)
  await again({ eval_id: 1, configuration: 'with_skill', run_number: 1, outputs: { 'big.txt': filling(99) } })
  expect(written().filter((time, index) => time !== before[index])).toHaveLength(1)
})
