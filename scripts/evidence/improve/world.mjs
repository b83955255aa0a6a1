// The simulated world: cases with true chances, edits with true effects, and a proposer that draws edits from a fixed stream.
import { createSeededRandom } from '../../../dist/src/phases/4-report/stats/distributions/seeded_random.js'
import {
  breakingEffect,
  chanceLimits,
  editSize,
  failureKinds,
  firstChance,
  mixedSize,
  mostSway,
  overlapShare,
  pairEffects,
  proposers,
  sparseEdits,
  unseenCases,
  worlds,
} from './parameters.mjs'

const clip = (value) => Math.min(chanceLimits.high, Math.max(chanceLimits.low, value))
const meanOf = (values) => values.reduce((sum, one) => sum + one, 0) / values.length

/** A number from 0 to 1 that belongs to two whole numbers: the same pair always has the same. */
function hashUnit(a, b) {
  let mixed = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 0x7f4a7c15, 0xc2b2ae35)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39)
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
}

/** `suite`: the cases that a session can run. `unseen`: the population that a shipped version meets. */
export function createWorld({ name, cases, proposer, seed }) {
  const random = createSeededRandom(seed)
  const draw = (count, from) =>
    Array.from({ length: count }, (_, at) => ({
      id: from + at,
      chance: firstChance.low + firstChance.spread * random(),
      kind: Math.floor(failureKinds * random()),
    }))
  const suite = draw(cases, 0)
  return { ...worlds[name], suite, unseen: draw(unseenCases, 1000), learning: proposers[proposer], seed }
}

/** The `index`-th proposal: the same number draws the same lot for every contestant. `seen`: cases shown; `failed`: how many of them failed. */
export function drawEdit(world, { index, seen, failed }) {
  const random = createSeededRandom(world.seed * 1009 + 7919 * (index + 1))
  const [lot, size, lots, seed] = [random(), random(), random(), Math.floor(random() * 2 ** 31)]
  const { boost, half } = world.learning
  const more = world.helpful === 0 ? 0 : (boost * failed) / (failed + half)
  const rest = 1 - world.helpful - world.trick
  const harmful = world.harmful * (1 - more / rest)
  const kind =
    lot < world.helpful + more
      ? 'helpful'
      : lot < world.helpful + more + harmful
        ? 'harmful'
        : lot < world.helpful + more + harmful + world.trick
          ? 'trick'
          : 'none'
  const edit = { id: index, kind, seed, size: editSize.low + editSize.spread * size }
  if (world.rule === 'mixed') return { ...edit, size: mixedSize.low + mixedSize.spread * size, up: kindsUp(kind, lots) }
  return kind === 'trick' && world.rule === 'overfit' ? { ...edit, seen: new Set(seen) } : edit
}

/** Which kinds of failure an edit of the mixed world helps; all others it hurts. */
function kindsUp(kind, lot) {
  const count = { helpful: failureKinds - 1, harmful: 1, trick: failureKinds / 2, none: 0 }[kind]
  const first = Math.floor(failureKinds * lot)
  return new Set(Array.from({ length: count }, (_, at) => (first + at) % failureKinds))
}

/** What one edit changes on a case: the true chance, and what only the first judge sees. */
function effectOn(rule, edit, one) {
  const lot = hashUnit(edit.seed, one.id)
  const { share, low, spread } = sparseEdits
  const moved = lot < share ? low + (spread * lot) / share : 0
  const strength = rule === 'sparse' ? moved : edit.size * 2 * lot
  if (edit.kind === 'none') return { real: 0, pleased: 0 }
  if (rule === 'mixed') return { real: edit.up.has(one.kind) ? strength : -strength, pleased: 0 }
  if (edit.kind === 'helpful') return { real: strength, pleased: 0 }
  if (edit.kind === 'harmful') return { real: -strength, pleased: 0 }
  if (rule === 'break') return { real: breakingEffect, pleased: 0 }
  return rule === 'please' ? { real: 0, pleased: strength } : { real: edit.seen.has(one.id) ? strength : 0, pleased: 0 }
}

function pairEffect(one, other) {
  if (one.kind === 'none' || other.kind === 'none') return 0
  const lot = hashUnit(Math.min(one.seed, other.seed), Math.max(one.seed, other.seed))
  const { conflict, synergy } = pairEffects
  if (lot < conflict.share) return conflict.effect
  return lot < conflict.share + synergy.share ? synergy.effect : 0
}

/** Whether two edits touch the same lines. */
export function isOverlap(one, other) {
  return hashUnit(Math.max(one.seed, other.seed), Math.min(one.seed, other.seed)) < overlapShare
}

/** By how much a judge (1 or 2) is off on all runs of a version; v0 is one too. */
function swayOf(world, edits, judge) {
  const version = edits.reduce((sum, { seed }) => (sum + seed) % 2 ** 31, world.seed)
  return world.rule === 'sway' ? mostSway * (2 * hashUnit(version, judge) - 1) : 0
}

/** The chances of a version on a case: that it truly passes, and that the first and the second judge say so. */
export function chanceOf(world, edits, one) {
  let [real, pleased] = [one.chance, 0]
  for (const edit of edits) {
    const effect = effectOn(world.rule, edit, one)
    real += effect.real
    pleased += effect.pleased
  }
  if (world.rule === 'interact') {
    for (let at = 0; at < edits.length; at += 1) {
      for (let to = at + 1; to < edits.length; to += 1) real += pairEffect(edits[at], edits[to])
    }
  }
  const [first, second] = [1, 2].map((judge) => swayOf(world, edits, judge))
  return { real: clip(real), graded: clip(clip(real) + pleased + first), certified: clip(clip(real) + second) }
}

/** True gain over v0 on the unseen cases, from −1 to 1. */
export function trueGain(world, edits) {
  if (edits.length === 0) return 0
  return meanOf(world.unseen.map((one) => chanceOf(world, edits, one).real - chanceOf(world, [], one).real))
}
