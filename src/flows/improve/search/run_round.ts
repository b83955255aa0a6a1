/** One round of the search: show the version so far, ask for edits, try them in mixes, and keep those that seem to help. */
import path from 'node:path'
import pLimit from 'p-limit'
import type { ProposedEdit, RoundProposal, SearchRound } from '../../../../schemas/history/round.ts'
import type { Iteration } from '../../../../schemas/history.ts'
import type { Activation, EngineChoice } from '../../../../schemas/plan.ts'
import { hashWalk } from '../../../base/fs/files.ts'
import type { SandboxChoice } from '../../../base/sandbox/choose.ts'
import { listSkillFiles } from '../../../phases/1-plan/skill/read_skill.ts'
import { createSeededRandom } from '../../../phases/4-report/stats/distributions/seeded_random.ts'
import { formatPlural } from '../../../phases/4-report/text/format.ts'
import { type EffectsRequest, estimateRound } from '../../../phases/5-improve/search/estimate_round.ts'
import { groupFailures } from '../../../phases/5-improve/search/group_failures.ts'
import { roundBudget } from '../../../phases/5-improve/search/plan_session.ts'
import { improvePaths } from '../../../store/paths.ts'
import type { FlowContext } from '../../flow_context.ts'
import { readRunUsage } from '../../history/forecast.ts'
import { noLimits, toBudgetAmounts } from '../../limits/limits.ts'
import { StepStopped } from '../../versions/bench_versions.ts'
import { readSkillTexts, writeVersionFiles } from '../../versions/replace_skill.ts'
import { countProposals } from '../improve_request.ts'
import { type EditCandidate, proposerFailedRule, readCandidates } from '../propose/candidate.ts'
import { proposeVersion } from '../propose/propose.ts'
import { findTextRefusal } from '../propose/static_checks.ts'
import { listFailures, readSeenRuns } from '../propose/training_runs.ts'
import { compareRates, emitImproveStep, findHead, type ImproveSession, recordProgress } from '../session/session.ts'
import { findEmptyBudget } from '../session_budget.ts'
import {
  type AcceptedEdit,
  acceptEdits,
  type CheckedEdit,
  combineEdits,
  type MixResult,
  runMixes,
} from './run_mixes.ts'
import { type ShownRuns, showParent } from './show_parent.ts'

/** Adds a round to the history, and its version if an edit was kept. `solved`: the shown runs leave nothing to learn. */
export async function runRound(
  session: ImproveSession,
  { round, ...crew }: Omit<ProposeRound, 'parent'>,
  context: FlowContext,
): Promise<'done' | 'solved'> {
  const { history, plan, request, split, workspace } = session
  const { version: parent } = findHead(history)
  const used = (history.rounds ?? []).reduce((sum, one) => sum + one.runs, 0)
  const budget = roundBudget(plan, { round, used, cases: split.train.length })
  const random = createSeededRandom(split.seed * 1000 + round)
  const isEndedByPasses = request.goal === 'better'
  const shown = await showParent(session, { round, parent, budget, isEndedByPasses, random }, context)
  session.seen.push(...shown.folders.map((folder) => path.join(workspace, folder)))
  if (round === 1) await recordFirstRate(session, shown)
  if (shown.isSolved && isEndedByPasses) return 'solved'
  const noMoney = findEmptyBudget(session)
  if (noMoney !== null) throw noMoney
  const proposals = await proposeEdits(session, { round, parent, ...crew }, context)
  const candidates = proposals.flatMap((one) => one.candidates)
  const { checked, accepted } = await acceptEdits(session, { round, parent, candidates }, context)
  const pairs = Math.max(1, Math.floor((budget.runs - shown.runs.length) / 2))
  const stopped = findEmptyBudget(session)
  if (stopped !== null && parent === 'v0') throw stopped
  const mixes =
    accepted.length > 0 && stopped === null
      ? await runMixes(session, { round, parent, edits: accepted, pairs, random }, context)
      : null
  if (mixes !== null) session.seen.push(path.join(workspace, mixes.folder))
  const made = { round, parent, shown, proposals, checked, accepted, mixes }
  await recordRound(session, made, context)
  return 'done'
}

interface MadeRound {
  round: number
  parent: string
  shown: ShownRuns
  proposals: readonly OpenProposal[]
  checked: readonly CheckedEdit[]
  accepted: readonly AcceptedEdit[]
  mixes: MixResult | null
}

