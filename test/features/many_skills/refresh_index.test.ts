/** A benchmark that is written again renews its row in each index above it, and in no other. */
import path from 'node:path'
import { expect, test } from 'vitest'
import { benchmarkIndex } from '../../../schemas/benchmark_index.ts'
import { readJson } from '../../../src/base/json/json.ts'
import { indexSteps } from '../../../src/features/many_skills/update_index.ts'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { folderOf } from '../../phases/1-plan/folder.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'

const signal = new AbortController().signal
const context = { emit: () => {}, env: {}, drain: signal, signal, now: () => new Date() }
const benchmark = aggregate(inputOf([...arm(1, 'with_skill', ['+']), ...arm(1, 'without_skill', ['-'])]))

const name = '2026-01-15T10-30-00'
const row = (folder: string) => ({
  ...{ skill: 'sums', cell: null, status: 'incomplete', error: null, folder, report: null, headline: null },
  ...{ incomplete: 'one run', candidate: null, baseline: null, delta: null, lift: null },
})
const indexText = (folder: string) =>
  JSON.stringify({
    schema_version: 1,
    created_at: '2026-01-15T10:30:00.000Z',
    judge: null,
    alpha: 0.05,
    rows: [row(folder)],
  })

test.each([
  ['its workspace', 'all/sums', `benchmarks/${name}`, true],
  ['a folder of workspaces, or a matrix', 'all', `sums/benchmarks/${name}`, true],
  ['the workspaces of matrices', '.', `all/sums/benchmarks/${name}`, true],
  ['control: another benchmark', 'all', `sums/benchmarks/${name}-2`, false],
])('%s', async (_, place, folder, isRenewed) => {
  const root = folderOf({ [path.join(place, 'index.json')]: indexText(folder) })
  await indexSteps.refreshParentIndexes(path.join(root, 'all/sums/benchmarks', name), benchmark, context)
  const { rows } = await readJson(benchmarkIndex, path.join(root, place, 'index.json'))
  expect(rows.map(({ headline }) => headline !== null)).toEqual([isRenewed])
})
