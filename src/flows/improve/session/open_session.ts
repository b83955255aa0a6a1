/** The steps of a start that may refuse it before anything is written or paid; --dry-run takes the same. */
import type { Split } from '../../../../schemas/history/session.ts'
import type { History } from '../../../../schemas/history.ts'
import type { Skill, Suite } from '../../../../schemas/suite.ts'
import { UserError } from '../../../base/errors/error.ts'
import { pathExists } from '../../../base/fs/files.ts'
import { noSandboxWish } from '../../../base/sandbox/choose.ts'
import { hashSuite } from '../../../phases/1-plan/suite/load_suite.ts'
import { improvePaths } from '../../../store/paths.ts'
import { findSigner } from '../../../store/signing/signer.ts'
import {
  authorizeCommands,
  type CommandReview,
  refuseUnauthorized,
  reviewSkillCommands,
} from '../../authorize/suite_commands.ts'
import type { FlowContext } from '../../flow_context.ts'
import { noLimits, SharedBudgets } from '../../limits/limits.ts'
import { splitSuite } from '../../versions/split_suite.ts'
import { checkBranch } from '../branch.ts'
import type { ImproveRequest } from '../improve_request.ts'
import { loadSessionSuite } from '../prepare_session.ts'
import { planRuns } from '../start.ts'
import { type ImproveSession, openHistory, openImproveSession } from './session.ts'

/** `ended`: there is nothing to run. Throws UserError. A dry run does not ask about the suite's commands. */
export async function openSession(
  request: ImproveRequest,
  { skill, workspace, isDryRun }: { skill: Skill; workspace: string; isDryRun: boolean },
  context: FlowContext,
): Promise<{ ended: History } | { session: ImproveSession; review: CommandReview }> {
  const signer = findSigner(context.env)
  const opened = await openHistory(request, skill, { workspace, now: context.now(), signer })
  // a finished session runs nothing, so suite changes do not matter
  if (opened.history.ended_at !== undefined) return { ended: opened.history }
  if (request.nobodyConfirms === true) {
    throw new UserError(
      '--apply: cannot ask for confirmation (stdin is not a terminal)',
      'add --yes, or apply later: --resume --apply',
    )
  }
  await refuseBranch(request, skill, workspace)
  const suite = await loadSessionSuite(request, skill, context)
  const split = opened.history.split ?? (await splitSuite(request, suite))
  await refuseOtherSuite(split, suite)
  const budgets = new SharedBudgets(request.bench.limits ?? noLimits)
  const review = await reviewSkillCommands({ suite, skill, wish: request.bench.sandbox }, context)
  await (isDryRun ? refuseUnauthorized : authorizeCommands)(review, context)
  const wish = request.bench.sandbox ?? noSandboxWish
  const trusted = { ...request, bench: { ...request.bench, sandbox: { ...wish, trusted: true } } }
  const plan = opened.history.plan ?? planRuns(request)
  const parts = { ...opened, request: trusted, skill, suite, workspace, split, plan, budgets, signer }
  return { session: openImproveSession(parts), review }
}

/** A resumed session commits on top of its v0. */
async function refuseBranch({ branch, resume }: ImproveRequest, skill: Skill, workspace: string): Promise<void> {
  if (branch === undefined || branch === null) return
  const first = improvePaths(workspace).version('v0')
  await checkBranch({ name: branch, skill: skill.path }, resume && (await pathExists(first)) ? first : skill.path)
}

/** A split is valid only for the suite that it was computed from. */
async function refuseOtherSuite({ suite_sha256 }: Split, suite: Suite): Promise<void> {
  if ((await hashSuite(suite)) === suite_sha256) return
  throw new UserError(
    `${suite.path}: changed since the session was started`,
    'restore it, or start another session in another --workspace',
  )
}
