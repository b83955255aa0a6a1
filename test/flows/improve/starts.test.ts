/** Where a session of `improve` begins: a refused start changes nothing, what an earlier session left is of no use to the next, and a version that was lost is told. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { runRecord } from '../../../schemas/run.ts'
import { UserError } from '../../../src/base/errors/error.ts'
import { listPlainFiles } from '../../../src/base/fs/files.ts'
import { findNameClash } from '../../../src/flows/improve/propose/candidate.ts'
import { parseQueueAddress } from '../../../src/jobs/queue/address.ts'
import { broken, mended, mends, openWorld, proposer } from '../../e2e/improve/improving.ts'
import { improveHere } from './in_process.ts'

vi.setConfig({ testTimeout: 120_000 })

const idle = proposer('says please', { command: 'echo "Please add with care." >> adder/SKILL.md' })
/** Nothing is left to gain: such a session ends after v0's runs on training cases. */
const solved = () => openWorld(mends, 4, { 'scripts/add.sh': mended })
const scriptOf = (folder: string) => readFileSync(path.join(folder, 'scripts/add.sh'), 'utf8')

test('a start that is refused for its engine or its queue leaves the session before it where it was; the next start moves it, and says so', async () => {
  await using world = await openWorld(idle, 4)
  const { history: first } = await improveHere(world, { totalRuns: 12 })
  expect(first).toMatchObject({ stopped: { reason: 'no_edit' }, ended_at: expect.any(String) })
  const before = readdirSync(world.workspace).sort()
  const unpriced = improveHere(world, { proposer: 'anthropic:opus', limits: { budget: 100 } })
  await expect(unpriced).rejects.toThrow(/^--budget: the cost of anthropic:practice-1 is unknown/)
  const keyless = improveHere(world, { engine: 'openai:gpt-5', proposer: 'anthropic:practice-1' })
  await expect(keyless).rejects.toThrow(/OPENAI_API_KEY/)
  const away = { address: parseQueueAddress('redis://127.0.0.1:1'), shared: world.workspace, atOnce: 1, waitMs: 0 }
  const elsewhere = improveHere(world, { queue: { ...away, tags: [], signer: null } })
  await expect(elsewhere).rejects.toThrow(/ECONNREFUSED/)
  expect([readdirSync(world.workspace).sort(), before.includes('sessions')]).toEqual([before, false])
  expect((await improveHere(world, { resume: true, totalRuns: 12 })).history).toEqual(first)
  const suite = path.join(world.skill, 'evals/evals.json')
  const written = readFileSync(suite, 'utf8')
  writeFileSync(suite, written.replace('What is', 'Please, what is'))
  // nothing runs any more: it can be looked at, and applied
  expect((await improveHere(world, { resume: true, totalRuns: 12, nobodyConfirms: true })).history).toEqual(first)
  writeFileSync(suite, written)

  const { history, told } = await improveHere(world, { totalRuns: 12 })
  const [name = ''] = readdirSync(path.join(world.workspace, 'sessions'))
  expect(told).toContainEqual(expect.stringContaining(`is now in sessions/${name} of the workspace`))
  const aside = path.join(world.workspace, 'sessions', name)
  expect(JSON.parse(readFileSync(path.join(aside, 'history.json'), 'utf8'))).toEqual(first)
  expect([readdirSync(path.join(aside, 'versions')), history.started_at > first.started_at]).toEqual([['v0'], true])
})

