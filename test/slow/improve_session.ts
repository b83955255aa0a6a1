/** Sessions of the improve loop on the landscape: ours, by the gate's own code, and the loop that takes whatever scores higher. */
import type { GateResult } from '../../schemas/history/gate.ts'
import { candidateAlpha } from '../../src/phases/4-report/acceptance/alpha_spending.ts'
import { type PairedCase, takeFirstBlocks } from '../../src/phases/4-report/acceptance/compared_case.ts'
import { isLosingToParent, parentRuns, trainVerdict } from '../../src/phases/4-report/acceptance/early_rejection.ts'
import { gatePower } from '../../src/phases/4-report/acceptance/gate_power.ts'
import { usualMargins } from '../../src/phases/4-report/acceptance/guards.ts'
import { evaluateCandidateLook } from '../../src/phases/4-report/acceptance/interim_analysis.ts'
import {
  countTries,
  expectedGain,
  isWorthValidating,
  spentAlpha,
  type TriedVersion,
  traceCourse,
} from '../../src/phases/4-report/acceptance/session_course.ts'
import { createSeededRandom, type Random } from '../../src/phases/4-report/stats/distributions/seeded_random.ts'
import { applyEdit, drawEdit, type Edit, type Mix, meanOf, type Skill } from './improve_world.ts'

/** `noiseRuns`: of v0 against itself. No number of proposals is set: both loops end with their runs. */
export const design = { iterations: 1000, budget: 2500, noiseRuns: 2, trainRuns: 4, validationRuns: 10 }

export interface SessionEnd {
  /** Mean true chance on the test cases, now − at the start. */
  gain: number
  runs: number
  proposals: number
  /** Accepted though not one case was any better or worse. */
  falseAccepts: number
  harmfulAccepts: number
  accepts: number
}

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

const passes = (random: Random, chance: number, runs: number) =>
  Array.from({ length: runs }, () => (random() < chance ? 1 : 0))

/** Both versions in the same blocks; time and cost vary as those of agents do, the same in both. */
function meet(random: Random, candidate: readonly number[], incumbent: readonly number[], runs: number): PairedCase[] {
  return candidate.map((chance, at) => {
    const own = passes(random, chance, runs)
    const other = passes(random, incumbent[at] ?? 0, runs)
    const amounts = (scale: number, spread: number) => ({
      candidate: own.map(() => scale * Math.exp(spread * normal(random))),
      baseline: other.map(() => scale * Math.exp(spread * normal(random))),
    })
    return {
      evalId: at,
      candidate: own,
      baseline: other,
      passed: { candidate: own.map((one) => one === 1), baseline: other.map((one) => one === 1) },
      seconds: amounts(40, 0.5),
      usd: amounts(0.1, 0.4),
    }
  })
}

/** Which runs of a version passed, by training case; the same for all that it meets there. */
type Trained = readonly (readonly number[])[]

/** The runs that it has, and as many more of each case as it lacks. */
function trainTo(random: Random, { skill, trained }: Version, runs: number): Trained {
  return skill.train.map((chance, at) => {
    const own = trained[at] ?? []
    return [...own, ...passes(random, chance, Math.max(0, runs - own.length))]
  })
}

const countOf = (trained: Trained) => trained.reduce((sum, runs) => sum + runs.length, 0)

/** Cost and time say nothing there. */
function metIn(candidate: Trained, baseline: Trained): PairedCase[] {
  return candidate.map((own, evalId) => {
    const scores = { candidate: own, baseline: baseline[evalId] ?? [] }
    const of = <T>(value: (score: number) => T) => ({
      candidate: scores.candidate.map(value),
      baseline: scores.baseline.map(value),
    })
    return { evalId, ...scores, passed: of((score) => score === 1), seconds: of(() => null), usd: of(() => null) }
  })
}

interface Trial {
  candidate: Version
  parent: Version
  incumbent: Skill
  alpha: number
  /** How often the parent was tried against before. */
  tries: number
  /** Whether a gain on the training cases is worth a validation. */
  isWorth: (difference: number) => boolean
}

/** One candidate through the whole gate: first against its parent on training cases, run by run, then against the best on validation. */
function tryCandidate(random: Random, { candidate, parent, incumbent, alpha, tries, isWorth }: Trial) {
  const { trainRuns } = design
  const before = countOf(parent.trained)
  parent.trained = trainTo(random, parent, parentRuns(trainRuns, tries))
  for (let runs = 1; runs <= trainRuns; runs += 1) {
    candidate.trained = trainTo(random, candidate, runs)
    if (isLosingToParent(metIn(candidate.trained, parent.trained))) break
  }
  const cases = metIn(candidate.trained, parent.trained)
  const runs = countOf(candidate.trained) + countOf(parent.trained) - before
  const early = trainVerdict({ against: parent.version, cases, blocks: trainRuns, margins: usualMargins, isWorth })
  if (early !== null) return { gate: early, runs }
  const gate = meetGate(random, { candidate: candidate.skill.validation, incumbent: incumbent.validation, alpha })
  return { gate, runs: runs + 2 * gate.blocks * candidate.skill.validation.length }
}

interface Meeting {
  candidate: readonly number[]
  incumbent: readonly number[]
  alpha: number
}

