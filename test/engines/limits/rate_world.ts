/** A world in virtual time for the limiter: a server with a hidden limit of requests at once, and clients that always want more. */
import { RateLimit, type RateSettings, type RateSlot } from '../../../src/engines/limits/adaptive_limit.ts'

export interface World {
  /** Requests at once that the server bears, by the time in milliseconds. */
  bears: (now: number) => number
  /** Milliseconds of the answer to request number n. */
  latency: (n: number) => number
  /** What a refusal asks for, in milliseconds; null: nothing. */
  retryAfterMs: number | null
  /** How many want to be served at once. */
  clients: number
  /** Milliseconds that the world lasts. */
  ends: number
  settings?: Partial<RateSettings>
  /** true: a client does not ask the limiter (negative control). */
  fixed?: boolean
}

export interface Seen {
  at: number
  what: 'served' | 'refused'
}

interface Happening {
  at: number
  do: () => void
}

/** Plays it to its end: what happened when. */
export function play(world: World) {
  const limit = new RateLimit({ random: () => 0.5, ...world.settings })
  const seen: Seen[] = []
  const agenda: Happening[] = []
  let now = 0
  let atServer = 0
  let sent = 0
  let waiting = world.clients
  let wakeAt = -1
  const plan = (ms: number, action: () => void) => {
    const at = now + ms
    let index = agenda.length
    while (index > 0 && (agenda[index - 1]?.at ?? 0) > at) index -= 1
    agenda.splice(index, 0, { at, do: action })
  }
  const end = (slot: RateSlot, what: Seen['what']) => {
    seen.push({ at: now, what })
    waiting += 1
    const how = what === 'served' ? { as: what } : { as: what, retryAfterMs: world.retryAfterMs }
    limit.end(slot, how, now)
  }
  const send = (slot: RateSlot) => {
    sent += 1
    if (atServer >= world.bears(now)) return plan(5, () => end(slot, 'refused'))
    atServer += 1
    plan(world.latency(sent), () => {
      atServer -= 1
      end(slot, 'served')
    })
  }
  const pump = () => {
    while (waiting > 0) {
      const slot = world.fixed ? (limit.admit(Number.MAX_SAFE_INTEGER) ?? null) : limit.admit(now)
      if (slot === null) break
      waiting -= 1
      send(slot)
    }
    const opens = limit.opensAt(now)
    if (waiting > 0 && opens > now && opens !== wakeAt) {
      wakeAt = opens
      plan(opens - now, () => {})
    }
  }
  pump()
  for (let next = agenda.shift(); next !== undefined && next.at < world.ends; next = agenda.shift()) {
    now = next.at
    next.do()
    pump()
  }
  return seen
}

/** Between two times: how much of what the server bears was used (1 = all of it), and how many of the answers were refusals. */
export function figures(world: World, seen: readonly Seen[], from: number, to: number) {
  const within = seen.filter(({ at }) => at >= from && at < to)
  const served = within.filter(({ what }) => what === 'served').length
  const mean = Array.from({ length: 1000 }, (_, n) => world.latency(n)).reduce((sum, ms) => sum + ms, 0) / 1000
  let best = 0
  for (let at = from; at < to; at += 10) best += (Math.min(world.bears(at), world.clients) * 10) / mean
  return { goodput: served / best, refusals: (within.length - served) / Math.max(1, within.length), served }
}
