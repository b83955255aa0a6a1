/** Writes eval_metadata.json next to each case's runs, for people to read. */
import type { Plan } from '../../../schemas/plan.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import { checkText } from '../../phases/3-judge/checks/check_text.ts'
import { writeMetadata } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'

/** Covers every case with runs in the plan. `env`: the user's, whose credentials are redacted. */
export function describeCases(folder: string, plan: Plan, env: FlowContext['env']): void {
  const redactor = getRedactor(env)
  const runIds = new Map<number, string[]>(plan.cases.map(({ eval_id }) => [eval_id, []]))
  for (const { eval_id, run_id } of plan.runs) runIds.get(eval_id)?.push(run_id)
  for (const { eval_id, eval_key, eval_name, prompt, turns, expectations, checks } of plan.cases) {
    const assertions = [...expectations.map(({ text }) => text), ...checks.map(checkText)]
    const texts = redactor.value({
      eval_name,
      prompt,
      ...(turns && { turns: turns.map((one) => one.prompt) }),
      assertions,
    })
    writeMetadata(folder, runIds.get(eval_id) ?? [], { eval_id, ...texts, eval_key })
  }
}
