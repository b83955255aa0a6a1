/** Long sessions of `improve`: edits of several copies and rounds, edits that overlap, proposers of which one fails, `--goal cheaper`, and budgets. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { History } from '../../../schemas/history.ts'
import { usualMargins } from '../../../src/phases/4-report/acceptance/guards.ts'
import { evals, mended, mends, openWorld, proposer, sdk, type World } from '../../e2e/improve/improving.ts'
import { editsOf, improveHere, proposesAll } from './in_process.ts'

test('useful edits of several copies are combined; useless, harmful and overlapping ones are left out', async () => {
  const both = evals(6, () => ['gladly'])
  const gladly = `
  - name: answers gladly
    when: { user: '^What is', turn: 3, result: 'gladly' }
    text: 'gladly: It is {{lastResult}}'
`
  const commands = [
    "sed -i 's/a - b/a + b/' adder/scripts/add.sh",
    'echo "echo gladly" >> adder/scripts/add.sh',
    'echo "Be quick." >> adder/SKILL.md',
    'echo "exit 1" > adder/scripts/add.sh',
  ]
  const files = { 'evals/evals.json': JSON.stringify({ skill_name: 'adder', evals: both }) }
  await using world = await openWorld(proposesAll(commands) + gladly, 6, files)
  const { history } = await improveHere(world, { totalRuns: 80 })
  const byId = new Map(editsOf(history).map((edit) => [edit.id, edit]))
  expect(byId.get('1.1.1')).toMatchObject({ kept: true })
  expect(byId.get('1.1.2')).toMatchObject({ kept: true })
  expect(byId.get('1.1.4')).toMatchObject({ kept: false, refused: { rule: 'overlap' } })
  expect(byId.get('1.2.1')).toMatchObject({ kept: false, refused: { rule: 'repeated' } })
  const script = readFileSync(path.join(world.workspace, 'versions/v1/scripts/add.sh'), 'utf8')
  expect(script).toBe(`${mended}echo gladly\n`)
  expect(history.certification).toMatchObject({ result: 'won' })
})

test('a file that is no text is changed by one edit of a round', async () => {
  const random = proposer('adds a picture', { command: 'head -c 500 /dev/urandom > adder/picture.bin' })
  await using world = await openWorld(random, 4)
  const { told } = await improveHere(world, { totalRuns: 12 })
  const said = 'it changes picture.bin, as does an earlier edit of this round'
  expect(told.filter((one) => one.includes('overlap'))).toEqual([
    `edit 1.2.1 refused (overlap): ${said}`,
    `edit 1.3.1 refused (overlap): ${said}`,
  ])
})

test('in the second round, proposers see the edits of the first with their effects, and what passes now', async () => {
  const half = proposer('first', { command: 'echo "Be kind." >> adder/SKILL.md' })
  await using world = await openWorld(half, 6)
  const { history } = await improveHere(world, { totalRuns: 80 })
  expect(history.rounds?.length).toBe(2)
  const prompts = world.asked.filter((text) => text.includes('Tried already and not kept'))
  expect(prompts[0]).toMatch(/first: 0 points on training cases in \d+ runs with it/)
  expect(history).toMatchObject({ current_best: 'v0', certification: null, stopped: { reason: 'no_edit' } })
})

test('one of three proposers fails: the round goes on with the others', async () => {
  const fails = `
  - name: fails
    when: { user: '^You improve an agent skill', turn: 1 }
    fault: { status: 400, message: no credit is left, first: 1 }
    tool_calls: [{ name: [Bash], input: { command: "sed -i 's/a - b/a + b/' change-1/adder/scripts/add.sh" } }]
  - name: speaks
    when: { user: '^You improve an agent skill' }
    text: "CHANGE 1: mends the script\\nWHY 1: the sums were wrong"
`
  await using world = await openWorld(fails, 6)
  const { history } = await improveHere(world)
  expect(history).toMatchObject({ current_best: 'v1', certification: { result: 'won' } })
  const refused = history.rounds?.[0]?.proposals.map((one) => one.refused?.rule)
  expect(refused?.filter((rule) => rule === 'proposer_failed')).toHaveLength(1)
})

/** Told to check its result, the agent runs the script four times more. */
const checking = String.raw`
  - name: checks again
    when:
      user: '^What is (?<a>\d+) plus (?<b>\d+)'
      result: 'Check it often'
      called: '(?<folder>[^"\s]+)/SKILL\.md'
      turn: { min: 3, max: 6 }
    tool_calls: [{ name: [Bash], input: { command: 'sh {{folder}}/scripts/add.sh {{a}} {{b}}' } }]
  - name: answers at last
    when: { user: '^What is', turn: 7 }
    text: 'It is {{lastResult}}'
`
const crew = { ...sdk, agent: checking + sdk.agent }
const skill =
  '---\nname: adder\ndescription: Adds two numbers.\n---\n\nRun `sh scripts/add.sh A B` and say what it prints.\nCheck it often.\n'