async function recordRound(session: ImproveSession, made: MadeRound, context: FlowContext): Promise<void> {
  const { history, request, split } = session
  const { round, parent, shown, proposals, checked, accepted, mixes } = made
  const ids = accepted.map(({ id }) => id)
  const none = new Set<string>()
  const own = shown.runs.map(({ evalId, run }) => {
    return { evalId, edits: none, score: run.share, tokens: run.run.result.tokens ?? null }
  })
  const asked: EffectsRequest = { ids, goal: request.goal, cases: split.train, runs: [...own, ...(mixes?.runs ?? [])] }
  const found = mixes === null || mixes.runs.length === 0 ? null : estimateRound(asked)
  const kept = await dropLeaks(
    session,
    parent,
    accepted.filter(({ id }) => found?.kept.includes(id)),
  )
  // with more money its other runs may still show an edit that helps
  if (kept.length === 0 && parent === 'v0' && mixes !== null && mixes.stopped !== null)
    throw new StepStopped(mixes.stopped, 'budget')
  const version = kept.length === 0 ? null : await writeKept(session, { parent, kept })
  const keptIds = new Set(kept.map(({ id }) => id))
  const results = checked.map((edit): ProposedEdit => {
    const effect = found?.effects.get(edit.id) ?? { effect: null, runs_with: 0, runs_without: 0, cases: [] }
    return { ...edit, ...effect, kept: keptIds.has(edit.id) }
  })
  const estimate = found === null ? null : { parent: found.base, version: found.rateWith([...keptIds]) }
  const entry: SearchRound = {
    ...{ round, parent, version: version?.version ?? null, estimate },
    shown: { runs: shown.runs.length, pass_rate: shown.passRate },
    runs: shown.runs.length + (mixes?.runs.length ?? 0),
    benchmarks: { shown: shown.folders, ...(mixes && { mixes: mixes.folder }) },
    proposals: proposals.map(({ candidates: _, ...one }) => ({
      ...one,
      edits: ofProposal(results, round, one.number),
    })),
    ended_at: context.now().toISOString(),
  }
  const iteration = version && {
    ...{ version: version.version, parent, iteration: round, skill_sha256: version.sha256, edits: [...keptIds] },
    expectation_pass_rate: null,
    ...(estimate && { training_pass_rate: estimate.version }),
    grading_result: estimate === null ? ('tie' as const) : compareRates(estimate.version, estimate.parent),
    is_current_best: false,
    ended_at: context.now().toISOString(),
  }
  emitImproveStep(context, { round, step: 'version', version: version?.version ?? null, message: roundText(entry) })
  await recordProgress(session, {
    rounds: [...(history.rounds ?? []), entry],
    iterations: [
      ...session.history.iterations.map((one) => withEstimate(one, parent, estimate)),
      ...(iteration ? [iteration] : []),
    ],
  })
}

/** The rate of a parent is that of the round that tried edits on it: then both rates of a step are from the same runs. */
function withEstimate(one: Iteration, parent: string, estimate: SearchRound['estimate']): Iteration {
  if (one.version !== parent || estimate === null) return one
  return { ...one, training_pass_rate: estimate.parent }
}

function ofProposal(edits: readonly ProposedEdit[], round: number, number: number): ProposedEdit[] {
  return edits.filter(({ id }) => id.startsWith(`${round}.${number}.`))
}

/** Edits that leak only together: the last ones go. */
async function dropLeaks(
  session: ImproveSession,
  parent: string,
  kept: readonly AcceptedEdit[],
): Promise<readonly AcceptedEdit[]> {
  if (kept.length === 0) return kept
  const { suite, split, workspace } = session
  const { version } = improvePaths(workspace)
  const files = await combineEdits(version(parent), kept)
  const target = path.join(improvePaths(workspace).mixes, '.kept')
  await writeVersionFiles(files, target)
  const edit = { before: await readSkillTexts(version('v0')), after: await readSkillTexts(target) }
  const seen = suite.cases.filter(({ eval_id }) => split.train.includes(eval_id))
  const held = suite.cases.filter(({ eval_id }) => !split.train.includes(eval_id))
  return findTextRefusal({ edit, seen, held }) === null ? kept : await dropLeaks(session, parent, kept.slice(0, -1))
}

async function writeKept(
  { workspace, history }: ImproveSession,
  { parent, kept }: { parent: string; kept: readonly AcceptedEdit[] },
): Promise<{ version: string; sha256: string }> {
  const { version: folderOf } = improvePaths(workspace)
  const version = `v${history.iterations.length}`
  await writeVersionFiles(await combineEdits(folderOf(parent), kept), folderOf(version))
  return { version, sha256: await hashWalk((await listSkillFiles(folderOf(version))).files) }
}

