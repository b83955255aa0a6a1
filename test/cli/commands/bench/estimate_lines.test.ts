import { expect, test } from 'vitest'
import { estimateLines } from '../../../../src/cli/commands/bench/estimate_lines.ts'

test('an estimate names runs and gradings, each with its amount', () => {
  const usage = { usd: null, tokens: 10, seconds: 1 }
  const estimated = {
    workspace: 'ws',
    plan: { options: {} },
    estimate: {
      ...usage,
      arms: [{ configuration: 'with_skill', runs: 3, ...usage }],
      judge: { gradings: 3, usd: 0.5, tokens: 1 },
      ...{ from_runs: 3, done: 0, reused: 0, again: 0 },
    },
  }
  expect(estimateLines(estimated as never, 4)[1]?.trim()).toBe('3 with_skill unknown cost · 3 gradings $0.50')
})
