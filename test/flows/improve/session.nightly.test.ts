/** Long sessions of `improve`: edits of several copies and rounds, edits that overlap, and proposers of which one fails. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { evals, mended, openWorld, proposer } from '../../e2e/improve/improving.ts'
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
