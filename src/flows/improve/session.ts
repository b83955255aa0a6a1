/** An improve session on disk: history.json and versions/. What stands there is what a resumed session goes on from. */
import {
  type History,
  history as historySchema,
  type Iteration,
  type RefusedProposal,
} from '../../../schemas/history.ts'
import type { Skill, Suite } from '../../../schemas/suite.ts'
import { UserError } from '../../base/error.ts'
import { exists } from '../../base/files.ts'
import { canonicalJson, readJson } from '../../base/json.ts'
import { courseOf } from '../../phases/4-report/accept/course.ts'
import { improvePaths } from '../../store/paths.ts'
import { writeArtefact } from '../../store/store.ts'
import type { FlowContext } from '../context.ts'
import { type Amounts, nothing, type Purses } from '../purses.ts'
import { proposerFailed } from './memory.ts'
import { type Met, registryOf } from './registry.ts'
import type { ImproveRequest } from './request.ts'

export interface Session {
  request: ImproveRequest
  /** As the author has it. */
  skill: Skill
  suite: Suite
  workspace: string
  history: History
  /** Nothing of it is on disk yet; what lies there is of an earlier one. */
  isNew: boolean
  /** Failures of the proposer before this start: a resume asks it again. */
  failedBefore: number
  purses: Purses
  /** Of the purses, for the test at the end. */
  reserved: Amounts
  /** What a run of v0 took, its grading included; null: not known yet, or nothing is limited. */
  perRun: Amounts | null
  /** Who met whom, and where: what transcripts of training cases are taken from. */
  met: Met[]
}

/** What a resumed session must be asked just the same. */
function settingsOf({
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

/** The history to go on from, or a new one; an earlier session that has ended stays where it is. Throws UserError. */
export async function openHistory(
  request: ImproveRequest,
  skill: Skill,
  at: { workspace: string; now: Date },
): Promise<Pick<Session, 'history' | 'isNew'>> {
  const paths = improvePaths(at.workspace)
  const found = (await exists(paths.history)) ? await readJson(historySchema, paths.history) : null
  const isOpen = found !== null && found.ended_at === undefined && found.split !== undefined
  if (request.resume) return { history: resumed(found, request, at.workspace), isNew: false }
  if (isOpen) {
    throw new UserError(
      `${paths.history}: a session has not ended there`,
      'go on with --resume, or choose another folder with --workspace',
    )
  }
  const history: History = {
    started_at: at.now.toISOString(),
    skill_name: skill.name,
    current_best: 'v0',
    iterations: [],
    schema_version: 1,
    settings: settingsOf(request),
    refused: [],
  }
  return { history, isNew: true }
}

function resumed(found: History | null, request: ImproveRequest, workspace: string): History {
  if (found === null) throw new UserError(`${workspace}: no session lies there to resume`, 'leave out --resume')
  const now: Record<string, unknown> = settingsOf(request)
  const then: Record<string, unknown> = { ...Object(found.settings) }
  const other = Object.keys(now).filter((key) => canonicalJson(now[key] ?? null) !== canonicalJson(then[key] ?? null))
  if (other.length > 0) {
    throw new UserError(
      `--resume: ${other.join(', ')} ${other.length === 1 ? 'is' : 'are'} not as when the session was started`,
      'give the flags of its first start; only iterations, budget and deadline may differ',
    )
  }
  if (found.ended_at !== undefined) return found // the test cases were looked at: it is over for good
  const { stopped: _, ...rest } = found
  return rest
}

/** Says anew of a version how it fared. */
export async function replace(session: Session, iteration: Iteration): Promise<void> {
  const { history } = session
  const iterations = history.iterations.map((one) => (one.version === iteration.version ? iteration : one))
  session.history = { ...history, iterations }
  await record(session, {})
}

/** Adds an iteration, or a refused proposal; the best follows from all of them. */
export async function record(
  session: Session,
  added: { iteration?: Iteration; refused?: RefusedProposal; fields?: Partial<History> },
): Promise<void> {
  const { history } = session
  const iterations = [...history.iterations, ...(added.iteration ? [added.iteration] : [])]
  const { best } = courseOf(iterations)
  session.history = {
    ...history,
    ...added.fields,
    current_best: best,
    iterations: iterations.map((one) => ({ ...one, is_current_best: one.version === best })),
    refused: [...(history.refused ?? []), ...(added.refused ? [added.refused] : [])],
  }
  await writeArtefact(historySchema, improvePaths(session.workspace).history, session.history)
}

/** How many iterations there are: each proposal is one, refused or not. */
export function iterationsDone({ history }: Session): number {
  return Math.max(0, history.iterations.length - 1) + (history.refused?.length ?? 0)
}

export function openSession(parts: Omit<Session, 'met' | 'reserved' | 'perRun' | 'failedBefore'>): Session {
  const { history, workspace } = parts
  const failedBefore = (history.refused ?? []).filter(({ rule }) => rule === proposerFailed).length
  return { ...parts, failedBefore, reserved: nothing, perRun: null, met: registryOf(history, workspace) }
}

/** Tells where the loop is. */
export function tell(
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
