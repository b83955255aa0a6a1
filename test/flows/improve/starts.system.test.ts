/** Where a session of `improve` begins: a refused start changes nothing, what an earlier session left is of no use to the next, and a version that was lost is told. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { runRecord } from '../../../schemas/run.ts'
import { UserError } from '../../../src/base/errors/error.ts'
import { listPlainFiles } from '../../../src/base/fs/files.ts'
import { findNameClash } from '../../../src/flows/improve/propose/candidate.ts'
import { broken, mended, mends, openWorld, proposer } from '../../e2e/improve/improving.ts'
import { fresh } from '../../e2e/program.ts'
import { improveHere, judgedSuite, judges } from './in_process.ts'
import { openSmallSession } from './small_session.ts'

const idle = proposer('says please', { command: 'echo "Please add with care." >> adder/SKILL.md' })
/** Nothing is left to gain: such a session ends after v0's runs on training cases. */
const solved = () => openWorld(mends, 4, { 'scripts/add.sh': mended })
const scriptOf = (folder: string) => readFileSync(path.join(folder, 'scripts/add.sh'), 'utf8')

test('versions and proposals without a history belong to no session: they are archived, not used', async () => {
  await using world = await solved()
  const { workspace } = world
  const left = path.join(workspace, 'versions/v0')
  cpSync(world.skill, left, { recursive: true })
  writeFileSync(path.join(left, 'scripts/add.sh'), broken)
  mkdirSync(path.join(workspace, 'proposals/1-1'), { recursive: true })
  const { history, told } = await improveHere(world, { totalRuns: 12 })
  expect(history.stopped?.reason).toBe('solved')
  expect(scriptOf(left)).toBe(mended)
  const [name = ''] = readdirSync(path.join(workspace, 'sessions'))
  expect(scriptOf(path.join(workspace, 'sessions', name, 'versions/v0'))).toBe(broken)
  expect(existsSync(path.join(workspace, 'sessions', name, 'proposals/1-1'))).toBe(true)
  expect(told).toContainEqual(expect.stringMatching(/what an earlier session left there is now in sessions\//))
})

test('the history of an earlier release: --resume refuses it, and a new session moves it', async () => {
  await using world = await solved()
  mkdirSync(world.workspace, { recursive: true })
  const file = path.join(world.workspace, 'history.json')
  writeFileSync(file, '{"schema_version":1,"started_at":"2026-01-01T00:00:00Z","iterations":[]}')
  await expect(improveHere(world, { resume: true })).rejects.toMatchObject({
    message: `${file}: a session of an earlier release of Whetstone`,
    fix: 'remove --resume: a new session moves it to sessions/',
  })
  const { told, history } = await improveHere(world, { totalRuns: 12 })
  expect(told).toContainEqual(expect.stringMatching(/^what an earlier session left there is now in sessions\//))
  expect(history).toMatchObject({ schema_version: 2, stopped: { reason: 'solved' } })
})

test('an unfinished session with a version that changed or is gone is refused by name', async () => {
  await using world = await openWorld(idle, 4)
  const wish = { totalRuns: 12, limits: { budgetTokens: 500 } }
  expect((await improveHere(world, wish)).history).toMatchObject({ rounds: [], stopped: { reason: 'budget' } })
  const first = path.join(world.workspace, 'versions/v0')
  writeFileSync(path.join(first, 'scripts/add.sh'), mended)
  const before = world.requests
  const again = { ...wish, resume: true }
  await expect(improveHere(world, again)).rejects.toThrow(/versions\/v0: (it has )?changed since/)
  renameSync(first, `${first}-away`)
  await expect(improveHere(world, again)).rejects.toThrow(/versions\/v0: it is gone/)
  renameSync(`${first}-away`, first)
  writeFileSync(path.join(first, 'scripts/add.sh'), broken)
  expect(world.requests).toBe(before)

  writeFileSync(path.join(world.skill, 'scripts/add.sh'), mended)
  const { told } = await improveHere(world, again)
  expect(told[0]).toMatch(/the skill has changed since this session was started: v0 stays what it was then/)
})

test('a start that is refused leaves no workspace behind, nor the folders above it', async () => {
  await using world = await solved()
  const workspace = path.join(world.workspace, 'deep/er')
  const refused = improveHere({ ...world, skill: world.skill, env: world.env, workspace }, { proposer: 'nosuch:x' })
  await expect(refused).rejects.toThrow(UserError)
  expect(existsSync(world.workspace)).toBe(false)
})

test('a --proposer that is no engine is refused before anybody is asked', async () => {
  await using world = await solved()
  const refused = improveHere(world, { proposer: 'openai:gpt-5,nosuch:x' })
  await expect(refused).rejects.toThrow(/--proposer "nosuch:x": unknown engine "nosuch"$/)
  expect(world.requests).toBe(0)
})

test.each([
  ['anthropic:opus', true],
  ['anthropic:practice-1', false],
])('stopped in the first runs on %s: what was paid is counted where it is known (%s)', async (engine, isKnown) => {
  await using world = await openWorld(idle, 4)
  const { history } = await improveHere(world, { engine, limits: { budgetTokens: 500 } })
  expect([history.ended_at, history.rounds]).toEqual([undefined, []])
  const records = listPlainFiles(world.workspace).filter((file) => path.basename(file) === 'run.json')
  const costs = records.map((file) => runRecord.parse(JSON.parse(readFileSync(file, 'utf8'))).cost?.usd ?? null)
  expect(costs.length).toBeGreaterThan(0)
  if (isKnown) {
    expect(history.benchmarks_usd).toBeGreaterThan(0)
    const sum = costs.reduce<number>((all, usd) => all + (usd ?? 0), 0)
    expect(history.benchmarks_usd).toBeCloseTo(sum, 6)
    expect(history.benchmarks_unknown).toBe(0)
  } else {
    expect(costs.every((usd) => usd === null)).toBe(true)
    expect(history).toMatchObject({ benchmarks_usd: null, benchmarks_unknown: costs.length })
  }
})

test('a proposer of unknown cost is refused under a budget; --cost-per-run covers it', async () => {
  await using world = await solved()
  const [engine, proposer] = ['anthropic:opus', 'command:true']
  const wish = { engine, proposer, totalRuns: 12 }
  const refused = improveHere(world, { ...wish, limits: { budget: 100 } })
  await expect(refused).rejects.toMatchObject({
    message: '--budget: the cost of command is unknown',
    fix: expect.stringContaining('--cost-per-run'),
  })
  expect([world.requests, existsSync(world.workspace)]).toEqual([0, false])
  const { history } = await improveHere(world, { ...wish, limits: { budget: 100, costPerRun: 1 } })
  expect(history).toMatchObject({ stopped: { reason: 'solved' } })
})

test('runs and proposals of unknown cost count as --cost-per-run, in a resumed session too', async () => {
  await using world = await openWorld(idle, 4)
  const countRuns = () =>
    listPlainFiles(world.workspace).filter((file) => /\/searches\/.*\/run\.json$/.test(file)).length
  // half is for the search: the shown run, three proposals, and 2 of the 10 runs of mixes
  const limits = { budget: 12.5, costPerRun: 1 }
  const wish = { totalRuns: 24, limits }
  const { history } = await improveHere(world, wish)
  expect([history.stopped?.reason, history.rounds?.length, countRuns()]).toEqual(['budget', 0, 3])
  const again = await improveHere(world, { ...wish, resume: true })
  expect([again.history.stopped?.reason, countRuns()]).toEqual(['budget', 3])
})

test('a proposal starts only while the budget of the search is not used up', async () => {
  await using world = await openWorld(idle, 4)
  const proposals = () => readdirSync(path.join(world.workspace, 'proposals'))
  // half is for the search: the shown run and a part of a proposal; without a sandbox proposers work one by one
  const wish = { totalRuns: 24, limits: { budgetTokens: 7000 } }
  const { history } = await improveHere(world, wish)
  expect([history.stopped?.reason, proposals()]).toEqual(['budget', ['1-1']])
  const again = await improveHere(world, { ...wish, resume: true })
  expect([again.history.stopped?.reason, proposals()]).toEqual(['budget', ['1-1']])
})

test('checks alone are to decide, and no held-out case has one: refused before anything runs', async () => {
  await using world = await openWorld(judges + mends, 6, judgedSuite(6))
  await expect(improveHere(world, { totalRuns: 24, certifyJudge: 'none' })).rejects.toMatchObject({
    message: '--certify-judge none: no held-out case has a check, so nothing could decide',
    fix: 'add checks to the cases, or name another judge',
  })
  expect([world.requests, existsSync(world.workspace)]).toEqual([0, false])
})

test('refused, without a workspace: agents would read instructions above their working folders', async () => {
  const above = fresh()
  const TMPDIR = path.join(above, 'tmp')
  mkdirSync(TMPDIR)
  writeFileSync(path.join(above, 'CLAUDE.md'), 'Be brief.')
  await using world = await openSmallSession({ engine: 'command:true', env: { TMPDIR } })
  const { code, stderr } = await world.improve('--proposer', 'anthropic:practice-1')
  expect([code, stderr, existsSync(world.workspace)]).toEqual([
    2,
    expect.stringMatching(/agents that work below .* read it/),
    false,
  ])
})

test.each([
  [['SKILL.md', 'skill.md'], ['skill.md'], 'skill.md and SKILL.md'],
  [['SKILL.md', 'skill.md'], [], null],
  [['a.md', 'b/a.md'], ['a.md'], null],
])('files %j of which %j are changed: names that differ in case only are %j', (names, changed, alike) => {
  expect(findNameClash(names, changed)).toBe(alike)
})
