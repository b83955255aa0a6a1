/** The leak guard: it finds what a simulated user may not say, and lets honest dialogues pass. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { type SimulatedUser, simulatedUser } from '../../../../schemas/conversation.ts'
import { findLeaks } from '../../../../src/phases/2-run/conversation/leak_guard.ts'

const readYaml = (name: string) => parse(readFileSync(path.join(import.meta.dirname, name), 'utf8'))

const text = z.string()
const texts = z.array(text)
const plantedLeaks = z
  .strictObject({
    users: z.record(text, z.strictObject({ goal: text, facts: texts, prompt: text, answer: text, key: texts })),
    leaks: z.array(z.strictObject({ user: text, kind: text, said: text })),
  })
  .parse(readYaml('planted_leaks.yaml'))

const exchange = z.strictObject({ q: z.string(), a: z.array(z.string()).min(2) })
const file = z.strictObject({
  fillers: z.record(z.string(), z.strictObject({ open: z.array(z.string()), turns: z.array(exchange) })),
  scenarios: z.array(
    z.strictObject({
      language: z.string(),
      prompt: z.string(),
      ...simulatedUser.pick({ goal: true, facts: true, persona: true }).shape,
      key: z.array(z.string()).min(3),
      asks: z.array(exchange).min(3),
    }),
  ),
})

const read = file.parse(readYaml('honest_scenarios.yaml'))

interface HonestDialogue {
  user: SimulatedUser
  key: string[]
  prompt: string
  /** What the agent says, and what the user answers. */
  exchanges: { agent: string; said: string }[]
}

/** Eight of each scenario, the same ones each time. */
const honest = read.scenarios.flatMap((one, scenario) =>
  Array.from({ length: 8 }, (_, number) => draw(one, scenario, number)),
)

function draw(one: z.infer<typeof file>['scenarios'][number], scenario: number, number: number): HonestDialogue {
  const filler = read.fillers[one.language]
  const next = startSequence(scenario * 1000 + number)
  const take = <T>(list: readonly T[]): T => list[next() % list.length] as T
  const extra = filler === undefined ? [] : [take(filler.turns), take(filler.turns)]
  const asks = [...one.asks].sort(() => (next() % 2 === 0 ? 1 : -1))
  const exchanges = [...asks, ...extra].map(({ q, a }) => {
    return { agent: `${q}\n`, said: `${filler === undefined ? '' : take(filler.open)}${take(a)}` }
  })
  const { prompt, goal, facts, persona, key } = one
  const user = { goal, ...(facts && { facts }), ...(persona && { persona }) }
  return { user, key, prompt, exchanges }
}

/** Numbers that look random and are the same for the same seed. */
function startSequence(seed: number): () => number {
  let state = seed + 1
  return () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return state >> 8
  }
}

function findInDialogue({ user, key, prompt, exchanges }: HonestDialogue): string[] {
  const turns = [{ prompt, answer: exchanges[0]?.agent ?? '' }]
  return exchanges.flatMap(({ said }, index) => {
    const found = findLeaks({ message: said, user, dialogue: { turns }, answerKey: key })
    turns.push({ prompt: said, answer: exchanges[index + 1]?.agent ?? '' })
    return found.map((one) => `${said} → ${one}`)
  })
}

describe('planted leaks', () => {
  test.each(plantedLeaks.leaks)('$kind: $said', ({ user: name, kind, said }) => {
    const { goal, facts, prompt, answer, key } = plantedLeaks.users[name] ?? expect.fail(name)
    const about = { user: { goal, facts }, dialogue: { turns: [{ prompt, answer }] }, answerKey: key }
    expect(findLeaks({ message: said, ...about })).not.toEqual([])
    // the same message is honest for a user who knows it: the guard judges what is said, not how
    const isWork = /code|command|document|data|instruction|talk of the test/
    if (!isWork.test(kind))
      expect(findLeaks({ message: said, ...about, user: { goal, facts: [...facts, said] } })).toEqual([])
  })
})

describe('honest dialogues', () => {
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
  const answer = 'Option A is Café Blau, option B the Gray Owl at 7:30. Shall I read menu_\u00adlist.txt?'
  const dialogue = { turns: [{ prompt: 'Book a table.', answer }] }
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
