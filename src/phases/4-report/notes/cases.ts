/** Notes on cases: those where the skill hurts, and those that vary from run to run. */
import type { CaseRow } from '../../../../schemas/benchmark.ts'
import { armNames, meetingOf } from '../arms.ts'
import type { NoteGroup, NoteParts } from '../notes.ts'
import { signed } from '../stats/round.ts'
import { percent, plural, short } from '../words.ts'

/** A standard deviation of a case's pass rate that looks flaky. */
const high = 0.3

export function caseNotes(parts: NoteParts): NoteGroup[] {
  const { cases, arms } = parts
  return [
    {
      notes: cases.flatMap((row) => hurt(row, arms.candidate, arms.baseline)),
      more: `cases where ${meetingOf(arms) === 'names' ? arms.candidate : 'the skill'} does worse`,
    },
    ...flakyNotes(parts),
  ]
}

export function flakyNotes({ cases, arms }: NoteParts): NoteGroup[] {
  return [{ notes: cases.flatMap((row) => flaky(row, armNames(arms))), more: 'cases with high variance' }]
}

function hurt(row: CaseRow, candidate: string | null, baseline: string | null): string[] {
  if (row.delta === null || row.delta >= 0 || candidate === null || baseline === null) return []
  const rate = (name: string) => `${percent(row.arms[name]?.pass_rate?.mean ?? 0)} ${name}`
  return [
    `${label(row)} does worse: ${rate(candidate)} against ${rate(baseline)} (${signed(row.delta, 2)}) - may hurt here`,
  ]
}

function flaky(row: CaseRow, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const arm = row.arms[name]
    if (!arm?.pass_rate || arm.pass_rate.stddev < high) return []
    const spread = `${percent(arm.pass_rate.mean)} ± ${percent(arm.pass_rate.stddev)}`
    return `${label(row)} shows high variance ${name} (${spread}, ${plural(arm.runs, 'run')}) - may be flaky or model-dependent`
  })
}

function label(row: CaseRow): string {
  return `Eval ${row.eval_id} (${short(row.eval_name, 60)})`
}
