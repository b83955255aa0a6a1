/** Ends or pauses a session: records why it stopped and what it cost. */

import path from 'node:path'
import type { History } from '../../../schemas/history.ts'
import { writeAtomic } from '../../base/fs/durable_files.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import { quoteWord } from '../../base/typed_command.ts'
import { usualMargins } from '../../phases/4-report/acceptance/guards.ts'
import { improvePaths } from '../../store/paths.ts'
import type { FlowContext } from '../flow_context.ts'
import { readBenchmarkSpending } from '../limits/limited_bench.ts'
import type { ImproveRequest } from './improve_request.ts'
import { classifyFailures, readSeenRuns } from './propose/training_runs.ts'
import { isCertified, pullRequestText } from './pull_request.ts'
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

/** Names the settings that shape the result. An absolute path is shortened to its last part: it names the author's machine. */
function buildReproduceCommand(request: ImproveRequest): string {
  const { bench, goal, margins } = request
  const flags: [flag: string, value: string | number | null | undefined][] = [
    ['suite', bench.suite === null ? null : showPath(bench.suite)],
    ['total-runs', request.totalRuns],
    ['seed', request.seed],
    ['goal', goal === 'better' ? null : goal],
    ['engine', bench.engine],
    ['model', bench.model],
    ['judge', bench.judge],
    ['proposer', request.proposer],
    ['certify-judge', request.certifyJudge],
    ...request.confirmOn.map((engine): [string, string] => ['confirm-on', engine]),
    ['timeout', bench.timeoutSeconds],
    ['max-turns', bench.maxTurns],
    ['activation', bench.activation === 'natural' ? null : bench.activation],
    ['max-cost-increase', margins.cost === usualMargins.cost ? null : Math.round(1e4 * margins.cost) / 100],
    ['max-time-increase', margins.time === usualMargins.time ? null : Math.round(1e4 * margins.time) / 100],
  ]
  const given = flags.flatMap(([flag, value]) =>
    value === null || value === undefined ? [] : [`--${flag}`, quoteWord(String(value))],
  )
  const drafts = request.useDrafts ? ['--use-drafts'] : []
  return ['whetstone', 'improve', quoteWord(showPath(request.skill)), ...given, ...drafts].join(' ')
}

function showPath(given: string): string {
  return path.isAbsolute(given) ? path.basename(given) : given
}
