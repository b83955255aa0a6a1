/** The promises of `improve`, on simulated sessions that run its own functions: what it ships wrongly, and what it gains next to other loops. */
import path from 'node:path'
import { expect, test } from 'vitest'
import { printTable } from './table.ts'

const scripts = path.join(import.meta.dirname, '../../scripts/evidence/improve')
const load = (name: string) => import(path.join(scripts, `${name}.mjs`))
const { hillclimb, skillOpt, strictGreater } = await load('opponents')
const { editsAtOnce, extraWorlds } = await load('parameters')
const { settings } = await load('report')
const { playCell } = await load('tournament')
const { playWhetstone } = await load('whetstone')

interface Setting {
  name: string
  proposer: string
}

interface Ends {
  gain: number
  worse: number
  noBetter: number
  nothing: number
}

/** Per world and proposer. Other sessions than those of the docs, and than those that the numbers were chosen on. */
const sessions = 100
const from = 3000
const cell = { budget: 250, cases: 18 }
const averaged: Setting[] = settings.filter(({ name }: Setting) => !extraWorlds.includes(name))
const harmless: Setting[] = settings.filter(({ name }: Setting) => name === 'nothing helps')

/** The means over the settings. */
async function playAll(all: readonly Setting[], play: (session: object) => unknown, lane: number, atOnce: number) {
  const ends: Ends[] = []
  for (const setting of all) ends.push(await playCell({ ...setting, ...cell }, { play, lane, atOnce }, sessions, from))
  const mean = (name: keyof Ends) => ends.reduce((sum, end) => sum + end[name], 0) / ends.length
  return { gain: mean('gain'), worse: mean('worse'), noBetter: mean('noBetter'), nothing: mean('nothing') }
}

const whetstone = (session: object) => playWhetstone(session)
const uncertified = (session: object) => playWhetstone(session, () => true)
const percent = (share: number) => `${(100 * share).toFixed(1)}%`

test('ships hardly anything worse or no better, and gains at least .7 of the best other loop', async () => {
  const ours = await playAll(averaged, whetstone, 20, editsAtOnce)
  const control = await playAll(averaged, uncertified, 20, editsAtOnce)
  const others: Record<string, Ends> = {}
  for (const [at, [name, play]] of Object.entries({ strictGreater, hillclimb, skillOpt }).entries()) {
    others[name] = await playAll(averaged, play, at + 1, 1)
    others[`${name}, ${editsAtOnce} edits`] = await playAll(averaged, play, at + 11, editsAtOnce)
  }
  printTable(
    `Improve, ${cell.budget} runs, ${cell.cases} cases, ${sessions} sessions in each of ${averaged.length} settings`,
    ['loop', 'true gain, points', 'worse than v0', 'not better', 'nothing'],
    Object.entries({ whetstone: ours, 'without the certification': control, ...others }).map(([name, end]) => [
      name,
      (100 * end.gain).toFixed(1),
      ...[end.worse, end.noBetter, end.nothing].map(percent),
    ]),
  )
  expect(ours.worse).toBeLessThanOrEqual(0.01)
  expect(ours.noBetter).toBeLessThanOrEqual(0.05)
  expect(ours.gain).toBeGreaterThanOrEqual(0.7 * Math.max(...Object.values(others).map(({ gain }) => gain)))
  // without the certification the first promise is broken
  expect(control.worse).toBeGreaterThan(0.02)
})

test('where no edit helps, at most 5 of 100 sessions ship one; without the certification most do', async () => {
  const shipped = async (play: (session: object) => unknown) =>
    1 - (await playAll(harmless, play, 20, editsAtOnce)).nothing
  const [ours, control] = [await shipped(whetstone), await shipped(uncertified)]
  console.log(`\nNothing helps: ${percent(ours)} of the sessions ship something; ${percent(control)} uncertified\n`)
  expect(ours).toBeLessThanOrEqual(0.05)
  expect(control).toBeGreaterThan(0.5)
})
