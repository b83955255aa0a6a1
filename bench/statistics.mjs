// Statistics of 10,000 cases × 3 runs in two arms, seeded.
import path from 'node:path'
import { median, report, root, timed } from './shared.mjs'

const { buildStatistics } = await import(path.join(root, 'dist/src/phases/4-report/stats/build.js'))
const [cases, each] = [10_000, 3]

/** A small generator: the same runs each time. */
let state = 1
const chance = () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return state / 2 ** 32
}
const runs = Array.from({ length: cases }, (_, at) =>
  ['with_skill', 'without_skill'].flatMap((configuration) =>
    Array.from({ length: each }, (_, run) => {
      const expectations = ['a', 'b', 'c'].map((name) => ({
        text: `The answer holds ${name}`,
        passed: chance() < (configuration === 'with_skill' ? 0.7 : 0.5),
        evidence: 'seen',
      }))
      const passed = expectations.filter((one) => one.passed).length
      const result = { pass_rate: passed / 3, passed, failed: 3 - passed, total: 3, errors: 0, skill_read: true }
      return {
        eval_id: at + 1,
        eval_name: `case ${at + 1}`,
        configuration,
        run_number: run + 1,
        result: {
          ...result,
          time_seconds: 10 + 5 * chance(),
          tokens: 1000 + Math.floor(500 * chance()),
          cost_usd: 0.01,
        },
        expectations,
        notes: [],
      }
    }),
  ),
).flat()

const arms = { candidate: 'with_skill', baseline: 'without_skill' }
const times = []
for (let round = 0; round < 3; round += 1) {
  const { ms, result } = await timed(async () => buildStatistics(runs, arms))
  if (result.scopes.these_cases.difference.n_runs !== runs.length) throw new Error('runs are missing')
  times.push(ms)
}
report({ name: `statistics of ${cases} cases × ${each}`, value: median(times) / 1000, limit: 1, unit: 's' })