const wordy = { 'SKILL.md': skill, 'scripts/add.sh': mended }

const shortens = proposer('drops the checks', { command: "sed -i '/Check it often/d' adder/SKILL.md" })

test('goal cheaper: an edit that saves tokens and loses nothing is kept and certified', async () => {
  await using world = await openWorld(shortens, 6, wordy, crew)
  const margins = { ...usualMargins, loss: 0.3 }
  const { history } = await improveHere(world, { goal: 'cheaper', totalRuns: 64, margins })
  expect(history.certification).toMatchObject({
    ...{ result: 'won', goal: 'cheaper', v0: { mean: 1 }, candidate: { mean: 1 } },
    sentence: expect.stringMatching(
      /^As good and cheaper: pass rate 100% with v1, 100% with v0: \+0 points.*tokens × 0\.\d+/,
    ),
  })
  expect(history.current_best).toBe('v1')
})

test('goal cheaper: an edit that saves tokens by doing nothing is not kept', async () => {
  const lazy = proposer('answers at once', { command: "sed -i 's/^Run .*/Answer at once./; /Check/d' adder/SKILL.md" })
  const guesses = `
  - name: guesses
    when: { user: '^What is', result: 'Answer at once' }
    text: It is 7.
`
  await using world = await openWorld(lazy, 6, wordy, { ...sdk, agent: guesses + checking + sdk.agent })
  const { history } = await improveHere(world, { goal: 'cheaper', totalRuns: 48 })
  expect(history).toMatchObject({ current_best: 'v0', certification: null, stopped: { reason: 'no_edit' } })
})

const open = () => openWorld(mends, 6)
const wish = { totalRuns: 80 }

/** Tokens and runs that the benchmarks of a collection paid for. */
function paidIn({ workspace }: World, collection: string): { tokens: number; runs: number } {
  const root = path.join(workspace, collection)
  const folders = existsSync(root) ? readdirSync(root) : []
  const lines = folders.flatMap((name) => {
    const file = path.join(root, name, 'spent.jsonl')
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  })
  const tokens = lines.map((line) => JSON.parse(line).tokens as number)
  return { tokens: tokens.reduce((sum, one) => sum + one, 0), runs: lines.length }
}

const proposalTokens = ({ rounds = [] }: History) =>
  rounds.flatMap((one) => one.proposals).reduce((sum, { tokens }) => sum + (tokens ?? 0), 0)

/** What a session takes that has enough. */
async function undisturbed() {
  await using world = await open()
  const { history } = await improveHere(world, { ...wish, limits: { budgetTokens: 100_000_000 } })
  expect(history).toMatchObject({ current_best: 'v1', stopped: { reason: 'solved' } })
  const [search, certified] = [paidIn(world, 'searches'), paidIn(world, 'benchmarks')]
  const each = search.tokens / search.runs
  return { search, certified, proposals: proposalTokens(history), each }
}

const whole = undisturbed()

test('too little for a first round: the session waits; --resume with more continues without paying again', async () => {
  const { each } = await whole
  await using world = await open()
  const { history } = await improveHere(world, { ...wish, limits: { budgetTokens: Math.round(3 * each) } })
  expect([history.ended_at, history.stopped?.reason, history.current_best]).toEqual([undefined, 'budget', 'v0'])
  const before = paidIn(world, 'searches').runs
  const poor = await improveHere(world, { ...wish, resume: true, limits: { budgetTokens: Math.round(3 * each) } })
  expect([poor.history.ended_at, paidIn(world, 'searches').runs]).toEqual([undefined, before])
  const more = await improveHere(world, { ...wish, resume: true, limits: { budgetTokens: 100_000_000 } })
  expect(more.history).toMatchObject({ current_best: 'v1', certification: { result: 'won' } })
  const { search } = await whole
  expect(paidIn(world, 'searches').runs).toBe(search.runs)
})

test('a resumed confirmation counts what search and certification have spent', async () => {
  const { search, proposals, certified, each } = await whole
  await using world = await open()
  const budgetTokens = Math.round(search.tokens + proposals + certified.tokens + 8 * each)
  const asked = { ...wish, confirmOn: ['anthropic:practice-2'], limits: { budgetTokens } }
  const first = await improveHere(world, asked)
  expect(first.history).toMatchObject({ certification: { result: 'won' }, stopped: { reason: 'budget' } })
  const paid = () => paidIn(world, 'searches').tokens + paidIn(world, 'benchmarks').tokens + proposals
  const before = paid()
  const again = await improveHere(world, { ...asked, resume: true })
  expect([again.history.ended_at, again.history.stopped?.reason]).toEqual([undefined, 'budget'])
  expect([before <= budgetTokens, paid()]).toEqual([true, before])
  const more = await improveHere(world, { ...asked, resume: true, limits: { budgetTokens: 100_000_000 } })
  expect(more.history).toMatchObject({
    confirmations: [{ engine: 'anthropic:practice-2' }],
    ended_at: expect.any(String),
  })
})
