/** The dialogue of a run in a real browser: messages and answers in order, how it ended, who played the user; and a run of one message. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConversationRecord, conversationRecord } from '../../../schemas/conversation.ts'
import { runRecord } from '../../../schemas/run.ts'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { record } from '../../fixtures/record.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'
import { launch, open, visit, withChromium } from '../browser.ts'
import { type Staged, stage } from '../stage.ts'

const at = '2026-01-15T10:30:00.000Z'
const played: ConversationRecord = {
  turns: [
    { prompt: 'Interview me and write a brief for my trip.', answer: 'Where do you want to go, and when?', step: 1 },
    {
      prompt: 'To Lisbon, in the first week of May.',
      answer: 'How many people travel?\n\n- one\n- more than one',
      step: 2,
    },
    {
      prompt: 'Two. <b>No</b> flights before nine, please.',
      answer: 'The brief is in brief.md: two people, Lisbon, 1 to 7 May, no flight before 9:00.',
      step: 4,
    },
  ],
  ended: 'goal_met',
  user: { engine: 'anthropic', model: 'claude-haiku-4-5', calls: 4, tokens: 5120, cost_usd: 0.0042, asked_again: 1 },
}
const scripted: ConversationRecord = {
  turns: [{ prompt: 'Interview me and write a brief for my trip.', answer: 'Here is a brief for a trip.', step: 1 }],
  ended: 'agent_did_not_ask',
}
const eventsOf = ({ turns }: ConversationRecord) =>
  turns.flatMap(({ prompt, answer, step }, index) => [
    { type: 'user', at, step: index === 0 ? 0 : step - 1, text: prompt },
    ...(index === 1 ? [{ type: 'user', at, step, text: 'Reminder: answer in JSON.' }] : []),
    { type: 'assistant', at, step, text: answer },
  ])
const expectations = [
  {
    text: 'It asks for the place',
    passed: true,
    evidence: 'it says "Where do you want to go"',
    decided_by: 'judge',
    turn: 1,
  },
  {
    text: 'It asks how many travel',
    passed: false,
    evidence: 'Message 2 was not sent: the agent did not ask',
    decided_by: 'check:turn_reached',
    turn: 2,
  },
  { text: 'brief.md names Lisbon', passed: true, evidence: 'brief.md says "Lisbon"', decided_by: 'judge' },
]
const benchmark = aggregate(
  inputOf([
    ...arm(1, 'with_skill', ['+-+'], { grading: { expectations }, record: { conversation: played } }),
    ...arm(1, 'without_skill', ['---'], { record: { conversation: scripted } }),
    ...arm(2, 'with_skill', ['+']),
    ...arm(2, 'without_skill', ['-']),
  ]),
)

withChromium('a run with several messages', () => {
  const it: { browser?: Browser; staged?: Staged } = {}
  beforeAll(async () => {
    it.browser = await launch()
    const run = (configuration: string, conversation: ConversationRecord) => ({
      ...{ eval_id: 1, configuration, run_number: 1, events: eventsOf(conversation) },
      record: runRecord.parse({ ...record({ final_response: conversation.turns.at(-1)?.answer ?? '' }), conversation }),
    })
    const single = { eval_id: 2, configuration: 'with_skill', run_number: 1, events: eventsOf(scripted) }
    it.staged = await stage({ benchmark, runs: [run('with_skill', played), run('without_skill', scripted), single] })
  })
  afterAll(() => it.browser?.close())
  const opened = async (hash: string, width = 1280) => {
    if (it.browser === undefined) throw new Error('no browser')
    return (await open(it.browser, `${it.staged?.url}${hash}`, { viewport: { width, height: 1400 } })).page
  }

  test('the fixture is what a run writes', () => expect(conversationRecord.parse(played)).toEqual(played))

  test('shows the dialogue, its end, and the model that played the user', async () => {
    const page = await opened('#/run/1/with_skill/1')
    await expect.poll(() => page.locator('.said').count()).toBe(6)
    const said = await page.locator('.said .text').allTextContents()
    expect(said).toEqual(played.turns.flatMap(({ prompt, answer }) => [prompt, answer]))
    expect(await page.locator('.said .kind').allTextContents()).toEqual(
      [1, 2, 3].flatMap((number) => [`message ${number}`, `answer ${number}`]),
    )
    const part = (await page.locator('#part').textContent()) ?? ''
    expect(part).toContain('Ended: the goal of the user was met.')
    expect(part).toContain('anthropic:claude-haiku-4-5: 4 calls, 5,120 tokens, $0.0042')
    expect(part).toContain('1 message said more than the user may, and was asked again.')
    expect(await page.locator('.verdicts .tag', { hasText: 'about answer 2' }).count()).toBe(1)
  })
  test('a scripted one has no model, and its end says what was not sent', async () => {
    const page = await opened('#/run/1/without_skill/1')
    await expect.poll(() => page.locator('.said').count()).toBe(2)
    const part = (await page.locator('#part').textContent()) ?? ''
    expect(part).toContain('Ended: the agent did not ask')
    expect(part).not.toContain('played by')
  })
  test('the transcript numbers the messages, and not what the engine says as the user', async () => {
    const page = await opened('#/run/1/with_skill/1?tab=transcript')
    await expect.poll(() => page.locator('.event.user').count()).toBe(4)
    const kinds = await page.locator('.event.user > .kind').allTextContents()
    expect(kinds.map((kind) => kind.replace(/ *step \d+/, '').trim())).toEqual([
      'message 1',
      'message 2',
      'prompt',
      'message 3',
    ])
  })
  test('a run of one message has no such tab', async () => {
    const page = await opened('#/run/2/with_skill/1')
    await expect.poll(() => page.locator('.event.user').count()).toBe(1)
    expect(await page.getByRole('tab', { name: /Conversation/ }).count()).toBe(0)
    await visit(page, '#/run/1/with_skill/1')
    await expect.poll(() => page.getByRole('tab', { name: 'Conversation 3' }).count()).toBe(1)
  })
  test.each([1280, 400])('fits into %d pixels', async (width) => {
    const page = await opened('#/run/1/with_skill/1', width)
    await expect.poll(() => page.locator('.said').count()).toBe(6)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    const folder = process.env.WHETSTONE_SHOTS
    if (folder === undefined) return
    mkdirSync(folder, { recursive: true })
    writeFileSync(path.join(folder, `conversation-${width}.png`), await page.screenshot({ fullPage: true }))
  })
})
