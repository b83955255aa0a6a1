/** Starts a session: splits the cases, divides the runs, says what a result will show, and writes v0. */
import type { SessionPlan, Split } from '../../../schemas/history/session.ts'
import type { Suite } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { hashSuite } from '../../phases/1-plan/suite/load_suite.ts'
import { type CaseSplit, leastForSimilarCases, splitCases } from '../../phases/1-plan/suite/split_suite.ts'
import { certificationPower } from '../../phases/4-report/acceptance/certification_power.ts'
import { sessionAlpha } from '../../phases/4-report/acceptance/certify.ts'
import { leastCases } from '../../phases/4-report/acceptance/compare_held_out.ts'
import { formatPlural } from '../../phases/4-report/text/format.ts'
import { planSession } from '../../phases/5-improve/search/plan_session.ts'
import type { FlowContext } from '../flow_context.ts'
import { type CertifyJudge, certifyJudgeName } from './certify/certify_judge.ts'
import type { ImproveRequest } from './improve_request.ts'
import { emitImproveStep, type ImproveSession, recordProgress } from './session/session.ts'
import { writeFirstVersion } from './session/version_folders.ts'

/** Everything fixed before the first run. Throws UserError for a suite that can't be split. */
export async function splitSuite(request: ImproveRequest, suite: Suite): Promise<Split> {
  const drafts = suite.cases.filter(({ draft }) => draft === true).map(({ eval_id }) => eval_id)
  const made = splitReviewed(suite, request, drafts.length)
  return {
    seed: request.seed,
    ...made,
    suite_sha256: await hashSuite(suite),
    scope: describeScope(made) + draftsText(drafts.length, request.useDrafts),
    ...(drafts.length > 0 && { drafts, drafts_used: request.useDrafts }),
  }
}

export function planRuns({ totalRuns }: ImproveRequest): SessionPlan {
  const divided = planSession(totalRuns)
  return { runs: totalRuns, ...divided, alpha: sessionAlpha, ...certificationPower(divided.certification_runs) }
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
  return `; ${drafts} of the cases are unreviewed drafts: results hold for cases that a model wrote`
}

function describeScope({ train, held_out }: CaseSplit): string {
  const parts = `${formatPlural(train.length, 'training case')}, ${formatPlural(held_out.length, 'held-out case')}`
  if (held_out.length >= leastCases) return parts
  return `${parts}; a result holds for these cases only (a claim about similar cases needs ${leastForSimilarCases} cases or more)`
}

/** Writes v0 and the split. On a resume nothing changes. */
export async function startSession(
  session: ImproveSession,
  certifier: CertifyJudge,
  context: FlowContext,
): Promise<void> {
  const skill_sha256 = await writeFirstVersion(session)
  const { split, plan, history } = session
  if (history.iterations.length > 0) return
  emitImproveStep(context, { round: 0, step: 'session', version: null, message: `${split.scope}. ${planText(plan)}` })
  const first = {
    ...{ version: 'v0', parent: null, iteration: 0, skill_sha256 },
    ...{ expectation_pass_rate: 0, grading_result: 'baseline' as const, is_current_best: true },
    ended_at: context.now().toISOString(),
  }
  await recordProgress(session, { split, plan, certify_judge: certifyJudgeName(certifier), iterations: [first] })
}

/** "At most 250 runs: …. Chance that the certification shows a true gain of 10 points: 39%, of 20 points: 86%". */
function planText({ runs, search_runs, certification_runs, rounds, power }: SessionPlan): string {
  const shown = power.map(
    ({ gain, power: chance }) => `of ${Math.round(100 * gain)} points: ${Math.round(100 * chance)}%`,
  )
  const parts = `${search_runs} for the search in ${formatPlural(rounds, 'round')}, ${certification_runs} for the certification`
  return `At most ${runs} runs: ${parts}. Chance that the certification shows a true gain ${shown.join(', ')}`
}
