/** Collects the cases of one suite in one results folder when a test runner runs them one by one. */
import { mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { type EvalResult, evalResult } from '../../../schemas/eval_result.ts'
import type { Plan } from '../../../schemas/plan.ts'
import { computePlanId } from '../../phases/1-plan/keys/plan_keys.ts'
import { summarizeEval } from '../../phases/4-report/eval/eval_verdict.ts'
import type { ResultSigner } from '../../store/signing/signer.ts'
import { writeArtefact, writePlan } from '../../store/store.ts'
import { loadFormatSteps } from '../format_steps.ts'

/** The results so far; `queue` adds cases that end at the same time one after another. */
export interface CaseCollection {
  whole: (EvalResult & { plan: Plan }) | null
  queue: Promise<unknown>
}

export function createCaseCollection(): CaseCollection {
  return { whole: null, queue: Promise.resolve() }
}

/** Moves one case's results to those of earlier cases. Returns the shared folder, absolute. */
export async function collectCase(
  into: CaseCollection,
  one: EvalResult & { plan: Plan },
  signer: ResultSigner,
): Promise<string> {
  const turn = into.queue.then(() => add(into, one, signer))
  into.queue = turn.catch(() => {})
  return await turn
}

async function add(into: CaseCollection, one: EvalResult & { plan: Plan }, signer: ResultSigner): Promise<string> {
  const { whole } = into
  const { mergeLogs } = await loadFormatSteps(one.format)
  into.whole = whole === null ? one : { ...mergeResults(whole, one), ...mergeLogs?.(whole, one) }
  if (whole === null) return one.folder
  const { plan, ...result } = into.whole
  for (const run of one.plan.runs) {
    const [from, to] = [path.join(one.folder, run.run_id), path.join(whole.folder, run.run_id)]
    await mkdir(path.dirname(to), { recursive: true })
    await rm(to, { recursive: true, force: true })
    await rename(from, to)
  }
  await writePlan(whole.folder, plan, signer)
  await writeArtefact(evalResult, path.join(whole.folder, 'eval.json'), result)
  await rm(one.folder, { recursive: true, force: true })
  return whole.folder
}

/** A case that ran again appears once. */
function mergeResults(
  whole: EvalResult & { plan: Plan },
  one: EvalResult & { plan: Plan },
): EvalResult & { plan: Plan } {
  const ids = new Set(one.cases.map(({ eval_id }) => eval_id))
  const others = <T extends { eval_id: number }>(all: readonly T[]) => all.filter(({ eval_id }) => !ids.has(eval_id))
  const inOrder = <T extends { eval_id: number }>(all: T[]) => all.sort((a, b) => a.eval_id - b.eval_id)
  const cases = inOrder([...others(whole.cases), ...one.cases])
  const runs = inOrder([...others(whole.plan.runs), ...one.plan.runs])
  const judged = whole.plan.calls.judge_calls + one.plan.calls.judge_calls
  return {
    ...whole,
    duration_seconds: whole.duration_seconds + one.duration_seconds,
    agent: whole.agent.version === null ? one.agent : whole.agent,
    summary: summarizeEval(cases),
    cases,
    plan: {
      ...whole.plan,
      plan_id: computePlanId(runs, whole.plan.options),
      cases: inOrder([...others(whole.plan.cases), ...one.plan.cases]),
      runs,
      calls: { agent_runs: runs.length, judge_calls: judged },
    },
  }
}