/** Block by block, until the gate says how it ended. */
export function meetGate(random: Random, { candidate, incumbent, alpha }: Meeting): GateResult {
  const planned = design.validationRuns
  const all = meet(random, candidate, incumbent, planned)
  const met = { against: 'best', alpha, planned, margins: usualMargins }
  const looks: GateResult['looks'] = []
  for (let blocks = 1; ; blocks += 1) {
    const { look, verdict } = evaluateCandidateLook({
      ...met,
      cases: all.map((one) => takeFirstBlocks(one, blocks)),
      blocks,
      looks,
    })
    if (look !== null) looks.push(look)
    if (verdict !== null) return verdict
  }
}

interface Version {
  skill: Skill
  version: string
  trained: Trained
}

/** `edits` gives what the proposer offers, in order; it ends where the next candidate could cost more than is left. */
export function ourSession(random: Random, { first, edits, runs: budget }: Session): SessionEnd {
  const v0: Version = { skill: first, version: 'v0', trained: [] }
  const versions = [v0]
  const tried: TriedVersion[] = [{ version: 'v0', parent: null, grading_result: 'baseline' }]
  const versionOf = (name: string) => versions.find(({ version }) => version === name) ?? v0
  const skillOf = (name: string) => versionOf(name).skill
  const { noiseRuns, trainRuns, validationRuns, iterations } = design
  const most = 2 * trainRuns * first.train.length + 2 * validationRuns * first.validation.length
  const end = {
    runs: 2 * noiseRuns * (first.train.length + first.validation.length),
    ...{ proposals: 0, falseAccepts: 0, harmfulAccepts: 0, accepts: 0 },
  }
  for (; end.proposals < iterations && end.runs + most <= budget; end.proposals += 1) {
    const course = traceCourse(tried)
    const [incumbent, parent] = [skillOf(course.best), versionOf(course.head)]
    const skill = applyEdit(parent.skill, edits())
    const candidate: Version = { skill, version: `v${versions.length}`, trained: [] }
    const tries = countTries(tried, course.head)
    const left = iterations - end.proposals
    const alpha = candidateAlpha({ spent: spentAlpha(tried), left })
    const { detectable } = gatePower({ cases: first.validation.length, runs: validationRuns, alpha })
    const isLast = end.runs + 2 * most > budget
    const isWorth = (difference: number) =>
      isWorthValidating(expectedGain(course, difference), { detectable, left: isLast ? 1 : left })
    const { gate, runs } = tryCandidate(random, { candidate, parent, incumbent, alpha, tries, isWorth })
    versions.push(candidate)
    tried.push({ version: candidate.version, parent: course.head, grading_result: gate.result, gate })
    end.runs += runs
    if (gate.result === 'won') count(skill, incumbent)
  }
  // what was worked on without a win is validated before the end, as the loop does
  const { best, head } = traceCourse(tried)
  const open = tried.find(({ version }) => version === head)
  if (
    open?.gate?.stage === 'train' &&
    head !== best &&
    end.runs + 2 * validationRuns * first.validation.length <= budget
  ) {
    const alpha = candidateAlpha({ spent: spentAlpha(tried), left: 1 })
    const [candidate, incumbent] = [skillOf(head), skillOf(best)]
    const gate = meetGate(random, { candidate: candidate.validation, incumbent: incumbent.validation, alpha })
    end.runs += 2 * gate.blocks * candidate.validation.length
    tried[tried.indexOf(open)] = { ...open, gate, grading_result: gate.result }
    if (gate.result === 'won') count(candidate, incumbent)
  }
  return { ...end, gain: meanOf(skillOf(traceCourse(tried).best).test) - meanOf(first.test) }

  function count(candidate: Skill, incumbent: Skill): void {
    const truth = meanOf(candidate.test) - meanOf(incumbent.test)
    end.accepts += 1
    end.falseAccepts += truth <= 0 ? 1 : 0
    end.harmfulAccepts += truth < 0 ? 1 : 0
  }
}

interface Session {
  first: Skill
  edits: () => Edit
  /** Ours at most, the strict loop's at least. */
  runs: number
}

/**
 * Each candidate is run alone; it is taken where its score is above that of the best, which is kept from before. It has `runs` runs or
 * more: the last candidate is always run to its end.
 */
export function strictSession(
  random: Random,
  { first, edits, runs: least, each }: Session & { each: number },
): SessionEnd {
  const score = (skill: Skill) => meanOf(skill.validation.map((chance) => meanOf(passes(random, chance, each))))
  const cost = each * first.validation.length
  let [best, kept] = [first, score(first)]
  const end = { runs: cost, proposals: 0, falseAccepts: 0, harmfulAccepts: 0, accepts: 0 }
  while (end.runs < least) {
    const candidate = applyEdit(best, edits())
    const found = score(candidate)
    end.runs += cost
    end.proposals += 1
    if (found <= kept) continue
    end.accepts += 1
    end.falseAccepts += candidate === best ? 1 : 0
    end.harmfulAccepts += meanOf(candidate.test) < meanOf(best.test) ? 1 : 0
    ;[best, kept] = [candidate, found]
  }
  return { ...end, gain: meanOf(best.test) - meanOf(first.test) }
}

/** The same proposals in the same order for whoever asks. */
export function streamOf(seed: number, mix: Mix): () => Edit {
  const random = createSeededRandom(seed)
  return () => drawEdit(random, mix)
}
