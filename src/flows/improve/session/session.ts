/** An improve session on disk, in history.json and versions/; a resumed session continues from there. */
import {
  type History,
  history as historySchema,
  type Iteration,
  type RefusedProposal,
} from '../../../../schemas/history.ts'
import type { Skill, Suite } from '../../../../schemas/suite.ts'
import { UserError } from '../../../base/errors/error.ts'
import { pathExists } from '../../../base/fs/files.ts'
import { readJson } from '../../../base/json/json.ts'
import { traceCourse } from '../../../phases/4-report/acceptance/session_course.ts'
import { improvePaths } from '../../../store/paths.ts'
import { writeArtefact } from '../../../store/store.ts'
import type { FlowContext } from '../../flow_context.ts'
import { type BudgetAmounts, type SharedBudgets, zeroAmounts } from '../../limits/budgets.ts'
import { refuseChangedSettings } from '../../workspace/changed_settings.ts'
import type { ImproveRequest } from '../improve_request.ts'
import { proposerFailedRule } from './proposal_memory.ts'
import { type ComparedVersions, listComparedVersions } from './version_benchmarks.ts'

export interface ImproveSession {
  request: ImproveRequest
  /** The author's version. */
  skill: Skill
  suite: Suite
  workspace: string
  history: History
  /** Nothing of it is on disk yet; existing files belong to an earlier session. */
  isNew: boolean
  /** Proposer failures before this start: a resume asks it again. */
  failedBefore: number
  budgets: SharedBudgets
  /** Part of the budget, reserved for the final test. */
  reserved: BudgetAmounts
  /** Cost of a baseline run with its grading; null: not known yet, or no limits. */
  perRun: BudgetAmounts | null
  /** Which versions were compared, and where: the source of training transcripts. */
  met: ComparedVersions[]
}

/** Settings that a resume must not change. */
function pickSettings({
  bench,
  seed,
  trainRuns,
  validationRuns,
  testRuns,
  margins,
  proposer,
  useDrafts,
}: ImproveRequest) {
  const { engine, model, judge, timeoutSeconds, maxTurns, activation } = bench
  return {
    ...{ engine, model, judge, timeoutSeconds, maxTurns, activation },
    ...{ seed, trainRuns, validationRuns, testRuns, margins, proposer, useDrafts },
  }
}

/** The history to continue, or a new one; an ended session stays in place. Throws UserError. */
export async function openHistory(
  request: ImproveRequest,
  skill: Skill,
  at: { workspace: string; now: Date },
): Promise<Pick<ImproveSession, 'history' | 'isNew'>> {
  const paths = improvePaths(at.workspace)
  const found = (await pathExists(paths.history)) ? await readJson(historySchema, paths.history) : null
  const isOpen = found !== null && found.ended_at === undefined && found.split !== undefined
  if (request.resume) return { history: resumeHistory(found, request, at.workspace), isNew: false }
  if (isOpen) {
    throw new UserError(
      `${paths.history}: unfinished session`,
      'continue it with --resume, or choose another folder with --workspace',
    )
  }
  const history: History = {
    started_at: at.now.toISOString(),
    skill_name: skill.name,
    current_best: 'v0',
    iterations: [],
    schema_version: 1,
    settings: pickSettings(request),
    refused: [],
  }
  return { history, isNew: true }
}

function resumeHistory(found: History | null, request: ImproveRequest, workspace: string): History {
  if (found === null) throw new UserError(`${workspace}: no session to resume`, 'remove --resume')
  refuseChangedSettings('session', { ...Object(found.settings) }, pickSettings(request))
  if (found.ended_at !== undefined) return found // the test cases were evaluated, so the session has ended for good
  const { stopped: _, ...rest } = found
  return rest
}

/** Replaces a version's recorded result. */
export async function replaceIteration(session: ImproveSession, iteration: Iteration): Promise<void> {
  const { history } = session
  const iterations = history.iterations.map((one) => (one.version === iteration.version ? iteration : one))
  session.history = { ...history, iterations }
  await recordProgress(session, {})
}

/** Adds an iteration or a refused proposal, and recomputes the best version. */
export async function recordProgress(
  session: ImproveSession,
  added: { iteration?: Iteration; refused?: RefusedProposal; fields?: Partial<History> },
): Promise<void> {
  const { history } = session
  const iterations = [...history.iterations, ...(added.iteration ? [added.iteration] : [])]
  const { best } = traceCourse(iterations)
  session.history = {
    ...history,
    ...added.fields,
    current_best: best,
    iterations: iterations.map((one) => ({ ...one, is_current_best: one.version === best })),
    refused: [...(history.refused ?? []), ...(added.refused ? [added.refused] : [])],
  }
  await writeArtefact(historySchema, improvePaths(session.workspace).history, session.history)
}

/** The number of iterations: each proposal is one, refused or not. */
export function countIterations({ history }: ImproveSession): number {
  return Math.max(0, history.iterations.length - 1) + (history.refused?.length ?? 0)
}

export function openImproveSession(
  parts: Omit<ImproveSession, 'met' | 'reserved' | 'perRun' | 'failedBefore'>,
): ImproveSession {
  const { history, workspace } = parts
  const failedBefore = (history.refused ?? []).filter(({ rule }) => rule === proposerFailedRule).length
  return { ...parts, failedBefore, reserved: zeroAmounts, perRun: null, met: listComparedVersions(history, workspace) }
}

/** Emits the loop's progress. */
export function emitImproveStep(
  context: FlowContext,
  step: {
    iteration: number
    step: 'session' | 'baseline' | 'propose' | 'refused' | 'train' | 'validation' | 'verdict' | 'test' | 'stopped'
    version: string | null
    message: string
  },
): void {
  context.emit({ type: 'improve_step', ...step })
}
