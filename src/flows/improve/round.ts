/** One iteration: propose, check, try on training cases, then the gate on validation. */
import type { GateResult } from '../../../schemas/history/gate.ts'
import type { Iteration, Proposal } from '../../../schemas/history.ts'
import type { EngineChoice } from '../../../schemas/plan.ts'
import type { RunRecord } from '../../../schemas/run.ts'
import { hashWalk } from '../../base/files.ts'
import type { SandboxChoice } from '../../base/sandbox/choose.ts'
import { alphaFor } from '../../phases/4-report/accept/alpha.ts'
import { courseOf, hopedGain, isWorthValidating, spentAlpha, triesOf } from '../../phases/4-report/accept/course.ts'
import { parentRuns, trainVerdict } from '../../phases/4-report/accept/early.ts'
import { gatePower } from '../../phases/4-report/accept/power.ts'
import { type Fold, foldOf } from '../../phases/4-report/accept/turns.ts'
import { lastWords } from '../../phases/5-improve/propose_prompt.ts'
import { changedFiles, type SkillEdit } from '../../phases/5-improve/skill_edit.ts'
import { improvePaths } from '../../store/paths.ts'
import type { FlowContext } from '../context.ts'
import { noLimits } from '../limits.ts'
import { counted, nothing } from '../purses.ts'
import { spentByRun } from '../spent.ts'
import { benchStep } from './bench_step.ts'
import { candidateOf } from './candidate.ts'
import { inTraining } from './in_blocks.ts'
import { proposalsTried, rejectedLines } from './memory.ts'
import { propose } from './propose.ts'
import { isLastRound } from './reserve.ts'
import { record, type Session, tell } from './session.ts'
import { layVersion, skillTexts, textsOf } from './skill_texts.ts'
import { staticRefusal } from './static_checks.ts'
import { seenRuns } from './training.ts'
import { validate } from './validate.ts'

export interface Round {
  iteration: number
  proposer: EngineChoice
  sandbox: SandboxChoice
}

/** Adds one iteration or one refused proposal to the history. */
export async function runRound(session: Session, round: Round, context: FlowContext): Promise<void> {
  const { history, workspace, skill, suite } = session
  const { iteration } = round
  const { split } = history
  if (split === undefined) throw new Error(`${workspace}: no split`)
  const paths = improvePaths(workspace)
  const { best, head } = courseOf(history.iterations)
  const fold = foldOf(split, history, iteration)
  tell(context, {
    iteration,
    step: 'propose',
    version: null,
    message: `a proposal from ${head}, by what ${fold.train.length} training cases show`,
  })
  const seen = await seenRuns(session, { versions: [head, best, 'v0'], cases: fold.train })
  const asked = {
    ...round,
    parent: head,
    cases: fold.train,
    seen,
    rejected: rejectedLines(history, iteration),
    engine: round.proposer,
  }
  const proposed = await propose(session, asked, context)
  context.signal.throwIfAborted()
  const spent = spentByRun(proposed.record)
  session.purses.settle(nothing, counted(spent, session.request.bench.limits ?? noLimits))
  const parent = paths.version(head)
  const candidate = await candidateOf(proposed, { parent, name: skill.name, seconds: session.request.proposeTimeout })
  const before = await skillTexts(parent)
  const edit: SkillEdit = { before, after: candidate.status === 'made' ? await textsOf(candidate.files) : before }
  const proposal = describe(proposed.record, edit)
  const shared = { cost_usd: spent.usd, ended_at: context.now().toISOString() }
  const isOf = (ids: readonly number[]) => suite.cases.filter(({ eval_id }) => ids.includes(eval_id))
  const refusal =
    candidate.status === 'refused'
      ? candidate
      : await staticRefusal({
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
    tell(context, { iteration, step: 'refused', version: null, message: `refused (${rule}): ${reason}` })
    await record(session, { refused: { iteration, parent: head, rule, reason, proposal, ...shared } })
    return
  }
  if (candidate.status !== 'made') return
  const version = `v${history.iterations.length}`
  await layVersion(candidate.files, paths.version(version))
  tell(context, { iteration, step: 'train', version, message: `${version}: ${proposal.summary}` })
  const met = await meet(session, { version, head, best, fold, iteration, planned: split.runs.validation }, context)
  tell(context, {
    iteration,
    step: 'verdict',
    version,
    message: `${version} against ${met.gate.against}: ${met.gate.result}: ${met.gate.reason}`,
  })
  await record(session, {
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

interface Candidate {
  version: string
  head: string
  best: string
  fold: Fold
  iteration: number
  /** Blocks of validation, at most. */
  planned: number
}

/** First its parent on training cases, then the best on validation, in blocks. */
async function meet(
  session: Session,
  { version, head, best, fold, iteration, planned }: Candidate,
  context: FlowContext,
): Promise<{ gate: GateResult; benchmarks: NonNullable<Iteration['benchmarks']> }> {
  const { request, history } = session
  const { trainRuns, margins } = request
  const course = courseOf(history.iterations)
  const left = request.iterations - proposalsTried(history)
  const alpha = alphaFor({ spent: spentAlpha(history.iterations), left })
  const { detectable } = gatePower({ cases: fold.validation.length, runs: planned, alpha })
  const isLast = isLastRound(session, { fold, planned })
  const parent = parentRuns(trainRuns, triesOf(history.iterations, head))
  const step = { candidate: version, against: head, cases: fold.train, runs: parent, reuses: true }
  const train = await benchStep(session, { ...step, perform: inTraining({ most: trainRuns, parent }) }, context)
  const early = trainVerdict({
    ...{ against: head, cases: train.cases, blocks: trainRuns, margins },
    isWorth: (difference) => isWorthValidating(hopedGain(course, difference), { detectable, left: isLast ? 1 : left }),
  })
  if (early !== null) return { gate: early, benchmarks: { train: train.folder } }
  const asked = { version, best, cases: fold.validation, iteration, alpha, planned }
  const { gate, folder } = await validate(session, asked, context)
  return { gate, benchmarks: { train: train.folder, validation: folder } }
}

function describe(run: RunRecord, edit: SkillEdit): Proposal {
  const { tokens, usd } = spentByRun(run)
  const { name, model } = run.engine
  return { ...lastWords(run.final_response), files: changedFiles(edit), engine: name, model, tokens, cost_usd: usd }
}
