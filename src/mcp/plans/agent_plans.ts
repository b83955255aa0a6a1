/** Plans with an id that is the hash of all that they would do, so that an approval covers that and nothing else. */
import { randomBytes } from 'node:crypto'
import pLimit from 'p-limit'
import type { McpPlan } from '../../../schemas/mcp_plan.ts'
import { UserError } from '../../base/errors/error.ts'
import { canonicalJson, sha256 } from '../../base/json/json.ts'
import { readAgentJob, readAgentPlan, writeAgentPlan } from '../../store/cache/agent_plans.ts'
import type { PlanArguments } from '../arguments.ts'
import type { McpSession } from '../session.ts'
import { planBenchWork } from '../work/plan_bench_work.ts'
import { planCompareWork } from '../work/plan_compare_work.ts'
import { planImproveWork } from '../work/plan_improve_work.ts'
import type { PlannedWork } from '../work/planned_work.ts'
import { planWords } from './plan_words.ts'

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
    ...{ schema_version: 1, kind: given.kind, cwd: session.cwd },
    ...{
      words,
      root: (await session.roots.locate(words[1] ?? '')).root,
      allow_programs: session.options.allowPrograms,
    },
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
  return planning(() => planKind(stored, startedIn, session))
}

async function planKind(stored: McpPlan, startedIn: string | null, session: McpSession): Promise<PlannedWork> {
  const { words, kind, budget } = stored
  switch (kind) {
    case 'bench':
      return await planBenchWork(words, session)
    case 'compare':
      return await planCompareWork(
        words,
        { usd: budget?.usd ?? null, costPerRun: budget?.cost_per_run ?? null },
        session,
      )
    case 'improve':
      return await planImproveWork(words, startedIn, session)
  }
}

function planIdOf({ schema_version: _, created_at: __, ...stored }: McpPlan, { lines, content }: PlannedWork): string {
  return `${stored.kind}-${sha256(canonicalJson({ stored, lines, content })).slice(0, 32)}`
}
