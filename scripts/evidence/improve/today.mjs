// Today's loop of `whetstone improve` on the simulated world, decided by its own code: folds, early rejection, validation in blocks, alpha.
import { splitCases } from '../../../dist/src/phases/1-plan/suite/split_suite.js'
import { candidateAlpha } from '../../../dist/src/phases/4-report/acceptance/alpha_spending.js'
import { takeFirstBlocks } from '../../../dist/src/phases/4-report/acceptance/compared_case.js'
import {
  isLosingToParent,
  parentRuns,
  trainVerdict,
} from '../../../dist/src/phases/4-report/acceptance/early_rejection.js'
import { findFold } from '../../../dist/src/phases/4-report/acceptance/folds.js'
import { gatePower } from '../../../dist/src/phases/4-report/acceptance/gate_power.js'
import { usualMargins } from '../../../dist/src/phases/4-report/acceptance/guards.js'
import { measureHeadroom } from '../../../dist/src/phases/4-report/acceptance/headroom.js'
import { evaluateCandidateLook } from '../../../dist/src/phases/4-report/acceptance/interim_analysis.js'
import {
  countTries,
  expectedGain,
  isPlateau,
  isWorthValidating,
  spentAlpha,
  traceCourse,
} from '../../../dist/src/phases/4-report/acceptance/session_course.js'
import { today } from './parameters.mjs'

/** Cost and time are unknown in the simulation, so they never decide. */
function pairScores(evalId, candidate, baseline) {
  const sides = (value) => ({ candidate: candidate.map(value), baseline: baseline.map(value) })
  return {
    ...{ evalId, candidate, baseline, passed: sides((score) => score === 1) },
    ...{ seconds: sides(() => null), usd: sides(() => null) },
  }
}

/** The runs that a version has of each case, and as many more as it lacks. */
function trainTo(session, version, { cases, runs }) {
  return cases.map((at) => {
    const own = version.trained.get(at) ?? []
    while (own.length < runs) own.push(session.run(version.edits, at))
    version.trained.set(at, own)
    return own
  })
}

/** As `chooseRunCount` of src/flows/improve/start.ts: more runs per case compensate for few cases. */
function chooseRuns({ train, validation }) {
  return Math.min(20, Math.max(5, Math.ceil(45 / Math.max(1, Math.min(train.length, validation.length)))))
}

/** Validation in blocks until the gate says how it ended, with as many blocks as the budget pays. */
function validate(session, { candidate, incumbent, cases, alpha, planned }) {
  const scores = cases.map(() => [[], []])
  const looks = []
  for (let blocks = 1; ; blocks += 1) {
    for (const [at, one] of cases.entries()) {
      scores[at][0].push(session.run(candidate, one))
      scores[at][1].push(session.run(incumbent, one))
    }
    const met = { against: 'best', alpha, planned, blocks, looks, margins: usualMargins }
    const paired = cases.map((one, at) => takeFirstBlocks(pairScores(one, ...scores[at]), blocks))
    const { look, verdict } = evaluateCandidateLook({ ...met, cases: paired })
    if (look !== null) looks.push(look)
    if (verdict !== null) return verdict
  }
}

function meetParent(session, { candidate, parent, cases, tries, isWorth }) {
  const most = parentRuns(today.trainRuns, tries)
  const before = trainTo(session, parent, { cases, runs: most })
  let paired = []
  for (let runs = 1; runs <= today.trainRuns; runs += 1) {
    const own = trainTo(session, candidate, { cases, runs })
    paired = cases.map((one, at) => pairScores(one, own[at], before[at]))
    if (isLosingToParent(paired)) break
  }
  const settings = { against: parent.version, blocks: today.trainRuns, margins: usualMargins, isWorth }
  return trainVerdict({ ...settings, cases: paired })
}

/**
 * A whole session with the defaults. In its favour: the test at the end, which decides nothing, is left out, and a validation that the
 * budget can't pay in full gets as many blocks as it can pay.
 */
