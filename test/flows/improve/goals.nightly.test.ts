/** `--goal cheaper` in whole sessions on the practice model. */
import { expect, test } from 'vitest'
import { usualMargins } from '../../../src/phases/4-report/acceptance/guards.ts'
import { mended, openWorld, proposer, sdk } from '../../e2e/improve/improving.ts'
import { improveHere } from './in_process.ts'

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
