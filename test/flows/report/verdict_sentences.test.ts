/** Folders of graded runs, from aggregate to the headline and the exit code: designs where earlier methods said too little or too much. */
import { expect, test } from 'vitest'
import { benchExitCode } from '../../../src/cli/commands/bench/exit_code.ts'
import { aggregateAgain } from '../../../src/flows/aggregate/aggregate.ts'
import { benchmarkHeadline } from '../../../src/phases/4-report/text/headline.ts'
import { folderOf, graded } from '../../store/foreign/folder.ts'

const never = new AbortController().signal
const context = { emit: () => {}, env: {}, drain: never, signal: never, now: () => new Date('2026-01-15T10:30:00Z') }

/** Expectations met by each run of a case. */
interface GradedCase {
  met?: readonly number[]
  metWithout?: readonly number[]
}

async function report(cases: readonly GradedCase[], total: number) {
  const files = cases.flatMap(({ met = [], metWithout = [] }, at) => {
    const place = (arm: string, run: number) => `eval-${at + 1}/${arm}/run-${run + 1}/grading.json`
    return [
      ...met.map((count, run) => [place('with_skill', run), graded(count, total, 'a')] as const),
      ...metWithout.map((count, run) => [place('without_skill', run), graded(count, total, 'b')] as const),
    ]
  })
  const asked = { folder: folderOf(Object.fromEntries(files)), candidate: null, baseline: null, force: false }
  const made = await aggregateAgain({ ...asked, agentskills: null }, context)
  return { headline: benchmarkHeadline(made.benchmark), code: benchExitCode(made, []) }
}

const [four, five] = [Array<number>(4).fill(1), Array<number>(5).fill(5)]

test.each<[string, GradedCase[], number, string, number]>([
  [
    '3 cases × 5 runs × 8 expectations, every run better: helps, with a narrow interval',
    Array(3).fill({ met: [6, 7, 6, 7, 6], metWithout: five }),
    8,
    'Helps: pass rate 80% with the skill, 62% without: +18 points, 95% CI [6, 29]',
    0,
  ],
  [
    '1 case × 3 runs that all differ: too few runs',
    [{ met: [1, 1, 1], metWithout: [0, 0, 0] }],
    1,
    'it needs at least 4 runs per case and configuration.',
    0,
  ],
  [
    'no case in both configurations',
    [{ met: four }, { metWithout: [0, 0, 0, 0] }],
    1,
    'Not comparable: no case was graded in both configurations; left out: 2 cases graded in one only.',
    3,
  ],
  [
    'a case in one configuration only is left out and makes the benchmark incomplete',
    [{ met: four, metWithout: [0, 0, 0, 0] }, { met: four }],
    1,
    '(1 case × 4 runs; left out: 1 case graded in one configuration only)',
    3,
  ],
])('%s', async (_, cases, total, text, code) => {
  const found = await report(cases, total)
  expect(found.headline).toContain(text)
  expect(found.code).toBe(code)
})