export function todaysLoop(session) {
  const cases = session.cases.map((eval_id) => ({
    eval_id,
    prompt: '',
    expectations: [''],
    checks: [],
    files: [],
    cannot_run: null,
  }))
  const split = splitCases(cases, session.budget)
  const seen = [...split.train, ...split.validation]
  if (session.left() < 2 * today.noiseRuns * seen.length) return []
  const noise = seen.map((at) => {
    const runs = () => Array.from({ length: today.noiseRuns }, () => session.run([], at))
    return pairScores(at, runs(), runs())
  })
  const runs = chooseRuns(split)
  const firstAlpha = candidateAlpha({ spent: 0, left: today.iterations })
  if (!measureHeadroom(noise, { cases: split.validation.length, runs, alpha: firstAlpha }).enough) return []
  const trained = new Map(noise.map(({ evalId, candidate, baseline }) => [evalId, [...candidate, ...baseline]]))
  const versions = [{ version: 'v0', edits: [], trained }]
  const tried = [{ version: 'v0', parent: null, grading_result: 'baseline', iteration: 0 }]
  const versionOf = (name) => versions.find(({ version }) => version === name)
  for (let left = today.iterations; left > 0; left -= 1) {
    const course = traceCourse(tried)
    const [incumbent, parent] = [versionOf(course.best), versionOf(course.head)]
    const fold = findFold(split, { iterations: tried }, tried.length)
    const blocksLeft = () => Math.floor(session.left() / (2 * fold.validation.length))
    const cost = 2 * today.trainRuns * fold.train.length
    if (session.left() < cost) break
    const failed = fold.train.filter((at) => (parent.trained.get(at) ?? [0]).includes(0)).length
    const edits = [...parent.edits, ...session.propose(fold.train, failed)]
    const candidate = { version: `v${tried.length}`, edits, trained: new Map() }
    const alpha = candidateAlpha({ spent: spentAlpha(tried), left })
    const { detectable } = gatePower({ cases: fold.validation.length, runs, alpha })
    const isLast = session.left() - cost < cost + 2 * runs * fold.validation.length
    const isWorth = (difference) =>
      isWorthValidating(expectedGain(course, difference), { detectable, left: isLast ? 1 : left })
    const settings = { candidate, parent, cases: fold.train, tries: countTries(tried, course.head), isWorth }
    let gate = meetParent(session, settings)
    if (gate === null) {
      const planned = Math.min(runs, blocksLeft())
      if (planned < 2) break
      const asked = { candidate: edits, incumbent: incumbent.edits, cases: fold.validation, alpha, planned }
      gate = validate(session, asked)
    }
    versions.push(candidate)
    tried.push({
      version: candidate.version,
      parent: course.head,
      grading_result: gate.result,
      gate,
      iteration: tried.length,
    })
    if (
      isPlateau(
        tried.slice(1).map(({ gate: own }) => own.result === 'won' || (own.result === 'tie' && own.difference > 0)),
      )
    )
      break
  }
  validateOpen(session, { tried, versionOf, split, runs })
  return versionOf(traceCourse(tried).best).edits
}

/** What was developed further without a validation gets one before the end. */
function validateOpen(session, { tried, versionOf, split, runs }) {
  const { best, head } = traceCourse(tried)
  const at = tried.findIndex(({ version }) => version === head)
  const { gate, iteration } = tried[at]
  if (head === best || gate?.stage !== 'train') return
  const { validation } = findFold(split, { iterations: tried.slice(0, at) }, iteration)
  const planned = Math.min(runs, Math.floor(session.left() / (2 * validation.length)))
  if (planned < 2) return
  const alpha = candidateAlpha({ spent: spentAlpha(tried), left: 1 })
  const asked = {
    candidate: versionOf(head).edits,
    incumbent: versionOf(best).edits,
    cases: validation,
    alpha,
    planned,
  }
  const last = validate(session, asked)
  tried[at] = { ...tried[at], gate: last, grading_result: last.result }
}
