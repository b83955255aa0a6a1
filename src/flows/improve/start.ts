/** Starts a session: splits the cases, writes v0, describes what a result will show, and checks for room to improve. */
import type { Split } from '../../../schemas/history/session.ts'
import type { Suite } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { hashSuite } from '../../phases/1-plan/suite/load_suite.ts'
import { type CaseSplit, splitCases } from '../../phases/1-plan/suite/split_suite.ts'
import { candidateAlpha } from '../../phases/4-report/acceptance/alpha_spending.ts'
import { leastCases } from '../../phases/4-report/acceptance/candidate_verdict.ts'
import { gatePower } from '../../phases/4-report/acceptance/gate_power.ts'
import { measureHeadroom } from '../../phases/4-report/acceptance/headroom.ts'
import { improvePaths } from '../../store/paths.ts'
import type { FlowContext } from '../flow_context.ts'
import type { ImproveRequest } from './improve_request.ts'
import { emitImproveStep, type ImproveSession, recordProgress } from './session/session.ts'
import { writeFirstVersion } from './session/version_folders.ts'
import { countNoiseRuns, runBenchStep } from './validate/bench_step.ts'

/** Everything fixed before the first run. Throws UserError for a suite that can't be split. */
export async function splitSuite(request: ImproveRequest, suite: Suite): Promise<Split> {
  const drafts = suite.cases.filter(({ draft }) => draft === true).map(({ eval_id }) => eval_id)
  const made = splitReviewed(suite, request, drafts.length)
  const alpha = candidateAlpha({ spent: 0, left: request.iterations })
  const { trainRuns: train } = request
  const validation = request.validationRuns ?? chooseRunCount(made)
  const test = request.testRuns ?? validation
  return {
    seed: request.seed,
    ...made,
    suite_sha256: await hashSuite(suite),
    runs: { train, validation, test },
    scope: describeScope(made) + draftsText(drafts.length, request.useDrafts),
    ...(drafts.length > 0 && { drafts, drafts_used: request.useDrafts }),
    ...gatePower({ cases: made.validation.length, runs: validation, alpha }),
  }
}

/** Uses unreviewed drafts only if the user asks for it. */
function splitReviewed({ cases, path }: Suite, { seed, useDrafts }: ImproveRequest, drafts: number): CaseSplit {
  if (useDrafts || drafts === 0) return splitCases(cases, seed)
  const reviewed = cases.filter(({ draft }) => draft !== true)
  if (reviewed.filter((one) => one.cannot_run === null).length >= 2) return splitCases(reviewed, seed)
  throw new UserError(
    `${path}: ${drafts} of its ${cases.length} cases are unreviewed drafts, and too few others are left`,
    'review them and remove "review": "draft", or add --use-drafts',
  )
}

function draftsText(drafts: number, isUsed: boolean): string {
  if (drafts === 0) return ''
  if (!isUsed) return `; ${drafts} unreviewed drafts are left out (--use-drafts includes them)`
  return `; ${drafts} of the cases are unreviewed drafts: results hold for cases that a model thought of`
}

/** More runs per case compensate for few cases: the total matches that of a suite of 18. */
function chooseRunCount({ train, validation }: CaseSplit): number {
  const fewest = Math.max(1, Math.min(train.length, validation.length))
  return Math.min(mostRuns, Math.max(usualRuns, Math.ceil((usualRuns * 9) / fewest)))
}

const usualRuns = 5
const mostRuns = 20

function describeScope({ kind, train, validation, test }: CaseSplit): string {
  const aside =
    test.length === 0 ? 'no case is left aside for a test' : `${test.length} cases are left aside for the test`
  const wider = `a claim about cases like these needs at least ${leastCases} validation cases, from 18 cases on in the suite`
  if (kind === 'three_way') {
    return `${train.length} cases to learn from, ${validation.length} to be judged on, ${aside}`
  }
  return `a small suite: two folds of ${train.length} and ${validation.length} cases take turns in being learned from and judged on, ${aside}; what is said holds for these cases, ${wider}`
}

/** Writes v0 and compares it with itself on all but the test cases: for its rate, the noise and the first transcripts. */
export async function runBaseline(session: ImproveSession, context: FlowContext): Promise<void> {
  const { workspace, request, history } = session
  const paths = improvePaths(workspace)
  const skill_sha256 = await writeFirstVersion(session)
  const { split } = history
  if (split === undefined) throw new Error(`${paths.history}: no split`)
  const cases = [...split.train, ...split.validation]
  emitImproveStep(context, { iteration: 0, step: 'session', version: null, message: sessionText(split) })
  emitImproveStep(context, {
    iteration: 0,
    step: 'baseline',
    version: 'v0',
    message: 'v0 against itself: its rate and the noise',
  })
  const step = { candidate: 'v0', against: 'v0', cases, runs: countNoiseRuns(request.trainRuns), calibrate: true }
  const made = await runBenchStep(session, step, context)
  const alpha = candidateAlpha({ spent: 0, left: request.iterations })
  const headroom = measureHeadroom(made.cases, { cases: split.validation.length, runs: split.runs.validation, alpha })
  emitImproveStep(context, { iteration: 0, step: 'baseline', version: 'v0', message: headroom.message })
  await recordProgress(session, {
    fields: { headroom },
    iteration: {
      version: 'v0',
      parent: null,
      expectation_pass_rate: headroom.pass_rate,
      grading_result: 'baseline',
      is_current_best: true,
      iteration: 0,
      skill_sha256,
      benchmarks: { noise: made.folder },
      cost_usd: 0,
      ended_at: context.now().toISOString(),
    },
  })
}

function sessionText({ scope, detectable, power, needs, runs }: Split): string {
  const at = power.map(({ gain, power: chance }) => `${Math.round(100 * gain)} points ${Math.round(100 * chance)}%`)
  const wanted =
    needs === undefined || needs.runs <= runs.validation
      ? ''
      : `; for ${Math.round(100 * needs.gain)} points it would take --runs ${needs.runs}, or as many times more cases`
  return `${scope}. With ${runs.validation} runs of each in each arm the gate finds a gain of ${Math.round(100 * detectable)} points with power .8 (${at.join(', ')}), reckoned before any run with the spread that is usual${wanted}`
}
