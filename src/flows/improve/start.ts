/** The start of a session: the split, v0, what a claim will be worth, and whether there is anything to find. */
import type { Split } from '../../../schemas/history/session.ts'
import type { Suite } from '../../../schemas/suite.ts'
import { UserError } from '../../base/error.ts'
import { hashSuite } from '../../phases/1-plan/load.ts'
import { type CaseSplit, splitCases } from '../../phases/1-plan/split.ts'
import { alphaFor } from '../../phases/4-report/accept/alpha.ts'
import { headroomOf } from '../../phases/4-report/accept/headroom.ts'
import { gatePower } from '../../phases/4-report/accept/power.ts'
import { leastCases } from '../../phases/4-report/accept/verdict.ts'
import { improvePaths } from '../../store/paths.ts'
import type { FlowContext } from '../context.ts'
import { benchStep, noiseRuns } from './bench_step.ts'
import { layFirst } from './laid.ts'
import type { ImproveRequest } from './request.ts'
import { record, type Session, tell } from './session.ts'

/** What is fixed before anything runs. Throws UserError for a suite that can't be split. */
export async function splitOf(request: ImproveRequest, suite: Suite): Promise<Split> {
  const drafts = suite.cases.filter(({ draft }) => draft === true).map(({ eval_id }) => eval_id)
  const made = splitReviewed(suite, request, drafts.length)
  const alpha = alphaFor({ spent: 0, left: request.iterations })
  const { trainRuns: train } = request
  const validation = request.validationRuns ?? runsFor(made)
  const test = request.testRuns ?? validation
  return {
    seed: request.seed,
    ...made,
    suite_sha256: await hashSuite(suite),
    runs: { train, validation, test },
    scope: scopeOf(made) + draftsText(drafts.length, request.useDrafts),
    ...(drafts.length > 0 && { drafts, drafts_used: request.useDrafts }),
    ...gatePower({ cases: made.validation.length, runs: validation, alpha }),
  }
}

/** What nobody has reviewed judges nothing, unless that is asked for expressly. */
function splitReviewed({ cases, path }: Suite, { seed, useDrafts }: ImproveRequest, drafts: number): CaseSplit {
  if (useDrafts || drafts === 0) return splitCases(cases, seed)
  const reviewed = cases.filter(({ draft }) => draft !== true)
  if (reviewed.filter((one) => one.cannot_run === null).length >= 2) return splitCases(reviewed, seed)
  throw new UserError(
    `${path}: ${drafts} of its ${cases.length} cases are drafts that nobody has reviewed, and too few are left`,
    'read them and take out "review": "draft", or give --use-drafts',
  )
}

function draftsText(drafts: number, isUsed: boolean): string {
  if (drafts === 0) return ''
  if (!isUsed) return `; ${drafts} drafts that nobody has reviewed are left out (--use-drafts takes them in)`
  return `; ${drafts} of the cases are drafts that nobody has reviewed: what is said holds for what a model thought of`
}

/** Few cases are made up for by more runs of each: as many in all as a suite of 18 has. */
function runsFor({ train, validation }: CaseSplit): number {
  const fewest = Math.max(1, Math.min(train.length, validation.length))
  return Math.min(mostRuns, Math.max(usualRuns, Math.ceil((usualRuns * 9) / fewest)))
}

const usualRuns = 5
const mostRuns = 20

function scopeOf({ kind, train, validation, test }: CaseSplit): string {
  const aside =
    test.length === 0 ? 'no case is left aside for a test' : `${test.length} cases are left aside for the test`
  const wider = `a claim about cases like these needs at least ${leastCases} validation cases, from 18 cases on in the suite`
  if (kind === 'three_way') {
    return `${train.length} cases to learn from, ${validation.length} to be judged on, ${aside}`
  }
  return `a small suite: two folds of ${train.length} and ${validation.length} cases take turns in being learned from and judged on, ${aside}; what is said holds for these cases, ${wider}`
}

/** Lays out v0 and runs it against itself on all cases but those of the test: its rate, the noise, the first transcripts. */
export async function baseline(session: Session, context: FlowContext): Promise<void> {
  const { workspace, request, history } = session
  const paths = improvePaths(workspace)
  const skill_sha256 = await layFirst(session)
  const { split } = history
  if (split === undefined) throw new Error(`${paths.history}: no split`)
  const cases = [...split.train, ...split.validation]
  tell(context, { iteration: 0, step: 'session', version: null, message: sessionText(split) })
  tell(context, { iteration: 0, step: 'baseline', version: 'v0', message: 'v0 against itself: its rate and the noise' })
  const step = { candidate: 'v0', against: 'v0', cases, runs: noiseRuns(request.trainRuns), calibrate: true }
  const made = await benchStep(session, step, context)
  const alpha = alphaFor({ spent: 0, left: request.iterations })
  const headroom = headroomOf(made.cases, { cases: split.validation.length, runs: split.runs.validation, alpha })
  tell(context, { iteration: 0, step: 'baseline', version: 'v0', message: headroom.message })
  await record(session, {
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
