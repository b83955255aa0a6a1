/** Starts a session: divides the runs, says what a result will show, and writes v0. */
import type { SessionPlan } from '../../../schemas/history/session.ts'
import { certificationPower, sessionAlpha } from '../../phases/4-report/acceptance/certify.ts'
import { formatPlural } from '../../phases/4-report/text/format.ts'
import { planSession } from '../../phases/5-improve/search/plan_session.ts'
import type { FlowContext } from '../flow_context.ts'
import { type CertifyJudge, certifyJudgeName } from './certify/certify_judge.ts'
import type { ImproveRequest } from './improve_request.ts'
import { emitImproveStep, type ImproveSession, recordProgress, writeFirstVersion } from './session/session.ts'

export function planRuns({ totalRuns }: ImproveRequest): SessionPlan {
  const divided = planSession(totalRuns)
  return { runs: totalRuns, ...divided, alpha: sessionAlpha, ...certificationPower(divided.certification_runs) }
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
    ...{ expectation_pass_rate: null, grading_result: 'baseline' as const, is_current_best: true },
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
