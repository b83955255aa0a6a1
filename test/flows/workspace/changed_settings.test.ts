/** A resumed session has the settings of its start; what differs is named by its flag. */
import { expect, test } from 'vitest'
import { refuseChangedSettings } from '../../../src/flows/workspace/changed_settings.ts'

const start = {
  engine: 'anthropic',
  seed: 1,
  timeoutSeconds: 300,
  totalRuns: 250,
  certifyJudge: null,
  margins: { cost: 1 },
}

test.each([
  [{ seed: 2 }, '--resume: --seed is different from the start of the session'],
  [{ timeoutSeconds: 9 }, '--resume: --timeout is different'],
  [{ totalRuns: 9, certifyJudge: 'openai' }, '--resume: --total-runs, --certify-judge are different'],
  [{ margins: { cost: 2 } }, '--resume: --max-cost-increase, --max-time-increase or --max-loss is different'],
  [{ engine: undefined }, '--resume: --engine is different'],
])('%j', (changes, message) => {
  expect(() => refuseChangedSettings('session', start, { ...start, ...changes })).toThrow(message)
})

test('negative control: the same settings pass, also where the start had more', () => {
  refuseChangedSettings('session', { ...start, old: true }, { ...start, proposer: null })
})
