/** `npm run evidence:improve`: the simulated world does what its parameters say, every loop keeps its budget, and the tables repeat. */
import { spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { folderOf } from '../phases/1-plan/folder.ts'

const scripts = path.join(import.meta.dirname, '../../scripts')
const load = (name: string) => import(path.join(scripts, `evidence/improve/${name}.mjs`))
const { chanceOf, createWorld, drawEdit, trueGain } = await load('world')
const { createSession } = await load('session')
const { hillclimb, skillOpt, strictGreater } = await load('opponents')
const { certifiedShare } = await load('cheaper')
const { cheaperSkills } = await load('parameters')
const { playCell } = await load('tournament')
const { startGepa } = await load('gepa')
const { playWhetstone } = await load('whetstone')

const whetstone = (session: object) => playWhetstone(session)

const worldOf = (name: string, { cases = 8, seed = 7, proposer = 'does not learn' } = {}) =>
  createWorld({ name, cases, proposer, seed })

/** The first proposals of this kind in a world, made from runs of the cases 0 and 1. */
function editsOf(world: object, kind: string, count = 1) {
  const all = Array.from({ length: 200 }, (_, index) => drawEdit(world, { index, seen: [0, 1], failed: 2 }))
  return all.filter((edit) => edit.kind === kind).slice(0, count)
}

/** By how many points the first edit of a kind changes each case, truly and for the first judge. */
function changesOf(name: string, kind: string) {
  const world = worldOf(name)
  const edits = editsOf(world, kind)
  const changes = world.suite.map((one: object) => {
    const [before, after] = [chanceOf(world, [], one), chanceOf(world, edits, one)]
    return { real: Math.sign(after.real - before.real), graded: Math.sign(after.graded - before.graded) }
  })
  const of = (side: 'real' | 'graded') => changes.map((one: Record<string, number>) => one[side]).join(' ')
  return { real: of('real'), graded: of('graded'), gain: Math.sign(trueGain(world, edits)) }
}

const [up, same, down] = ['1 1 1 1 1 1 1 1', '0 0 0 0 0 0 0 0', '-1 -1 -1 -1 -1 -1 -1 -1']

test.each([
  ['plain', 'helpful', { real: up, graded: up, gain: 1 }],
  ['plain', 'none', { real: same, graded: same, gain: 0 }],
  ['plain', 'harmful', { real: down, graded: down, gain: -1 }],
  ['training only', 'trick', { real: '1 1 0 0 0 0 0 0', graded: '1 1 0 0 0 0 0 0', gain: 0 }],
  ['judge only', 'trick', { real: same, graded: up, gain: 0 }],
  ['some break it', 'trick', { real: down, graded: down, gain: -1 }],
])('in the world %s, an edit that is %s changes what it should', (name, kind, wanted) => {
  expect(changesOf(name, kind)).toEqual(wanted)
})

test('edits interact in their own world only', () => {
  const sum = (name: string) => {
    const world = worldOf(name)
    const pairs = editsOf(world, 'helpful', 12)
    const alone = (edits: object[]) => chanceOf(world, edits, { id: 0, chance: 0.1, kind: 0 }).real - 0.1
    return pairs.slice(1).map((edit, at) => alone([pairs[at], edit]) - alone([pairs[at]]) - alone([edit]))
  }
  const isApart = (value: number) => Math.abs(value) > 0.05
  expect(sum('interacting').filter(isApart).length).toBeGreaterThan(2)
  expect(sum('plain').filter(isApart)).toEqual([])
})

const loops = { whetstone, strictGreater, hillclimb, skillOpt }

test.each(Object.entries(loops))('%s never runs more than its budget, whatever the size', (_, play) => {
  for (const cases of [2, 3, 4, 8, 18, 40]) {
    for (const budget of [1, 10, 60, 250]) {
      const session = createSession(worldOf('plain', { cases }), { budget, lane: 1, atOnce: 4 })
      play(session)
      expect(session.counts.runs).toBeLessThanOrEqual(budget)
    }
  }
})

test('a gain that other cases pay for is not certified; by the runs alone it would be', async () => {
  const cell = { name: 'mostly hurts', proposer: 'does not learn', cases: 8, budget: 250 }
  const worse = async (play: unknown) => (await playCell(cell, { play, lane: 3, atOnce: 4 }, 200)).worse
  expect(await worse(whetstone)).toBeLessThanOrEqual(0.01)
  const byRuns = ({ p_value: p, alpha }: { p_value: number; alpha: number }) => p <= alpha
  expect(await worse((session: object) => playWhetstone(session, byRuns))).toBeGreaterThan(0.03)
})

test('goal cheaper: a true loss of the margin is certified in at most 5%, a true saving without loss far more often', () => {
  const share = (loss: number, saved: number) =>
    certifiedShare({ budget: 1200, cases: 18, skill: cheaperSkills['passes 25 to 85%'], loss, saved }, 200)
  expect(share(0.1, 0.2)).toBeLessThanOrEqual(0.08)
  expect(share(0, 0)).toBeLessThanOrEqual(0.08)
  expect(share(0, 0.2)).toBeGreaterThan(0.5)
})

/** Speaks the lines of gepa_bridge.py: scores v0, asks for one edit, scores it on case 1 and ships it. */
const standIn = `#!${process.execPath}
const lines = require('node:readline').createInterface({ input: process.stdin })
const say = (value) => console.log(JSON.stringify(value))
let step = 0
lines.on('line', (line) => {
  step += 1
  if (step === 1) say({ evaluate: { edits: [], cases: JSON.parse(line).train } })
  if (step === 2) say({ propose: { seen: [0, 1], failed: 1 } })
  if (step === 3) say({ evaluate: { edits: JSON.parse(line), cases: [1] } })
  if (step === 4) say({ ships: [0] })
})
`

test('GEPA is asked line by line: its runs and proposals are counted, and what it returns ships', async () => {
  const python = path.join(folderOf({ python: standIn }), 'python')
  chmodSync(python, 0o755)
  const gepa = startGepa(python)
  const session = createSession(worldOf('plain'), { budget: 60, lane: 5 })
  const edits = await gepa.play(session)
  expect(edits.map(({ id }: { id: number }) => id)).toEqual([0])
  expect(session.counts).toEqual({ runs: 5, proposals: 1, edits: 1 })
  gepa.close()
})

const run = (...flags: string[]) =>
  spawnSync(process.execPath, [path.join(scripts, 'evidence_improve.mjs'), ...flags], { encoding: 'utf8' })

test('prints one row a loop for each budget and size, and the same again', () => {
  const flags = ['--sessions', '2', '--budget', '60', '--cases', '4,8', '--worlds']
  const { status, stdout, stderr } = run(...flags)
  expect(stderr).toBe('')
  expect(status).toBe(0)
  for (const cases of [4, 8]) expect(stdout).toMatch(new RegExp(`^\\| 60 runs, ${cases} cases +\\| +true gain`, 'm'))
  expect(stdout).toMatch(
    /^\| strict greater, 4 edits a proposal +\| +−?\d+\.\d ± \d+\.\d \| +\d+\.\d% \|.* \d\.\d\d \| +\d+\.\d% \|$/m,
  )
  expect(stdout).toMatch(/^\| SkillOpt's gate +\| +judge only \| +learns \|/m)
  expect(run(...flags).stdout).toBe(stdout)
})

test('refuses what is not a number, and a Python without GEPA, with exit 2', () => {
  expect(run('--sessions', '1', '--budget', '60', '--cases', '4', '--gepa', 'no-such-python')).toMatchObject({
    status: 2,
    stderr: 'error: --gepa: "no-such-python" ended early: it must be a Python in which `import gepa` works\n',
  })
  expect(run('--budget', '60,many')).toMatchObject({
    status: 2,
    stderr: 'error: --budget: expected whole numbers above 0, separated by commas, got "60,many"\n',
  })
  expect(run('--goal', 'faster')).toMatchObject({
    status: 2,
    stderr: 'error: --goal: expected "better" or "cheaper", got "faster"\n',
  })
})
