/** Ends or pauses a session: records why it stopped and what it cost. */
import type { History } from '../../../schemas/history.ts'
import { writeAtomic } from '../../base/fs/durable_files.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import { improvePaths } from '../../store/paths.ts'
import type { FlowContext } from '../flow_context.ts'
import { readBenchmarkSpending } from '../limits/limited_bench.ts'
import { classifyFailures, readSeenRuns } from './propose/training_runs.ts'
import { isCertified, pullRequestText } from './pull_request.ts'
import { buildReproduceCommand } from './session/reproduce_command.ts'
import { emitImproveStep, findHead, type ImproveSession, recordProgress } from './session/session.ts'
import { listSessionBenchmarks } from './session_budget.ts'

export type SessionStop = NonNullable<History['stopped']>

/** Ends the session for good. */
export async function finishSession(
  session: ImproveSession,
  why: Pick<SessionStop, 'reason' | 'message'>,
  context: FlowContext,
): Promise<void> {
  const { current_best } = session.history
  emitImproveStep(context, { round: 0, step: 'stopped', version: current_best, message: why.message })
  const failures = classifyFailures(await readSeenRuns(session, findHead(session.history).version))
  const { reason, message } = why
  const ending = {
    stopped: { reason, message, ...(failures.length > 0 && { failures }) },
    certification: session.history.certification ?? null,
    ...(await sumSessionCosts(session)),
    ended_at: context.now().toISOString(),
  }
  await writePullRequest(session, { ...session.history, ...ending }, context)
  await recordProgress(session, ending)
}

/** Before the session counts as ended: a resume after an interruption writes it again. */
async function writePullRequest(
  { workspace, request }: ImproveSession,
  ended: History,
  { env }: FlowContext,
): Promise<void> {
  if (!isCertified(ended)) return
  const text = pullRequestText(ended, buildReproduceCommand(request))
  await writeAtomic(improvePaths(workspace).pullRequest, getRedactor(env).text(text))
}

/** Stops without ending: --resume continues the session. */
export async function pauseSession(session: ImproveSession, stopped: SessionStop, context: FlowContext): Promise<void> {
  emitImproveStep(context, { round: 0, step: 'stopped', version: null, message: stopped.message })
  await recordProgress(session, { stopped, ...(await sumSessionCosts(session)) })
}

/** Covers everything that the session has run, including unfinished benchmarks. */
async function sumSessionCosts(session: ImproveSession): Promise<Costs> {
  let [known, unknown] = [0, 0]
  for (const collection of ['searches', 'benchmarks'] as const) {
    for (const folder of await listSessionBenchmarks(session, collection)) {
      for (const { usd } of await readBenchmarkSpending(folder)) {
        known += usd ?? 0
        unknown += usd === null ? 1 : 0
      }
    }
  }
  const usd = known === 0 && unknown > 0 ? null : Math.round(known * 1e6) / 1e6
  return { benchmarks_usd: usd, benchmarks_unknown: unknown }
}

type Costs = Required<Pick<History, 'benchmarks_usd' | 'benchmarks_unknown'>>
