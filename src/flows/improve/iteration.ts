/** Runs one iteration: propose, check, try on training cases, then validate. */
import type { GateResult } from '../../../schemas/history/gate.ts'
import type { Iteration, Proposal } from '../../../schemas/history.ts'
import type { EngineChoice } from '../../../schemas/plan.ts'
import type { RunRecord } from '../../../schemas/run.ts'
import { hashWalk } from '../../base/fs/files.ts'
import type { SandboxChoice } from '../../base/sandbox/choose.ts'
import { candidateAlpha } from '../../phases/4-report/acceptance/alpha_spending.ts'
import { parentRuns, trainVerdict } from '../../phases/4-report/acceptance/early_rejection.ts'
import { type CaseFold, findFold } from '../../phases/4-report/acceptance/folds.ts'
import { gatePower } from '../../phases/4-report/acceptance/gate_power.ts'
import {
  countTries,
  expectedGain,
  isWorthValidating,
  spentAlpha,
  traceCourse,
} from '../../phases/4-report/acceptance/session_course.ts'
import { parseSummary } from '../../phases/5-improve/propose_prompt.ts'
import { changedFiles, type SkillEdit } from '../../phases/5-improve/skill_edit.ts'
import { improvePaths } from '../../store/paths.ts'
import type { FlowContext } from '../flow_context.ts'
import { readRunUsage } from '../history/usage.ts'
import { toBudgetAmounts, zeroAmounts } from '../limits/budgets.ts'
import { noLimits } from '../limits/limits.ts'
import { isLastRound } from './budget_reserve.ts'
import { readCandidate } from './propose/candidate.ts'
import { proposeVersion } from './propose/propose.ts'
import { findStaticRefusal } from './propose/static_checks.ts'
import { readSeenRuns } from './propose/training_runs.ts'
import { countProposals, describeRejections } from './session/proposal_memory.ts'
import { emitImproveStep, type ImproveSession, recordProgress } from './session/session.ts'
import { readFileTexts, readSkillTexts, writeVersion } from './session/skill_texts.ts'
import { runBenchStep } from './validate/bench_step.ts'
import { validateVersion } from './validate/run_validation.ts'
import { createTrainingPerform } from './validate/sequential_validation.ts'

export interface ImproveRound {
  iteration: number
  proposer: EngineChoice
  sandbox: SandboxChoice
}

