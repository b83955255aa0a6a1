/** The plans of agents that use `whetstone mcp`, and which of them a person approved: in the user's state folder, for the user alone. */
import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import type * as z from 'zod'
import { type McpJob, type McpPlan, mcpJob, mcpPlan } from '../../../../schemas/mcp_plan.ts'
import { errorMessage, UserError } from '../../../base/errors/error.ts'
import { writeWhole } from '../../../base/fs/durable_files.ts'
import { type StateEnv, stateFolder } from '../../../base/fs/state_folder.ts'
import { readJson } from '../../../base/json/json.ts'
import { jsonText } from '../../../base/json/json_text.ts'

type Part = 'plans' | 'approved' | 'jobs'

const idForm = /^(?:bench|compare|improve)-[0-9a-f]{32}$/

function agentPlanFile(part: Part, id: string, env: StateEnv): string {
  const state = stateFolder(env)
  if (state === null) throw new UserError('no folder for plans and approvals', 'set HOME or XDG_STATE_HOME')
  if (!idForm.test(id)) throw unknownPlan(id)
  return path.join(state, 'mcp', part, id)
}

function unknownPlan(id: string): UserError {
  return new UserError(`unknown plan id ${jsonText(id.slice(0, 80))}`, 'call plan, and use the plan_id of its result')
}

function write(file: string, text: string): void {
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    writeWhole(file, text, 0o600)
  } catch (error) {
    throw new UserError(
      `plans and approvals can't be written: ${errorMessage(error)}`,
      'ask the user to make that folder writable, or to set XDG_STATE_HOME for the server',
    )
  }
}

async function readIfPresent<S extends z.ZodType>(schema: S, file: string): Promise<z.infer<S> | null> {
  return existsSync(file) ? await readJson(schema, file) : null
}

/** Throws UserError without a state folder. */
export function writeAgentPlan(id: string, plan: McpPlan, env: StateEnv): void {
  write(agentPlanFile('plans', id, env), jsonText(plan, 2))
}

/** Throws UserError for an unknown id. The content is not yet proven to belong to the id. */
export async function readAgentPlan(id: string, env: StateEnv): Promise<McpPlan> {
  const plan = await readIfPresent(mcpPlan, agentPlanFile('plans', id, env))
  if (plan === null) throw unknownPlan(id)
  return plan
}

/** Remembers that a person said yes to the plan with this id, which is the hash of its content. */
export function approveAgentPlan(id: string, env: StateEnv): void {
  write(agentPlanFile('approved', id, env), '')
}

export function isAgentPlanApproved(id: string, env: StateEnv): boolean {
  return existsSync(agentPlanFile('approved', id, env))
}

export function writeAgentJob(id: string, job: McpJob, env: StateEnv): void {
  write(agentPlanFile('jobs', id, env), jsonText(job))
}

/** null: it has not started yet. */
export async function readAgentJob(id: string, env: StateEnv): Promise<McpJob | null> {
  return await readIfPresent(mcpJob, agentPlanFile('jobs', id, env))
}
