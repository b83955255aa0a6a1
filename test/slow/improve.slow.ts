/** The improve loop's gate, by the functions that its flow calls: what it takes wrongly, what it finds, what it gains beside a loop that takes any higher score. */
import { expect, test } from 'vitest'
import { candidateAlpha } from '../../src/phases/4-report/acceptance/alpha_spending.ts'
import { clopperPearson } from '../../src/phases/4-report/stats/distributions/binomial.ts'
import { createSeededRandom } from '../../src/phases/4-report/stats/distributions/seeded_random.ts'
import { sampleVariance } from '../../src/phases/4-report/stats/numbers/moments.ts'
import { design, meetGate, ourSession, type SessionEnd, streamOf, strictSession } from './improve_session.ts'
import { firstSkill, type Mix, meanOf, mixes } from './improve_world.ts'
import { printTable, share } from './table.ts'

const sessions = 2000
const points = (value: number) => (100 * value).toFixed(1)
const rate = (ends: readonly SessionEnd[], is: (end: SessionEnd) => boolean) => ends.filter(is).length / ends.length
const mean = (ends: readonly SessionEnd[], of: (end: SessionEnd) => number) => meanOf(ends.map(of))
const isFalse = ({ falseAccepts }: SessionEnd) => falseAccepts > 0

/** Upper end of the exact 95 % interval. */
const upper = (ends: readonly SessionEnd[]) => clopperPearson(ends.filter(isFalse).length, ends.length, 0.05).high

/** Ours less the other, session by session on the same skill and the same stream of proposals: the mean and its standard error. */
function leadOf(ours: readonly SessionEnd[], other: readonly SessionEnd[]): { mean: number; error: number } {
  const leads = ours.map(({ gain }, at) => gain - (other[at]?.gain ?? Number.NaN))
  return { mean: meanOf(leads), error: Math.sqrt(sampleVariance(leads) / leads.length) }
}

/** Ours, and the loop that takes any higher score with at least as many runs in each session: the same a case, fewer, and with the same proposals. */
function simulate(mix: Mix, from: number, strict: readonly number[]): Record<string, SessionEnd[]> {
  const ends: Record<string, SessionEnd[]> = {}
  const add = (label: string, end: SessionEnd) => {
    const own = ends[label] ?? []
    ends[label] = own
    own.push(end)
    return end
  }
  for (let session = 0; session < sessions; session += 1) {
    const seed = from + session
    const random = createSeededRandom(seed)
    const first = firstSkill(random)
    const edits = () => streamOf(seed, mix)
    const { runs, proposals } = add('ours', ourSession(random, { first, edits: edits(), runs: design.budget }))
    for (const each of strict) {
      add(`strict, ${each} runs a case`, strictSession(random, { first, edits: edits(), runs, each }))
    }
    if (strict.length === 0) continue
    const cost = first.validation.length * (proposals + 1)
    const each = Math.ceil(runs / cost)
    add('strict, as many proposals', strictSession(random, { first, edits: edits(), runs: cost * each, each }))
  }
  return ends
}

test.each(Object.entries(mixes))(
  '%s: at most 6 of 100 sessions take what is no better; more gain than the strict loop',
  (name, mix) => {
    const ends = simulate(mix, 100_000 * (1 + Object.keys(mixes).indexOf(name)), [10, 5, 3, 1])
    const { ours = [], 'strict, 10 runs a case': strict = [] } = ends
    const leads = Object.entries(ends).map(([label, own]) => ({ label, own, ...leadOf(ours, own) }))
    const rows = leads.map(({ label, own, mean: lead, error }) => [
      label,
      points(mean(own, ({ gain }) => gain)),
      own === ours ? '' : `${points(lead)} ± ${(100 * error).toFixed(2)}`,
      mean(own, ({ runs }) => runs).toFixed(0),
      mean(own, ({ proposals }) => proposals).toFixed(1),
      share(rate(own, isFalse)),
      share(upper(own)),
      share(rate(own, ({ harmfulAccepts }) => harmfulAccepts > 0)),
    ])
    const { helpful, null: none, harmful } = mix
    printTable(
      `Improve, ${name}: ${helpful} helpful, ${none} null, ${harmful} harmful; ${sessions} sessions`,
      [
        '',
        'true test gain, points',
        'ours leads by, ± standard error',
        'runs',
        'proposals',
        'sessions that took no gain',
        'at most',
        'that took harm',
      ],
      rows,
    )
    expect(upper(ours)).toBeLessThanOrEqual(0.06)
    for (const { own, mean: lead, error } of leads.slice(1)) {
      // no session of the other has fewer runs
      expect(own.every(({ runs }, at) => runs >= (ours[at]?.runs ?? Number.POSITIVE_INFINITY))).toBe(true)
      expect(lead - 1.96 * error).toBeGreaterThan(0)
    }
    // the control: a loop without a gate takes nothing for something
    expect(rate(strict, isFalse)).toBeGreaterThan(0.5)
  },
)

test('nothing but null edits: at most 6 of 100 sessions take one', () => {
  const { ours = [], 'strict, 1 runs a case': strict = [] } = simulate(
    { helpful: 0, null: 1, harmful: 0 },
    900_000,
    [1],
  )
  console.log(
    `\nNull edits alone: ${share(rate(ours, isFalse))} of sessions take one (at most ${share(upper(ours))}); strict ${share(rate(strict, isFalse))}\n`,
  )
  expect(upper(ours)).toBeLessThanOrEqual(0.06)
  expect(rate(strict, isFalse)).toBeGreaterThan(0.9)
})

test('at 20 validation cases × 10 runs a gain of .25 is found with power ≥ .7, as the first and as the fifth candidate', () => {
  const trials = 1000
  const rows = [0, 4].map((before) => {
    const random = createSeededRandom(950_000 + before)
    let spent = 0
    for (let at = 0; at < before; at += 1) spent += candidateAlpha({ spent, left: 5 - at })
    const alpha = candidateAlpha({ spent, left: 5 - before })
    let [won, blocks] = [0, 0]
    for (let trial = 0; trial < trials; trial += 1) {
      const incumbent = Array.from({ length: 20 }, () => 0.1 + 0.6 * random())
      const gate = meetGate(random, { candidate: incumbent.map((one) => one + 0.25), incumbent, alpha })
      won += gate.result === 'won' ? 1 : 0
      blocks += gate.blocks
    }
    expect(won / trials).toBeGreaterThanOrEqual(0.7)
    return [`candidate ${before + 1} of 5, α ${alpha.toFixed(4)}`, share(won / trials), (blocks / trials).toFixed(1)]
  })
  printTable('A gain of .25', ['', 'found', 'blocks of 10'], rows)
})