test('versions and proposals without a history belong to no session: they are archived, not used', async () => {
  await using world = await openWorld(idle, 4)
  const { workspace } = world
  const left = path.join(workspace, 'versions/v0')
  cpSync(world.skill, left, { recursive: true })
  writeFileSync(path.join(left, 'scripts/add.sh'), mended)
  mkdirSync(path.join(workspace, 'proposals/1-1'), { recursive: true })
  const { history, told } = await improveHere(world, { totalRuns: 12 })
  expect(history.iterations[0]?.expectation_pass_rate).toBe(0)
  expect(scriptOf(left)).toBe(broken)
  const [name = ''] = readdirSync(path.join(workspace, 'sessions'))
  expect(scriptOf(path.join(workspace, 'sessions', name, 'versions/v0'))).toBe(mended)
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
  const { told, history } = await improveHere(world)
  expect(told).toContainEqual(expect.stringMatching(/^what an earlier session left there is now in sessions\//))
  expect(history).toMatchObject({ schema_version: 2, stopped: { reason: 'solved' } })
})

test('an unknown engine of --confirm-on is refused by that name', async () => {
  await using world = await solved()
  await expect(improveHere(world, { confirmOn: ['nosuch:x'] })).rejects.toMatchObject({
    message: '--confirm-on: unknown engine "nosuch"',
  })
})

test('an interrupted session with a version that changed or is gone is refused by name', async () => {
  await using world = await openWorld(idle, 4)
  const wish = { totalRuns: 80 }
  const stopped = await improveHere(world, { ...wish, drainAfter: 1 })
  expect(stopped.history).toMatchObject({
    iterations: [{ version: 'v0' }],
    rounds: [{ round: 1, version: null }],
    stopped: { reason: 'interrupted' },
  })
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
  const { told, history } = await improveHere(world, again)
  expect(told[0]).toMatch(/the skill has changed since this session was started: v0 stays what it was then/)
  expect(history.rounds).toHaveLength(2)
})

test('a start that is refused leaves no workspace behind, nor the folders above it', async () => {
  await using world = await solved()
  const workspace = path.join(world.workspace, 'deep/er')
  const refused = improveHere({ ...world, skill: world.skill, env: world.env, workspace }, { proposer: 'nosuch:x' })
  await expect(refused).rejects.toThrow(UserError)
  expect(existsSync(world.workspace)).toBe(false)
})

test.each([
  [
    'nosuch:x',
    /^--proposer "nosuch:x": unknown engine "nosuch"$/,
    /expected one of claude-code, anthropic.*needs its engine: anthropic:nosuch:x/,
  ],
  ['antropic:opus', /unknown engine "antropic"$/, /^did you mean "anthropic"\? /],
  ['commands:sh p.sh', /unknown engine "commands"$/, /^did you mean "command"\? /],
  ['anthropic:,', /^--proposer/, /--proposer/],
  ['openai:gpt-5,nosuch:x', /--proposer "nosuch:x": unknown engine "nosuch"$/, /expected one of/],
])('--proposer %s is refused before anybody is asked', async (proposer, message, fix) => {
  await using world = await solved()
  const error: unknown = await improveHere(world, { proposer }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(UserError)
  if (!(error instanceof UserError)) return
  expect(error.message).toMatch(message)
  expect(error.fix).toMatch(fix)
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
  const refused = improveHere(world, { engine, proposer, limits: { budget: 100 } })
  await expect(refused).rejects.toMatchObject({
    message: '--budget: the cost of command is unknown',
    fix: expect.stringContaining('--cost-per-run'),
  })
  expect([world.requests, existsSync(world.workspace)]).toEqual([0, false])
  const { history } = await improveHere(world, { engine, proposer, limits: { budget: 100, costPerRun: 1 } })
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
  const more = await improveHere(world, { ...wish, resume: true, limits: { budgetTokens: 10_000_000 } })
  expect([more.history.stopped?.reason, proposals().slice(0, 3)]).toEqual(['no_edit', ['1-1', '1-2', '1-3']])
})

test('a session whose end nobody can confirm is refused before anything runs', async () => {
  await using world = await solved()
  await expect(improveHere(world, { nobodyConfirms: true })).rejects.toMatchObject({
    message: '--apply: cannot ask for confirmation (stdin is not a terminal)',
    fix: expect.stringContaining('--yes'),
  })
  expect([world.requests, existsSync(world.workspace)]).toEqual([0, false])
})

test.each([
  [['SKILL.md', 'skill.md'], ['skill.md'], 'skill.md and SKILL.md'],
  [['SKILL.md', 'skill.md'], [], null],
  [['a.md', 'b/a.md'], ['a.md'], null],
])('files %j of which %j are changed: names that differ in case only are %j', (names, changed, alike) => {
  expect(findNameClash(names, changed)).toBe(alike)
})
