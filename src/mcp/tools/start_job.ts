/** Starts the work of a plan that a person approved, and remembers in the user's state folder where it is and what it has cost. */
import type { McpJob } from '../../../schemas/mcp_plan.ts'
import { UserError } from '../../base/errors/error.ts'
import { readAgentJob, writeAgentJob } from '../../store/cache/agent_plans.ts'
import type { Job } from '../jobs.ts'
import { openAgentPlan } from '../plans/agent_plans.ts'
import { requireApproval, type ToolExtra } from '../plans/approve.ts'
import type { McpSession } from '../session.ts'
import { addSpent } from '../work/count_spent.ts'
import { findEventFolder, type PlannedWork } from '../work/planned_work.ts'

/** The job, new or running. Throws UserError unless it may start. */
export async function startJob(id: string, session: McpSession, extra: ToolExtra): Promise<Job> {
  return await session.jobs.startOnce(id, async () => {
    const plan = await openAgentPlan(id, session)
    refuseUnready(plan.work)
    const seen = await requireApproval(plan, session, extra)
    // a person may have thought for minutes: what starts is what is there now, and it has to be what they saw
    const { work } = await openAgentPlan(id, session)
    refuseUnready(work)
    return await recordWork(id, work, { seen, session })
  })
}

function refuseUnready({ refusals }: PlannedWork): void {
  if (refusals.length > 0) throw new UserError(`the plan can't start: ${refusals.join('; ')}`, 'plan again')
}

async function recordWork(id: string, work: PlannedWork, { seen, session }: { seen: boolean; session: McpSession }) {
  const { env } = session
  const earlier = await readAgentJob(id, env)
  const usual: McpJob = { schema_version: 1, folder: '', done: false, spent: { usd: 0, tokens: 0 } }
  let record = { ...(earlier ?? usual), ...(work.folder !== null && { folder: work.folder }) }
  const remember = (changes: Partial<McpJob>) => {
    record = { ...record, ...changes }
    if (record.folder !== '') writeAgentJob(id, record, env)
  }
  remember({})
  return {
    ...{ limits: work.limits, prices: work.prices },
    onEvent(event: Parameters<typeof addSpent>[1]) {
      const folder = work.folder ?? findEventFolder(event) ?? record.folder
      const spent = addSpent(record.spent, event, work.assumedUsd)
      if (folder !== record.folder || spent !== record.spent) remember({ folder, spent })
    },
    async run(context: Parameters<PlannedWork['run']>[0]) {
      const end = await work.run(context, { seen, earlier, spent: () => record.spent })
      if (end.status === 'done') remember({ done: true })
      return end
    },
  }
}
