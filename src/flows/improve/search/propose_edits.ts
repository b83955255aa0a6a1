/** Asks the proposers of a round, each to look at other failures, and reads their edits. */
import pLimit from 'p-limit'
import type { RoundProposal } from '../../../../schemas/history/round.ts'
import type { EngineChoice } from '../../../../schemas/plan.ts'
import type { SandboxChoice } from '../../../base/sandbox/choose.ts'
import { changesPerProposal } from '../../../phases/5-improve/propose_prompt.ts'
import { groupFailures } from '../../../phases/5-improve/search/group_failures.ts'
import { proposalsPerRound } from '../../../phases/5-improve/search/plan_session.ts'
import { improvePaths } from '../../../store/paths.ts'
import type { FlowContext } from '../../flow_context.ts'
import { readRunUsage } from '../../history/usage.ts'
import { noLimits, toBudgetAmounts } from '../../limits/limits.ts'
import { StepStopped } from '../../versions/bench_versions.ts'
import { type EditCandidate, proposerFailedRule, readCandidates } from '../propose/candidate.ts'
import { proposeVersion } from '../propose/propose.ts'
import { listFailures, readSeenRuns } from '../propose/training_runs.ts'
import { emitImproveStep, type ImproveSession, recordProgress } from '../session/session.ts'
import { findEmptyBudget } from '../session_budget.ts'

/** A proposal before its edits are checked. */
export type OpenProposal = Omit<RoundProposal, 'edits'> & { candidates: EditCandidate[] }

export interface ProposeRound {
  round: number
  parent: string
  proposer: EngineChoice
  sandbox: SandboxChoice
}

/** Throws StepStopped if every proposer failed; their costs are in the history then. */
export async function proposeEdits(
  session: ImproveSession,
  { round, parent, proposer, sandbox }: ProposeRound,
  context: FlowContext,
): Promise<OpenProposal[]> {
  const { request, workspace, skill, budgets } = session
  const seen = await readSeenRuns(session, parent)
  const focuses = groupFailures(listFailures(seen), proposalsPerRound)
  const message = `asking for ${proposalsPerRound} proposals that fix failures of ${parent}, with up to ${changesPerProposal} separate edits each`
  emitImproveStep(context, { round, step: 'propose', version: parent, message })
  // without a sandbox, what changes outside of a proposer's folder could not be told apart
  const limit = pLimit(sandbox.mechanism === 'none' ? 1 : request.bench.concurrency)
  const ask = async (focus: string, index: number): Promise<OpenProposal> => {
    // a proposal before this one may have used the rest
    const empty = findEmptyBudget(session)
    if (empty !== null) throw empty
    const number = index + 1
    const asked = { round, number, parent, focus, seen, engine: proposer, sandbox }
    const outcome = await proposeVersion(session, asked, context)
    context.signal.throwIfAborted()
    const spent = readRunUsage(outcome.record)
    budgets.spend(toBudgetAmounts(spent, request.bench.limits ?? noLimits))
    const folder = improvePaths(workspace).version(parent)
    const place = { parent: folder, name: skill.name, seconds: request.proposeTimeout, id: `${round}.${number}` }
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
