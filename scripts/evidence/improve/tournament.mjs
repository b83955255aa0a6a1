// Runs every contestant through the same sessions and sums up how they ended.
import { createSession } from './session.mjs'
import { createWorld, trueGain } from './world.mjs'

const near = 1e-9

/** One number for each session of a cell, whatever its contestant: all meet the same cases and the same stream of proposals. */
function sessionSeed({ name, proposer, cases }, at) {
  let seed = 17
  for (const letter of `${name}/${proposer}/${cases}`) seed = (seed * 31 + letter.charCodeAt(0)) % 1_000_003
  return seed * 1000 + at
}

/** `play(session)` returns the edits that ship, or a promise of them. */
async function playSession({ name, proposer, cases, budget }, { play, lane, atOnce }, at) {
  const world = createWorld({ name, cases, proposer, seed: sessionSeed({ name, proposer, cases }, at) })
  const session = createSession(world, { budget, lane, atOnce })
  const edits = await play(session)
  return { gain: trueGain(world, edits), isShipped: edits.length > 0, ...session.counts }
}

/** Shares of all sessions; a session that ships nothing gains 0 and is neither worse nor "no better". */
function summarize(ends) {
  const share = (is) => ends.filter(is).length / ends.length
  const mean = (of) => ends.reduce((sum, end) => sum + of(end), 0) / ends.length
  const gain = mean((end) => end.gain)
  return {
    gain,
    error: Math.sqrt(mean((end) => (end.gain - gain) ** 2) / ends.length),
    worse: share((end) => end.isShipped && end.gain < -near),
    noBetter: share((end) => end.isShipped && end.gain <= near),
    nothing: share((end) => !end.isShipped),
    runs: mean((end) => end.runs),
    most: Math.max(...ends.map((end) => end.runs)),
    proposals: mean((end) => end.proposals),
    edits: mean((end) => end.edits),
  }
}

/** `from`: the number of the first session; other numbers are other cases, proposals and runs. */
export async function playCell(cell, contestant, sessions, from = 0) {
  const ends = []
  for (let at = from; at < from + sessions; at += 1) ends.push(await playSession(cell, contestant, at))
  return summarize(ends)
}
