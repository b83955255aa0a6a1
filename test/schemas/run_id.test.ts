/** A plan from elsewhere can't lead out of its benchmark's folder. */
import { expect, test } from 'vitest'
import { runSpec } from '../../schemas/plan.ts'

test.each([
  ['eval-1-totals/with_skill/run-1', true],
  ['eval-1-überblick/with_skill/run-12', true],
  ['../eval-1/with_skill/run-1', false],
  ['eval-1/../../run-1', false],
  ['eval-1/..', false],
  ['/etc/run-1', false],
  ['eval-1//run-1', false],
  ['..\\run-1', false],
  ['.', false],
  ['', false],
])('run_id %j: %s', (id, fits) => expect(runSpec.shape.run_id.safeParse(id).success).toBe(fits))
