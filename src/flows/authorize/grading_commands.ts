/** Authorizes what grading alone starts from a suite: setup and command checks, where a check needs the working folder again. */
import type { Plan } from '../../../schemas/plan.ts'
import type { SuiteCase } from '../../../schemas/suite.ts'
import type { SandboxChoice, SandboxWish } from '../../base/sandbox/choose.ts'
import { assertNoOpenNetwork } from '../../phases/1-plan/suite/open_network.ts'
import type { CommandSource } from '../../phases/1-plan/suite/suite_commands.ts'
import { checkStartsProcesses } from '../../phases/3-judge/checks/inputs/working_folder.ts'
import type { FlowContext } from '../flow_context.ts'
import { authorizeCommands, resolveConfinement, reviewCases } from './suite_commands.ts'

interface GradingStart {
  plan: Plan
  /** Ids of the cases to grade. */
  wanted: ReadonlySet<number>
  sandbox: SandboxChoice
  wish: SandboxWish | null
}

/** Throws UserError unless the commands may start. */
export async function authorizeGrading(
  { plan, wanted, sandbox, wish }: GradingStart,
  context: FlowContext,
): Promise<void> {
  const cases = plan.cases.filter(({ eval_id }) => wanted.has(eval_id)).map(gradedPart)
  const confinement = resolveConfinement(sandbox, wish)
  const review = reviewCases(plan.suite.path, cases, { confinement })
  if (review.commands.length > 0) assertNoOpenNetwork(plan.suite.path, plan.runs[0]?.sandbox, wish)
  await authorizeCommands(review, context)
}

function gradedPart(one: SuiteCase): CommandSource {
  const isRebuilt = one.checks.some((check) => checkStartsProcesses(check, one))
  return { ...one, setup: isRebuilt ? one.setup : null, withoutAgent: true }
}
