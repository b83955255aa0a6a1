/** The course of a session, from its history alone: what is spent of the error, what the next proposal starts from, what is worth a validation. */
import type { Iteration } from '../../../../schemas/history.ts'

const promisingP = 0.3
/** So many tries in a row without a version that is worth anything are a plateau. */
const patience = 4
/** What a gain on the training cases is worth elsewhere: the proposer saw them, and it is the better of two. */
const shrink = 0.7

export type Tried = Pick<Iteration, 'version' | 'parent' | 'gate' | 'grading_result'>

/** What the tests so far have spent of the session's error: those that won gave it back. */
export function spentAlpha(tries: readonly Tried[]): number {
  const spent = tries.filter(({ gate }) => gate?.stage === 'validation' && gate.result !== 'won')
  return spent.reduce((sum, { gate }) => sum + (gate?.alpha ?? 0), 0)
}

export interface Course {
  /** The version that a win would replace. */
  best: string
  /** The version that the next proposal changes: the best, or one that looks better and has not won yet. It is never shipped so. */
  head: string
  /** How much better than the best the head seems to be. */
  gain: number
}

/** In the order of the tries; the first is the baseline. */
export function courseOf(tries: readonly Tried[]): Course {
  let course: Course = { best: tries[0]?.version ?? 'v0', head: tries[0]?.version ?? 'v0', gain: 0 }
  for (const one of tries) course = after(course, one)
  return course
}

function after(course: Course, { version, gate, grading_result }: Tried): Course {
  const { best } = course
  if (grading_result === 'won') return { best: version, head: version, gain: 0 }
  if (gate === undefined) return course
  if (gate.stage === 'train') {
    return gate.result === 'lost' ? course : { best, head: version, gain: course.gain + shrink * gate.difference }
  }
  const isPromising = gate.result === 'tie' && gate.difference > 0 && (gate.p_value ?? 1) <= promisingP
  return isPromising ? { best, head: version, gain: gate.difference } : { best, head: best, gain: 0 }
}

/** A validation takes as many runs as many tries: it is better run once for much than often for little. */
const enough = 0.5

/** Validation is run when it can find the gain and no more is to be waited for, or when no further proposal will come. */
export function isWorthValidating(gain: number, { detectable, left }: { detectable: number; left: number }): boolean {
  return gain > 0 && (left <= 1 || gain >= Math.max(detectable, enough))
}

/** How often a version was tried to be bettered. */
export function triesOf(tries: readonly Tried[], version: string): number {
  return tries.filter(({ parent }) => parent === version).length
}

/** What a candidate's gain over the best seems to be, from its training cases. */
export function hopedGain({ gain }: Course, trainDifference: number): number {
  return gain + shrink * trainDifference
}

/** `tries`: every proposal in order, true where it was kept to be shipped or worked on. */
export function isPlateau(tries: readonly boolean[]): boolean {
  return tries.length >= patience && !tries.slice(-patience).includes(true)
}
