/** Plans with an id that is the hash of all that they would do, so that an approval covers that and nothing else. */
import { randomBytes } from 'node:crypto'
import pLimit from 'p-limit'
import type { McpPlan } from '../../../../schemas/mcp_plan.ts'
import { UserError } from '../../../base/errors/error.ts'
import { canonicalJson, sha256 } from '../../../base/json/json.ts'
import type { PlanArguments } from '../arguments.ts'
import type { Roots } from '../roots.ts'
import { benchmarkFiles, skillFiles } from '../roots.ts'
import type { McpSession } from '../session.ts'
import { planBenchWork } from '../work/plan_bench_work.ts'
import { planCompareWork } from '../work/plan_compare_work.ts'
import { planImproveWork } from '../work/plan_improve_work.ts'
import type { PlannedWork } from '../work/planned_work.ts'
import { readAgentJob, readAgentPlan, writeAgentPlan } from './stored_plans.ts'

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
