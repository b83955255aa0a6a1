/** A benchmark through a queue and the same again from another terminal, which attaches to it. */
import { expect } from 'vitest'
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import { fresh } from '../../e2e/program.ts'
import { askedOf, benchHere, makeAgent, workHere } from './here.ts'

export const idsOf = (events: readonly { type: string }[], type: string) =>
  events.flatMap((event) => (event.type === type && 'run_id' in event ? [String(event.run_id)] : [])).sort()

/** A worker with two places for four runs that wait, or more. */
export async function openAttaching(url: string, more: readonly string[] = []) {
  const agent = makeAgent()
  const shared = fresh()
  const worker = await workHere(url, shared)
  return { agent, shared, worker, asked: askedOf(agent, ['wait 1', 'wait 2', ...more], { url, shared }) }
}

/** The same again, as soon as it says that it is attached. */
export async function attached(asked: Parameters<typeof benchHere>[0], drain = new AbortController()) {
  const events: FlowEvent[] = []
  const running = benchHere(asked, { events, drain: drain.signal })
  running.catch(() => {}) // looked at by the test
  const choices = () => events.flatMap((event) => (event.type === 'plan_ready' ? event.choices : []))
  await expect.poll(choices).toContainEqual(expect.stringContaining('attached to process'))
  return { running, drain, events }
}