/** Adds one iteration or one refused proposal to the history. */
export async function runImproveRound(
  session: ImproveSession,
  round: ImproveRound,
  context: FlowContext,
): Promise<void> {
  const { history, workspace, skill, suite } = session
  const { iteration } = round
  const { split } = history
  if (split === undefined) throw new Error(`${workspace}: no split`)
  const paths = improvePaths(workspace)
  const { best, head } = traceCourse(history.iterations)
  const fold = findFold(split, history, iteration)
  emitImproveStep(context, {
    iteration,
    step: 'propose',
    version: null,
    message: `a proposal from ${head}, by what ${fold.train.length} training cases show`,
  })
  const seen = await readSeenRuns(session, { versions: [head, best, 'v0'], cases: fold.train })
  const asked = {
    ...round,
    parent: head,
    cases: fold.train,
    seen,
    rejected: describeRejections(history, iteration),
    engine: round.proposer,
  }
  const proposed = await proposeVersion(session, asked, context)
  context.signal.throwIfAborted()
  const spent = readRunUsage(proposed.record)
  session.budgets.settle(zeroAmounts, toBudgetAmounts(spent, session.request.bench.limits ?? noLimits))
  const parent = paths.version(head)
  const candidate = await readCandidate(proposed, { parent, name: skill.name, seconds: session.request.proposeTimeout })
  const before = await readSkillTexts(parent)
  const edit: SkillEdit = { before, after: candidate.status === 'made' ? await readFileTexts(candidate.files) : before }
  const proposal = toProposal(proposed.record, edit)
  const shared = { cost_usd: spent.usd, ended_at: context.now().toISOString() }
  const isOf = (ids: readonly number[]) => suite.cases.filter(({ eval_id }) => ids.includes(eval_id))
  const refusal =
    candidate.status === 'refused'
      ? candidate
      : await findStaticRefusal({
          edit,
          files: candidate.files,
          name: skill.name,
          seen: isOf(fold.train),
          held: suite.cases.filter(({ eval_id }) => !fold.train.includes(eval_id)),
          tried: new Map(history.iterations.map((one) => [one.skill_sha256 ?? '', one.version])),
          signal: context.signal,
          searchPath: context.env.PATH ?? '',
        })
  if (refusal !== null) {
    const { rule, reason } = refusal
    emitImproveStep(context, { iteration, step: 'refused', version: null, message: `refused (${rule}): ${reason}` })
    await recordProgress(session, { refused: { iteration, parent: head, rule, reason, proposal, ...shared } })
    return
  }
  if (candidate.status !== 'made') return
  const version = `v${history.iterations.length}`
  await writeVersion(candidate.files, paths.version(version))
  emitImproveStep(context, { iteration, step: 'train', version, message: `${version}: ${proposal.summary}` })
  const entry = { version, head, best, fold, iteration, planned: split.runs.validation }
  const met = await evaluateCandidate(session, entry, context)
  emitImproveStep(context, {
    iteration,
    step: 'verdict',
    version,
    message: `${version} against ${met.gate.against}: ${met.gate.result}: ${met.gate.reason}`,
  })
  await recordProgress(session, {
    iteration: {
      ...{ version, parent: head, iteration, proposal, ...met },
      expectation_pass_rate: met.gate.candidate_mean,
      rate_of: met.gate.stage,
      grading_result: met.gate.result,
      is_current_best: met.gate.result === 'won',
      skill_sha256: await hashWalk(candidate.files),
      cost_usd: spent.usd,
      ended_at: context.now().toISOString(),
    },
  })
}

interface RoundCandidate {
  version: string
  head: string
  best: string
  fold: CaseFold
  iteration: number
  /** Most blocks of validation. */
  planned: number
}

/** Compares the candidate with its parent on training cases, then with the best version on validation cases, in blocks. */
async function evaluateCandidate(
  session: ImproveSession,
  { version, head, best, fold, iteration, planned }: RoundCandidate,
  context: FlowContext,
): Promise<{ gate: GateResult; benchmarks: NonNullable<Iteration['benchmarks']> }> {
  const { request, history } = session
  const { trainRuns, margins } = request
  const course = traceCourse(history.iterations)
  const left = request.iterations - countProposals(history)
  const alpha = candidateAlpha({ spent: spentAlpha(history.iterations), left })
  const { detectable } = gatePower({ cases: fold.validation.length, runs: planned, alpha })
  const isLast = isLastRound(session, { fold, planned })
  const parent = parentRuns(trainRuns, countTries(history.iterations, head))
  const step = { candidate: version, against: head, cases: fold.train, runs: parent, reuses: true }
  const train = await runBenchStep(
    session,
    { ...step, perform: createTrainingPerform({ most: trainRuns, parent }) },
    context,
  )
  const early = trainVerdict({
    ...{ against: head, cases: train.cases, blocks: trainRuns, margins },
    isWorth: (difference) =>
      isWorthValidating(expectedGain(course, difference), { detectable, left: isLast ? 1 : left }),
  })
  if (early !== null) return { gate: early, benchmarks: { train: train.folder } }
  const asked = { version, best, cases: fold.validation, iteration, alpha, planned }
  const { gate, folder } = await validateVersion(session, asked, context)
  return { gate, benchmarks: { train: train.folder, validation: folder } }
}

function toProposal(run: RunRecord, edit: SkillEdit): Proposal {
  const { tokens, usd } = readRunUsage(run)
  const { name, model } = run.engine
  return { ...parseSummary(run.final_response), files: changedFiles(edit), engine: name, model, tokens, cost_usd: usd }
}
