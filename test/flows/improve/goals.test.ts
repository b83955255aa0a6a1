/** `--goal cheaper`, `--confirm-on` and the guards on cost, on the practice model. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { usualMargins } from '../../../src/phases/4-report/acceptance/guards.ts'
import { mended, mends, openWorld, proposer, sdk } from '../../e2e/improve/improving.ts'
import { improveHere } from './in_process.ts'

vi.setConfig({ testTimeout: 180_000 })

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

test('control: the same session cannot rule out a loss of 10 points', async () => {
  await using world = await openWorld(shortens, 6, wordy, crew)
  const { history } = await improveHere(world, { goal: 'cheaper', totalRuns: 32 })
  expect(history.certification).toMatchObject({
    result: 'tie',
    reason: expect.stringMatching(/^a difference of -\d+ points is not ruled out \(at most a loss of 10 may be\)$/),
  })
})

test('control: with goal better there is nothing to gain, and no proposal is paid for', async () => {
  await using world = await openWorld(shortens, 6, wordy, crew)
  const { history } = await improveHere(world, { totalRuns: 48 })
  expect(history).toMatchObject({ stopped: { reason: 'solved' }, certification: null })
  expect(existsSync(path.join(world.workspace, 'proposals'))).toBe(false)
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

test('a win is repeated on another model; its gain is recorded there and decides nothing', async () => {
  await using world = await openWorld(mends, 6)
  const { history, told } = await improveHere(world, { confirmOn: ['anthropic:practice-2'] })
  expect(history).toMatchObject({
    certification: { result: 'won' },
    confirmations: [{ engine: 'anthropic:practice-2', gain: { mean: 1 }, v0: { mean: 0 } }],
  })
  expect(told).toContainEqual(expect.stringMatching(/^The gain transfers with anthropic:practice-2: pass rate 100%/))
  expect(history.confirmations?.[0]?.benchmark).not.toBe(history.certification?.benchmark)
})

test('control: without a win nothing is repeated', async () => {
  const idle = proposer('says please', { command: 'echo "Please add with care." >> adder/SKILL.md' })
  await using world = await openWorld(idle, 6)
  const { history } = await improveHere(world, { confirmOn: ['anthropic:practice-2'] })
  expect([history.certification, history.confirmations]).toEqual([null, undefined])
})
