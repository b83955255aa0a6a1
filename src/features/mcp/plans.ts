/** Plans with an id that is the hash of all that they would do, so that an approval covers that and nothing else; in the user's state folder, for the user alone. */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import pLimit from 'p-limit'
import type * as z from 'zod'
import { type McpJob, type McpPlan, mcpJob, mcpPlan } from '../../../schemas/mcp_plan.ts'
import { errorMessage, UserError } from '../../base/errors/error.ts'
import { writeWhole } from '../../base/fs/durable_files.ts'
import { type StateEnv, stateFolder } from '../../base/fs/state_folder.ts'
import { canonicalJson, readJson, sha256 } from '../../base/json/json.ts'
import { jsonText } from '../../base/json/json_text.ts'
import type { PlanArguments } from './arguments.ts'
import { planKinds } from './plan_work.ts'
import type { PlannedWork } from './planned_work.ts'
import { benchmarkFiles, type McpSession, type Roots, skillFiles } from './session.ts'

export interface AgentPlan {
  id: string
  stored: McpPlan
  work: PlannedWork
}

/** Plans and remembers the plan. Starts and costs nothing. Throws UserError. */
export async function createAgentPlan(given: PlanArguments, session: McpSession): Promise<AgentPlan> {
  const { budget_usd: usd = null, cost_per_run_usd: each = null } = given
  const words = await planWords(given, session.roots)
  const stored: McpPlan = {
    ...{ schema_version: 1, kind: given.kind, cwd: session.cwd, words },
    root: (await session.roots.locate(words[1] ?? '')).root,
    allow_programs: session.options.allowPrograms,
    ...(given.kind === 'compare' && { budget: { usd, cost_per_run: each } }),
    nonce: randomBytes(16).toString('hex'),
    created_at: new Date().toISOString(),
  }
  const work = await planWork(stored, null, session)
  const id = planIdOf(stored, work)
  writeAgentPlan(id, stored, session.env)
  return { id, stored, work }
}

/** The plan with this id, planned again. Throws UserError if its skill, suite or settings are not the same any more. */
export async function openAgentPlan(id: string, session: McpSession): Promise<AgentPlan> {
  const stored = await readAgentPlan(id, session.env)
  if (stored.cwd !== session.cwd) {
    throw new UserError(`${id}: a plan for ${stored.cwd}`, `use it in a server for that folder, or call plan again`)
  }
  if (stored.allow_programs !== session.options.allowPrograms) {
    throw new UserError(`${id}: a plan of a server with another --allow-programs`, 'call plan again')
  }
  const job = await readAgentJob(id, session.env)
  const work = await planWork(stored, job?.folder ?? null, session)
  if (planIdOf(stored, work) === id) return { id, stored, work }
  throw new UserError(`${id}: the skill, its suite or the settings changed since this plan`, 'call plan again')
}

/** Planning takes memory and time, and an agent may ask for many plans at once. */
const planning = pLimit(2)

function planWork(stored: McpPlan, startedIn: string | null, session: McpSession): Promise<PlannedWork> {
  return planning(() => planKinds[stored.kind](stored, session, startedIn))
}

function planIdOf({ schema_version: _, created_at: __, ...stored }: McpPlan, { lines, content }: PlannedWork): string {
  return `${stored.kind}-${sha256(canonicalJson({ stored, lines, content })).slice(0, 32)}`
}

/** The arguments that each kind reads, besides the required ones. */
const known = {
  bench: ['suite', 'cases', 'runs', 'engine', 'judge', 'baseline', 'workspace', 'concurrency'],
  compare: ['other', 'cases', 'pairs', 'judge', 'concurrency'],
  improve: ['suite', 'total_runs', 'engine', 'judge', 'workspace', 'concurrency'],
} as const satisfies Record<PlanArguments['kind'], readonly (keyof PlanArguments)[]>

const money = ['budget_usd', 'budget_tokens', 'cost_per_run_usd'] as const

const flags: Partial<Record<keyof PlanArguments, string>> = {
  cases: 'case',
  budget_usd: 'budget',
}

/** Throws UserError for an argument of another kind, and for a place outside of the roots. */
async function planWords(given: PlanArguments, roots: Roots): Promise<string[]> {
  const { kind } = given
  const subject = kind === 'compare' ? 'benchmark' : 'skill'
  const allowed = new Set<string>(['kind', subject, ...known[kind], ...money])
  const unread = Object.keys(given).filter((key) => !allowed.has(key))
  if (unread.length > 0) throw new UserError(`${kind} does not read ${unread.join(', ')}`, 'leave them out')
  const main = given[subject]
  if (main === undefined) throw new UserError(`${kind} needs ${subject}`, `pass ${subject}`)
  if (kind === 'compare' && given.budget_tokens !== undefined)
    throw new UserError('compare does not count tokens', 'pass budget_usd')
  const files = kind === 'compare' ? benchmarkFiles : skillFiles
  const words = [kind, await roots.resolveWith(main, files)]
  if (given.other !== undefined) words.push(await roots.resolveWith(given.other, files))
  // compare has no such flags: the server counts
  const rest = known[kind].filter((key) => key !== 'other')
  for (const key of [...rest, ...(kind === 'compare' ? [] : money)]) {
    const value = given[key]
    const isPlace = key === 'suite' || key === 'workspace' || (key === 'baseline' && !String(value).startsWith('git:'))
    for (const one of value === undefined ? [] : [value].flat()) {
      words.push(`--${flags[key] ?? toFlag(key)}=${isPlace ? await roots.resolve(String(one)) : one}`)
    }
  }
  return words
}

function toFlag(key: string): string {
  return key.replace(/_usd$/, '').replaceAll('_', '-')
}

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
function writeAgentPlan(id: string, plan: McpPlan, env: StateEnv): void {
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
