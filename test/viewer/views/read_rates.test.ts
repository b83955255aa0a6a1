/** The cells of the grid of skills that are read: own queries, those of others, and no skill. */
import { expect, test } from 'vitest'
import { type TriggerMatrix, triggerMatrix } from '../../../schemas/trigger_matrix.ts'
import { findReadRate, meanUnreadRate } from '../../../viewer/views/triggers/read_rates.ts'
import { matrixFile } from '../skill_matrix.ts'

const matrix = triggerMatrix.parse(JSON.parse(matrixFile((text) => text)))

/** A row per skill with queries: the read rate of every skill, and of none. */
function gridOf(of: TriggerMatrix) {
  return of.skills.map((skill) => [
    ...of.skills.map(({ name }) => findReadRate(of, skill, name)),
    meanUnreadRate(of.queries, skill.name),
  ])
}

test('the diagonal is the recall, other cells are the rates of the pairs', () => {
  expect(gridOf(matrix)).toEqual([
    [0.5, 0.5, 0, 0, 0],
    [0, 1, 0, 0, 0],
    [0, 0, 1, 0, 0],
    [null, null, null, null, null],
  ])
})

test('runs that read no skill have a column of their own, in which every query weighs the same', () => {
  const [one, two, ...others] = matrix.queries
  if (one === undefined || two === undefined) throw new Error('none')
  const half = { ...one, runs: 4, reads: [{ skill: null, runs: 1 }] }
  expect(meanUnreadRate([half, { ...two, reads: [{ skill: null, runs: 2 }] }, ...others], 'invoices')).toBe(0.625)
  // a query without an answer is in no rate
  expect(meanUnreadRate([half, { ...two, runs: 0, reads: [] }], 'invoices')).toBe(0.25)
})
