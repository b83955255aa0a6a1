/** Says why something is missing: the difference of a case, the grade of a run, its answer. */
import type { RunDetail } from '../../schemas/page.ts'
import { displayArm, displayPlural } from '../format.ts'
import { columnEntry, type Model, type Run } from './model.ts'

/** A run's status in words: `failed: rate_limited` as "failed (rate limited)". */
export function statusText(status: string, running = false): string {
  if (running && status === 'missing') return 'pending'
  if (status === 'ungraded') return 'ungraded by design'
  return status.replace(/: (.*)/, ' ($1)').replaceAll('_', ' ')
}

/** "2 runs timed out", "1 run with a judge error". */
export function countRunsText(number: number, status: string, running = false): string {
  const what = status === 'judge_error' ? 'with a judge error' : statusText(status, running)
  return `${displayPlural(number, 'run')} ${what}`
}

/** null: the case has a difference, or needs none (a single graded configuration). */
export function whyNoDifference(model: Model, index: number): string | null {
  const { arms, cases, running } = model.page
  const one = columnEntry(cases, index)
  if (one.cannot_run !== null) return `cannot run: ${one.cannot_run}`
  const runs = model.ofCase(index).map((run) => model.run(run))
  const bare = arms.filter((arm) => !runs.some((run) => run.graded && run.arm === arm))
  if (one.delta !== null || bare.length === 0) return null
  if (runs.length === 0) return 'no run was planned'
  if (runs.every(({ status }) => status === 'ungraded')) return 'ungraded by design: no expectations, no checks'
  return bare
    .map((arm) => {
      const tally = tallyRuns(
        runs.filter((run) => run.arm === arm),
        running,
      )
      return arms.length === 1 ? tally : `${displayArm(arm)}: ${tally}`
    })
    .join('; ')
}

function tallyRuns(runs: readonly Run[], running: boolean): string {
  const counts = new Map<string, number>()
  for (const { status } of runs) counts.set(status, (counts.get(status) ?? 0) + 1)
  const parts = [...counts].map(([status, number]) => countRunsText(number, status, running))
  return parts.join(', ') || 'no run'
}

/** The messages of a case's excluded runs: each text once, with its runs. */
export function collectMessages(model: Model, index: number): { runs: string; text: string }[] {
  const found = new Map<string, string[]>()
  for (const place of model.ofCase(index)) {
    const run = model.run(place)
    if (run.graded || run.status === 'ungraded' || (model.page.running && run.status === 'missing')) continue
    const text = `${statusText(run.status)}${run.message === '' ? '' : `: ${run.message}`}`
    const names = found.get(text) ?? []
    names.push(`${displayArm(run.arm)} ${run.number}`)
    found.set(text, names)
  }
  return [...found].map(([text, names]) => ({ runs: names.join(', '), text }))
}

/** Why a run shows no answer. */
export function whyNoAnswer(run: Run, detail: RunDetail | null): string {
  if (!run.graded && run.status !== 'ungraded') {
    return `No answer: ${statusText(run.status)}${run.message === '' ? '' : `: ${run.message}`}`
  }
  if (run.timedOut) return 'No answer: the agent ran out of time.'
  if (detail === null) return 'The page does not carry this run.'
  if (isRecorded(detail)) return 'The agent ended without a final answer.'
  const more = detail.transcript === null ? '.' : ' by itself; see the transcript.'
  return `The final answer was not recorded${more}`
}

/** Whether an answer would be recorded; another tool may keep neither record nor events. */
function isRecorded({ record, events }: RunDetail): boolean {
  return events !== null || (typeof record === 'object' && record !== null && 'final_response' in record)
}