/** Until the certification, v0 has the rate of its first runs. */
async function recordFirstRate(session: ImproveSession, { passRate }: ShownRuns): Promise<void> {
  const [first, ...others] = session.history.iterations
  if (first === undefined || passRate === null) return
  await recordProgress(session, {
    iterations: [{ ...first, training_pass_rate: passRate }, ...others],
  })
}

/** "v1 is v0 with 3 of the 11 edits; estimated pass rate on training cases: v0 34%, v1 61%". */
function roundText({ version, proposals, estimate, parent }: SearchRound): string {
  const edits = proposals.flatMap((one) => one.edits)
  const count = edits.filter(({ kept }) => kept).length
  if (edits.every(({ refused }) => refused !== undefined)) return `no edit could be tried: ${parent} stays`
  if (version === null || estimate === null) return `no edit seems to help: ${parent} stays`
  const which = edits.length === 1 ? 'the edit' : `${count} of the ${edits.length} edits`
  const [before, after] = [estimate.parent, estimate.version].map((rate) => `${Math.round(100 * rate)}%`)
  return `${version} is ${parent} with ${which}; estimated pass rate on training cases: ${parent} ${before}, ${version} ${after}`
}

type OpenProposal = Omit<RoundProposal, 'edits'> & { candidates: EditCandidate[] }

interface ProposeRound {
  round: number
  parent: string
  proposer: EngineChoice
  proposerActivation: Activation
  sandbox: SandboxChoice
}

/** Throws StepStopped if every proposer failed; their costs are in the history then. */
async function proposeEdits(
  session: ImproveSession,
  { round, parent, proposer, proposerActivation: activation, sandbox }: ProposeRound,
  context: FlowContext,
): Promise<OpenProposal[]> {
  const { request, workspace, skill, budgets } = session
  const seen = await readSeenRuns(session, parent)
  const { proposals: count, changes } = countProposals(request)
  const focuses = groupFailures(listFailures(seen), count)
  const what = `${formatPlural(count, 'proposal')} to fix failures of ${parent}`
  const message = `asking for ${what}, with up to ${formatPlural(changes, 'separate edit')} each`
  emitImproveStep(context, { round, step: 'propose', version: parent, message })
  // without a sandbox, what changes outside of a proposer's folder could not be told apart
  const limit = pLimit(sandbox.mechanism === 'none' ? 1 : request.bench.concurrency)
  const ask = async (focus: string, index: number): Promise<OpenProposal> => {
    // a proposal before this one may have used the rest
    const empty = findEmptyBudget(session)
    if (empty !== null) throw empty
    const number = index + 1
    const asked = { round, number, parent, focus, seen, engine: proposer, activation, sandbox }
    const outcome = await proposeVersion(session, asked, context)
    context.signal.throwIfAborted()
    const spent = readRunUsage(outcome.record)
    budgets.spend(toBudgetAmounts(spent, request.bench.limits ?? noLimits))
    const folder = improvePaths(workspace).version(parent)
    const id = `${round}.${number}`
    const place = { parent: folder, name: skill.name, seconds: request.proposeTimeout, id, changes }
    const read = await readCandidates(outcome, place)
    const { name: engine, model } = outcome.record.engine
    const shown = { number, focus, engine, model, tokens: spent.tokens, cost_usd: spent.usd }
    if ('edits' in read) return { ...shown, candidates: read.edits }
    const said = `proposal ${round}.${number} refused (${read.refused.rule}): ${read.refused.reason}`
    emitImproveStep(context, { round, step: 'refused', version: null, message: said })
    return { ...shown, refused: read.refused, candidates: [] }
  }
  const ended = await Promise.allSettled(focuses.map((focus, index) => limit(() => ask(focus, index))))
  const proposals = ended.map((one) => {
    if (one.status === 'rejected') throw one.reason
    return one.value
  })
  const failed = proposals.filter(({ refused }) => refused?.rule === proposerFailedRule)
  if (failed.length < proposals.length) return proposals
  await recordFailures(session, round, failed)
  throw new StepStopped(`every proposer failed: ${failed[0]?.refused?.reason}; fix that first`, 'proposer')
}

/** Their costs count although the next start asks them again. */
async function recordFailures(session: ImproveSession, round: number, failed: readonly OpenProposal[]): Promise<void> {
  const { failed_proposals = [] } = session.history
  const more = failed.map(({ refused, tokens, cost_usd }) => ({
    round,
    reason: refused?.reason ?? '',
    tokens,
    cost_usd,
  }))
  await recordProgress(session, { failed_proposals: [...failed_proposals, ...more] })
}
