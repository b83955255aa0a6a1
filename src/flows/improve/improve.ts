/** improve: searches for better versions of a skill on training cases, and certifies the best one once on held-out cases. */
import { existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import path from 'node:path'
import { type History, history as historySchema } from '../../../schemas/history.ts'
import { writeAtomic } from '../../base/fs/durable_files.ts'
import { quoteWord } from '../../base/package_root.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import { readSkill } from '../../phases/1-plan/skill/read_skill.ts'
import { usualMargins } from '../../phases/4-report/acceptance/guards.ts'
import { tryReadArtefact } from '../../store/artefacts/damage.ts'
import { improvePaths, timestampName } from '../../store/paths.ts'
import type { FlowContext } from '../flow_context.ts'
import { readBenchmarkSpending } from '../limits/limited_bench.ts'
import { refuseUnwritableWorkspace } from '../prepare/check_start.ts'
import { resolveSkillFolder, resolveSkillWorkspace } from '../prepare/prepare_bench.ts'
import { StepStopped, type StopCause } from '../versions/bench_versions.ts'
import { createNumberedFolder } from '../versions/replace_skill.ts'
import { clearLeftovers, lockBenchmark, removeEmptyFoldersAtEnd } from '../workspace/benchmark_lock.ts'
import type { ImproveResult } from './apply.ts'
import { certifyBest, confirmBest } from './certify/certify_best.ts'
import { gradingsPerRun } from './certify/certify_judge.ts'
import type { ImproveRequest } from './improve_request.ts'
import { prepareSession, type SessionCrew } from './prepare_session.ts'
import { classifyFailures, readSeenRuns } from './propose/training_runs.ts'
import { isCertified, pullRequestText } from './pull_request.ts'
import { runRound } from './search/run_round.ts'
import { openSession } from './session/open_session.ts'
import { emitImproveStep, findHead, type ImproveSession, recordProgress } from './session/session.ts'
import {
  findSearchLimit,
  listSessionBenchmarks,
  releaseReserve,
  reserveForCertification,
  settleEarlierCosts,
  sizeCertification,
} from './session_budget.ts'
import { startSession } from './start.ts'

/** Throws UserError before any paid call, and the abort reason if interrupted. Completed work is kept for --resume. */
export async function improve(request: ImproveRequest, context: FlowContext): Promise<ImproveResult> {
  await clearLeftovers(context)
  const { skill } = await readSkill(await resolveSkillFolder(path.resolve(request.skill)), request.bench.links)
  const workspace = resolveSkillWorkspace(request.bench, skill)
  refuseUnwritableWorkspace(workspace)
  await using _empty = removeEmptyFoldersAtEnd(workspace)
  await using lock = await lockBenchmark(workspace, context)
  const opened = await openSession(request, { skill, workspace, isDryRun: false }, lock.context)
  if ('ended' in opened) return toImproveResult(workspace, opened.ended)
  const { session } = opened
  await runSession(session, lock.context)
  return toImproveResult(workspace, session.history)
}

function toImproveResult(workspace: string, history: History): ImproveResult {
  return { workspace, history, best: improvePaths(workspace).version(history.current_best) }
}

async function runSession(session: ImproveSession, context: FlowContext): Promise<void> {
  try {
    await settleEarlierCosts(session)
    const crew = await prepareSession(session, context)
    // nothing refuses the session after this point
    if (session.isNew) await archiveSession(session, context)
    await startSession(session, crew.certifier, context)
    const ending = session.history.ending ?? (await search(session, crew, context))
    await decide(session, { ...crew, ending }, context)
  } catch (error) {
    context.signal.throwIfAborted()
    if (!(error instanceof StepStopped)) throw error
    const isInterrupted = context.drain.aborted || error.kind === 'interrupted'
    const reason = isInterrupted ? 'interrupted' : error.kind === 'proposer' ? 'proposer' : 'budget'
    await pauseSession(session, { reason, message: isInterrupted ? 'interrupted' : error.message }, context)
  }
}

type Ending = NonNullable<History['ending']>

/** Rounds until they are done, the version so far passes everything, or a limit ends the search. */
async function search(session: ImproveSession, crew: SessionCrew, context: FlowContext): Promise<Ending> {
  const { plan } = session
  reserveForCertification(session)
  for (;;) {
    if (context.drain.aborted) throw new StepStopped('interrupted', 'interrupted')
    const done = session.history.rounds ?? []
    if (done.length >= plan.rounds) {
      return {
        reason: 'rounds',
        message: plan.rounds === 1 ? 'the round is done' : `all ${plan.rounds} rounds are done`,
      }
    }
    const limit = findSearchLimit(session, context)
    if (limit !== null) {
      return { reason: 'budget', message: `the search used its half of the ${limit.replaceAll('_', ' of ')}` }
    }
    const end = await runRound(session, { round: done.length + 1, ...crew }, context).catch((error: unknown) => {
      if (error instanceof StepStopped && isBudget(error.kind) && findHead(session.history).version !== 'v0')
        return error
      throw error
    })
    if (end instanceof StepStopped) return { reason: 'budget', message: end.message }
    const { version } = findHead(session.history)
    if (end === 'solved') return { reason: 'solved', message: `${version} passes all training cases` }
    const [last] = (session.history.rounds ?? []).slice(-1)
    if (last !== undefined && done.length + 1 < plan.rounds) {
      const folder = path.join(session.workspace, last.benchmarks.mixes ?? last.benchmarks.shown[0] ?? '')
      await session.request.review?.({ folder, cases: session.split.train })
    }
  }
}

function isBudget(kind: StopCause): boolean {
  return kind === 'budget' || kind === 'budget_tokens'
}

/** Certifies the newest version, unless there is none; then the session has ended. */
async function decide(
  session: ImproveSession,
  { ending, ...crew }: SessionCrew & { ending: Ending },
  context: FlowContext,
): Promise<void> {
  const { version: best } = findHead(session.history)
  releaseReserve(session)
  if (best === 'v0' && ending.reason === 'budget')
    throw new StepStopped(`${ending.message} without a better version`, 'budget')
  if (best === 'v0') {
    const isSolved = ending.reason === 'solved'
    const none = { reason: 'no_edit', message: `no edit helped on the training cases; ${ending.message}` } as const
    return await finishSession(session, isSolved ? ending : none, context)
  }
  const runs =
    session.history.ending?.certification_runs ?? (await sizeCertification(session, gradingsPerRun(crew.certifier)))
  await recordProgress(session, { ending: { ...ending, certification_runs: runs } })
  const certified = session.history.certification ?? (await certifyBest(session, { ...crew, best, runs }, context))
  const { confirmOn: engines } = session.request
  if (certified.result === 'won') await confirmBest(session, { ...crew, best, runs, engines }, context)
  await finishSession(session, ending, context)
}

/** Called once nothing can refuse the new session. Without a history it still moves versions and proposals. */
async function archiveSession({ workspace }: Pick<ImproveSession, 'workspace'>, context: FlowContext): Promise<void> {
  const { history, versions, proposals, mixes, pullRequest, sessions } = improvePaths(workspace)
  const left = [versions, proposals, mixes, pullRequest, history].filter((one) => existsSync(one))
  if (left.length === 0) return
  const before = tryReadArtefact(historySchema, history)
  const started = new Date(before?.started_at ?? '')
  const target = await createNumberedFolder(
    path.join(sessions, timestampName(Number.isNaN(started.getTime()) ? context.now() : started)),
  )
  for (const one of left) await rename(one, path.join(target, path.basename(one)))
  const place = path.join(path.basename(sessions), path.basename(target))
  const message = `${describeLeft(before)} is now in ${place} of the workspace`
  emitImproveStep(context, { round: 0, step: 'session', version: null, message })
}

function describeLeft(before: History | null): string {
  if (before === null) return 'what an earlier session left there'
  return before.ended_at === undefined
    ? 'the unfinished session before this one'
    : 'the session before this one, which has ended,'
}

type SessionStop = NonNullable<History['stopped']>

async function finishSession(
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
async function pauseSession(session: ImproveSession, stopped: SessionStop, context: FlowContext): Promise<void> {
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
  const { bench, goal, margins, descriptionBy } = request
  const flags: [flag: string, value: string | number | null | undefined][] = [
    ['set', descriptionBy === undefined ? null : showPath(descriptionBy)],
    ...(bench.among ?? []).map((place): [string, string] => ['among', showPath(place)]),
    ['suite', bench.suite === null || descriptionBy !== undefined ? null : showPath(bench.suite)],
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
  const part = descriptionBy === undefined ? [] : ['--description']
  return ['whetstone', 'improve', quoteWord(showPath(request.skill)), ...part, ...given, ...drafts].join(' ')
}

function showPath(given: string): string {
  return path.isAbsolute(given) ? path.basename(given) : given
}
