/** Asks a person before anything is spent: in the client where it can ask, else in a terminal. */
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js'
import { errorMessage, UserError } from '../../base/errors/error.ts'
import { typedCommand } from '../../base/package_root.ts'
import { formatDollars } from '../../phases/4-report/text/format.ts'
import type { PlannedWork } from './planned_work.ts'
import { type AgentPlan, approveAgentPlan, isAgentPlanApproved } from './plans.ts'
import type { McpSession } from './session.ts'

export type ToolExtra = RequestHandlerExtra<ServerRequest, ServerNotification>

/** Milliseconds: a person may be away. */
const patienceMs = 600_000

/** What a person reads before saying yes, the same in every client and terminal. */
export function approvalLines({ id, work }: Pick<AgentPlan, 'id' | 'work'>): string[] {
  return [
    'An agent asks to start paid work. Quoted texts come from files and from the agent.',
    ...work.lines,
    `Estimated cost: ${work.estimate.text}`,
    `Upper bound: ${boundText(work)}`,
    `Plan: ${id}`,
  ]
}

function boundText({ upperUsd, limits }: PlannedWork): string {
  if (upperUsd === 0) return 'free, the practice model'
  if (upperUsd !== null) {
    const each = limits?.costPerRun ?? null
    const assumption =
      each === null ? '' : `, if a run of unknown cost costs ${formatDollars(each)} as the agent assumes`
    return `${formatDollars(upperUsd)}, and what runs already when it is reached${assumption}`
  }
  return `${limits?.budgetTokens ?? 0} tokens, and what runs already when they are used; the cost is not known`
}

/** Whether a person has seen the plan's commands. Throws UserError unless the plan may start. */
export async function requireApproval(plan: AgentPlan, session: McpSession, extra: ToolExtra): Promise<boolean> {
  const { id } = plan
  if (isAgentPlanApproved(id, session.env)) return true
  if (takeAllowance(plan, session)) return false
  if (session.server.server.getClientCapabilities()?.elicitation?.form === undefined)
    throw notApproved('not approved', id, session)
  if (!(await askPerson(plan, session, extra))) {
    throw new UserError(
      `${id}: the user did not approve it, so nothing was started`,
      `do not ask again unless the user wants it; a user who saw no question can run this ${terminalCommand(id, session)}`,
    )
  }
  approveAgentPlan(id, session.env)
  return true
}

function notApproved(what: string, id: string, session: McpSession): UserError {
  return new UserError(
    `${id}: ${what}, so nothing was started`,
    `ask the user to run this ${terminalCommand(id, session)}`,
  )
}

function terminalCommand(id: string, { cwd }: McpSession): string {
  return `in a terminal in ${cwd}: ${typedCommand()} mcp approve ${id}`
}

/** What a person has to see never starts on an allowance alone. */
function takeAllowance({ id, work }: AgentPlan, { options, allowed }: McpSession): boolean {
  const { upperUsd, needsPerson } = work
  if (options.approveUpTo === null || upperUsd === null || needsPerson) return false
  const others = [...allowed].reduce((sum, [one, usd]) => (one === id ? sum : sum + usd), 0)
  if (others + upperUsd > options.approveUpTo) return false
  allowed.set(id, upperUsd)
  return true
}

/** Throws UserError if the client does not answer, or can't show the question. */
async function askPerson(plan: AgentPlan, session: McpSession, { signal }: ToolExtra): Promise<boolean> {
  const question = {
    message: approvalLines(plan).join('\n'),
    requestedSchema: {
      type: 'object' as const,
      properties: {
        approve: { type: 'boolean' as const, title: 'Start it', description: 'Start this plan and pay for it' },
      },
      required: ['approve'],
    },
  }
  const answer = await session.server.server
    .elicitInput(question, { timeout: patienceMs, signal })
    .catch((error: unknown) => {
      throw notApproved(`the client did not ask the user (${errorMessage(error)})`, plan.id, session)
    })
  return answer.action === 'accept' && answer.content?.approve === true
}
