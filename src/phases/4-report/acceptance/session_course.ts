/** The state of a session, from its history alone: the alpha spent, where the next proposal starts, and whether to validate. */
import type { Iteration } from '../../../../schemas/history.ts'

const promisingP = 0.3
/** This many tries in a row without a version worth keeping are a plateau. */
const plateauTries = 4
/** The share of a training gain that is expected elsewhere: the proposer saw these cases, and the better of two was selected. */
const shrink = 0.7

export type TriedVersion = Pick<Iteration, 'version' | 'parent' | 'gate' | 'grading_result'>

/** The alpha that the validations so far have spent; those that won returned theirs. */
export function spentAlpha(tries: readonly TriedVersion[]): number {
  const spent = tries.filter(({ gate }) => gate?.stage === 'validation' && gate.result !== 'won')
  return spent.reduce((sum, { gate }) => sum + (gate?.alpha ?? 0), 0)
}

export interface SessionCourse {
  /** The version that a win would replace. */
  best: string
  /** The version that the next proposal changes: the best, or one that seems better but has not won yet. It ships only after a win. */
  head: string
  /** How much better than the best the head seems to be, as a share from 0 to 1. */
  gain: number
}

/** `tries` in their order; the first is the baseline. */
export function traceCourse(tries: readonly TriedVersion[]): SessionCourse {
  let course: SessionCourse = { best: tries[0]?.version ?? 'v0', head: tries[0]?.version ?? 'v0', gain: 0 }
  for (const one of tries) course = advanceCourse(course, one)
  return course
}

function advanceCourse(course: SessionCourse, { version, gate, grading_result }: TriedVersion): SessionCourse {
  const { best } = course
  if (grading_result === 'won') return { best: version, head: version, gain: 0 }
  if (gate === undefined) return course
  if (gate.stage === 'train') {
    return gate.result === 'lost' ? course : { best, head: version, gain: course.gain + shrink * gate.difference }
  }
  const isPromising = gate.result === 'tie' && gate.difference > 0 && (gate.p_value ?? 1) <= promisingP
  return isPromising ? { best, head: version, gain: gate.difference } : { best, head: best, gain: 0 }
}

/** A validation takes as many runs as many tries, so one validation of a large gain is better than several of small ones. */
const enough = 0.5

/** Validates when it can detect the gain and waiting brings no more, or when no further proposal will come. */
export function isWorthValidating(gain: number, { detectable, left }: { detectable: number; left: number }): boolean {
  return gain > 0 && (left <= 1 || gain >= Math.max(detectable, enough))
}

/** How many tries started from this version. */
export function countTries(tries: readonly TriedVersion[], version: string): number {
  return tries.filter(({ parent }) => parent === version).length
}

/** The estimated gain of a candidate over the best, from its training cases. */
export function expectedGain({ gain }: SessionCourse, trainDifference: number): number {
  return gain + shrink * trainDifference
}

/** `tries`: every proposal in order; true if it was kept, to be shipped or worked on. */
export function isPlateau(tries: readonly boolean[]): boolean {
  return tries.length >= plateauTries && !tries.slice(-plateauTries).includes(true)
}
