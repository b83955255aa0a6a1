/** Draws honest dialogues from honest_scenarios.yaml: the same ones each time. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import * as z from 'zod'
import { type SimulatedUser, simulatedUser } from '../../../../schemas/conversation.ts'

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

const read = file.parse(parse(readFileSync(path.join(import.meta.dirname, 'honest_scenarios.yaml'), 'utf8')))

export interface HonestDialogue {
  name: string
  scenario: number
  user: SimulatedUser
  key: string[]
  prompt: string
  /** What the agent says, and what the user answers. */
  exchanges: { agent: string; said: string }[]
}

const perScenario = 8

export function drawHonestDialogues(): HonestDialogue[] {
  return read.scenarios.flatMap((one, scenario) => {
    return Array.from({ length: perScenario }, (_, number) => draw(one, scenario, number))
  })
}

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
  return { name: `${scenario}.${number} ${prompt}`, scenario, user, key, prompt, exchanges }
}

/** Numbers that look random and are the same for the same seed. */
function startSequence(seed: number): () => number {
  let state = seed + 1
  return () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return state >> 8
  }
}
