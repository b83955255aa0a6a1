/** The tools that do paid work: bench, compare and improve; and status and cancel for what they started. */
import { existsSync } from 'node:fs'
import * as z from 'zod'
import type { McpJob, McpPlan } from '../../../schemas/mcp_plan.ts'
import { UserError } from '../../base/errors/error.ts'
import type { ToolValue } from '../../flows/mcp_tools.ts'
import { isBenchmarkComplete } from '../../flows/report/benchmark_ending.ts'
import { requireApproval, type ToolExtra } from './approve.ts'
import { jobArguments, planId } from './arguments.ts'
import { addSpent } from './count_spent.ts'
import { type Job, waitForJob } from './jobs.ts'
import type { PlannedWork } from './planned_work.ts'
import { openAgentPlan, readAgentJob, readAgentPlan, writeAgentJob } from './plans.ts'
import { addTool, reads } from './read_tools.ts'
import { readStoredResult } from './results.ts'
import type { McpSession } from './session.ts'

const tools: Record<McpPlan['kind'], { title: string; description: string }> = {
  bench: {
    title: 'Run a benchmark',
    description: 'Run each case with and without the skill, grade the runs, compare.',
  },
  compare: { title: 'Compare blind', description: 'A judge compares outputs of two configurations blind.' },
  improve: { title: 'Improve a skill', description: 'Find a better version of the skill, certified on unseen cases.' },
}

const output = {
  status: z.enum(['done', 'incomplete', 'running', 'interrupted', 'not_started']),
  plan_id: z.string(),
}

export function addJobTools(session: McpSession): void {
  for (const kind of ['bench', 'compare', 'improve'] as const) {
    addTool(session, {
      ...{ name: kind, title: tools[kind].title, input: jobArguments, output },
      description: `${tools[kind].description} Costs money: needs the plan_id of a plan that a person approved. If it returns status "running", call status. The same plan_id resumes after an interruption and pays nothing twice.`,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
      call: async ({ plan_id: id, wait_seconds: seconds }, extra) => {
        if (!id.startsWith(`${kind}-`))
          throw new UserError(`${id}: not a plan for ${kind}`, `use the tool plan with kind ${kind}`)
        const done = await readDone(id, session)
        if (done !== null) return done
        return await follow(id, await startJob(id, session, extra), { seconds, extra })
      },
    })
  }
  addTool(session, {
    ...{ name: 'status', title: 'Wait for work', input: jobArguments, output, annotations: reads },
    description: 'Show how far a plan is, and its result when it is done. Waits up to wait_seconds. Starts nothing.',
    call: async ({ plan_id: id, wait_seconds: seconds }, extra) => {
      const job = session.jobs.get(id)
      if (job !== null) return await follow(id, job, { seconds, extra })
      return (await readDone(id, session)) ?? (await describeStopped(id, session))
    },
  })
  addTool(session, {
    ...{ name: 'cancel', title: 'Cancel work', input: z.strictObject({ plan_id: planId }), output },
    description: 'Stop the work of a plan. Finished runs are kept, and the same plan_id resumes.',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    call: async ({ plan_id: id }) => {
      const job = session.jobs.get(id)
      if (job === null || job.end !== null) throw new UserError(`${id}: nothing runs`, 'see status')
      job.cancel()
      await job.ended
      return await describeStopped(id, session)
    },
  })
}

/** Waits for the job with notifications of its progress. Throws what ended it. */
async function follow(
  id: string,
  job: Job,
  { seconds, extra }: { seconds: number; extra: ToolExtra },
): Promise<ToolValue> {
  const token = extra._meta?.progressToken
  const isSession = id.startsWith('improve-') // of many benchmarks, so that its runs are counted again
  let last = -1
  await waitForJob(job, {
    ...{ seconds, signal: extra.signal },
    onProgress({ done, total, message }) {
      const at = isSession ? last + 1 : done
      if (token === undefined || at <= last) return
      last = at
      const isShare = total !== null && !isSession
      const params = { progressToken: token, progress: at, ...(isShare && { total }), message }
      extra.sendNotification({ method: 'notifications/progress', params }).catch(() => {})
    },
  })
  const { end, progress } = job
  if (end?.status === 'failed') throw end.error
  if (end !== null) return { sentence: end.sentence, status: end.status, plan_id: id, ...end.result }
  return {
    sentence: `Running: ${progress.message}.`,
    ...{ status: 'running', plan_id: id, done: progress.done, total: progress.total },
    next: 'Call status with this plan_id to wait on.',
  }
}

/** The result of a plan that has ended; null: it has not. */
async function readDone(id: string, { env, cwd }: McpSession): Promise<ToolValue | null> {
  const job = await readAgentJob(id, env)
  if (job === null) return null
  // the server may have been killed between the end of the benchmark and the note of it
  const isDone = job.done || (id.startsWith('bench-') && (await isBenchmarkComplete(job.folder)))
  if (!isDone) return null
  if (!existsSync(job.folder)) throw new UserError(`${id}: done, but ${job.folder} was removed`, 'call plan again')
  const kind = id.startsWith('improve-') ? 'session' : 'benchmark'
  const { sentence, status, result } = await readStoredResult(job.folder, kind, cwd)
  return { sentence, status, plan_id: id, ...result }
}

async function describeStopped(id: string, { env }: McpSession): Promise<ToolValue> {
  const { kind, cwd } = await readAgentPlan(id, env)
  const job = await readAgentJob(id, env)
  const next = `Call ${kind} with this plan_id.`
  if (job === null) return { sentence: 'Not started.', status: 'not_started', plan_id: id, cwd, next }
  const sentence = 'Interrupted: finished runs are kept.'
  return { sentence, status: 'interrupted', plan_id: id, folder: job.folder, next }
}

/** The job, new or running. Throws UserError unless it may start. */
async function startJob(id: string, session: McpSession, extra: ToolExtra): Promise<Job> {
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
      const folder = work.folder ?? (event.type === 'plan_ready' ? event.folder : null) ?? record.folder
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
