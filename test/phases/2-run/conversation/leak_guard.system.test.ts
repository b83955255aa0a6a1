/** The leak guard: it finds what a simulated user may not say, and lets honest dialogues pass. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { findLeaks } from '../../../../src/phases/2-run/conversation/leak_guard.ts'
import { drawHonestDialogues, type HonestDialogue } from './honest_dialogues.ts'

const plantedLeaks = z
  .strictObject({
    users: z.record(
      z.string(),
      z.strictObject({
        goal: z.string(),
        facts: z.array(z.string()),
        prompt: z.string(),
        answer: z.string(),
        key: z.array(z.string()),
      }),
    ),
    leaks: z.array(z.strictObject({ user: z.string(), kind: z.string(), said: z.string() })),
  })
  .parse(parse(readFileSync(path.join(import.meta.dirname, 'planted_leaks.yaml'), 'utf8')))

const honest = drawHonestDialogues()

function findInDialogue({ user, key, prompt, exchanges }: HonestDialogue): string[] {
  const turns = [{ prompt, answer: exchanges[0]?.agent ?? '' }]
  return exchanges.flatMap(({ said }, index) => {
    const found = findLeaks({ message: said, user, dialogue: { turns }, answerKey: key })
    turns.push({ prompt: said, answer: exchanges[index + 1]?.agent ?? '' })
    return found.map((one) => `${said} → ${one}`)
  })
}

describe('planted leaks', () => {
  test('there are enough of them, of many kinds', () => {
    expect(plantedLeaks.leaks.length).toBeGreaterThanOrEqual(40)
    expect(new Set(plantedLeaks.leaks.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(12)
  })
  test.each(plantedLeaks.leaks)('$kind: $said', ({ user: name, said }) => {
    const { goal, facts, prompt, answer, key } = plantedLeaks.users[name] ?? expect.fail(name)
    const about = { user: { goal, facts }, dialogue: { turns: [{ prompt, answer }] }, answerKey: key }
    expect(findLeaks({ message: said, ...about })).not.toEqual([])
    // the same message is honest for a user who knows it: the guard judges what is said, not how
    const isWork = /code|command|document|data|instruction|talk of the test/
    const kind = plantedLeaks.leaks.find((one) => one.said === said)?.kind ?? ''
    if (!isWork.test(kind))
      expect(findLeaks({ message: said, ...about, user: { goal, facts: [...facts, said] } })).toEqual([])
  })
})

describe('honest dialogues', () => {
  test('there are enough of them, and no two are alike', () => {
    expect(honest.length).toBeGreaterThanOrEqual(200)
    expect(new Set(honest.map(({ exchanges }) => JSON.stringify(exchanges))).size).toBe(honest.length)
  })
  test('none sets off an alarm', () => {
    expect(honest.flatMap(findInDialogue)).toEqual([])
  })
  test('most do if the user knows nothing but the goal', () => {
    const poor = honest.filter((_, at) => at % 4 === 0).map((one) => ({ ...one, user: { goal: one.user.goal } }))
    expect(poor.filter((one) => findInDialogue(one).length > 0).length).toBeGreaterThan(poor.length * 0.8)
  })
})

describe('what may be said', () => {
  const facts = ['Table for 5 on 2026-03-03', '1,200 euros', 'Meet Ann-Kathrin Öztürk', '四月二十八日', 'On Postgres']
  const user = { goal: 'Book a table', facts }
  const dialogue = {
    turns: [
      {
        prompt: 'Book a table.',
        answer: 'Option A is Café Blau, option B the Gray Owl at 7:30. Shall I read menu_\u00adlist.txt?',
      },
    ],
  }
  test.each([
    ['five people', 'For five people, please.'],
    ['a date in other forms', 'On March 3rd.'],
    ['a figure in other forms', "We'd pay 1200 €, or 1.2k, so twelve hundred euros."],
    ['the code of a known currency', 'It is EUR 1,200.00 in all.'],
    ['a longer form of a known name', 'It is PostgreSQL.'],
    ['Chinese numbers in digits', '4月28日。'],
    ['a word of the agent without its soft hyphen', 'Yes, read menu_list.txt.'],
    ['a name without its accents', 'Ann-Kathrin Ozturk comes, too.'],
    ['what the agent said', 'The Gray Owl at half past seven, so 7:30, please.'],
    ['small numbers', 'One moment! Two options are enough, in 2-3 sentences.'],
  ])('%s', (_, message) => {
    expect(findLeaks({ message, user, dialogue, answerKey: [] })).toEqual([])
  })
  test.each([
    ['another figure', 'For sixteen people, please.'],
    ['another date', 'On March 9th.'],
    ['a small number as another day', 'On 1 March.'],
    ['the code of another currency', 'That is 1,200 CHF.'],
    ['another longer name', 'It is MariaDB.'],
    ['another day in Chinese', '6月28日。'],
    ['another weekday', 'On Friday, 3 March.'],
  ])('not %s', (_, message) => {
    expect(findLeaks({ message, user, dialogue, answerKey: [] })).not.toEqual([])
  })
})
