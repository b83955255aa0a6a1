/** Notes on what is missing: excluded runs, undecided expectations, cases without runs or criteria, too few runs. */
import type { ExcludedRun } from '../../../../schemas/benchmark.ts'
import { armNames } from '../arms.ts'
import type { NoteGroup, NoteParts } from '../notes.ts'
import { plural, short } from '../words.ts'

/** From this many runs of a case on, its spread says something. */
const enoughRuns = 3

export function gapNotes(parts: NoteParts): NoteGroup[] {
  return [
    { notes: excludedNotes(parts), more: 'reasons for excluded runs' },
    { notes: undecidedNotes(parts), more: '' },
    { notes: timedOutNotes(parts), more: '' },
    { notes: parts.cannotRun.map(cannotRunNote), more: 'cases that cannot run' },
    { notes: unpairedNotes(parts), more: 'cases without a graded run in one arm' },
    { notes: ungradedNotes(parts), more: 'cases without expectations or checks' },
    { notes: fewRunsNotes(parts), more: '' },
  ]
}

const meanings: Record<ExcludedRun['reason'], string> = {
  failed: 'failed',
  cancelled: 'cancelled',
  timed_out: 'timed out, excluded as asked',
  judge_error: 'left undecided by the judge',
  missing: 'missing or without a grading',
  ungraded: 'ungraded by design',
  cannot_run: 'unable to run',
}

function excludedNotes({ counts, excluded_runs, arms }: NoteParts): string[] {
  return Object.entries(counts.excluded).map(([why, number]) => {
    const own = excluded_runs.filter((run) => (run.kind === null ? run.reason : `${run.reason}:${run.kind}`) === why)
    const [first] = own
    const kind = first?.kind ? ` (${first.kind})` : ''
    const places = armNames(arms)
      .map((name) => [name, own.filter((run) => run.configuration === name).length] as const)
      .filter(([, inArm]) => inArm > 0)
      .map(([name, inArm]) => `${inArm} ${name}`)
    const meaning = first ? meanings[first.reason] : why
    return `${number} of ${plural(counts.planned, 'planned run')} ${meaning}${kind}: ${places.join(', ')} - in no rate`
  })
}

function undecidedNotes({ undecided }: NoteParts): string[] {
  const reasons = new Map<string, number>()
  for (const { reason } of undecided.flat()) reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  const [commonest] = [...reasons].sort(([, a], [, b]) => b - a)
  if (commonest === undefined) return []
  const runs = plural(undecided.length, 'run')
  const others = reasons.size > 1 ? ', and other reasons' : ''
  const why = `${short(commonest[0], 200)}${others}`
  return [`${plural(undecided.flat().length, 'expectation')} in ${runs} could not be judged - in no rate (${why})`]
}

/** Those that count: their grading says of every expectation, and of one at least, that time ran out. */
function timedOutNotes({ runs, arms }: NoteParts): string[] {
  return armNames(arms).flatMap((name) => {
    const own = runs.filter((run) => run.configuration === name)
    const isLate = ({ expectations }: (typeof own)[number]) =>
      expectations.length > 0 && expectations.every((one) => one.decided_by === 'timeout')
    const late = own.filter(isLate)
    if (late.length === 0) return []
    return `${late.length} of ${plural(own.length, `${name} run`)} timed out - their expectations count as failed`
  })
}

function cannotRunNote(one: NoteParts['cannotRun'][number]): string {
  return `Eval ${one.eval_id} (${short(one.eval_name, 60)}) cannot run: ${short(one.reason)}`
}

function unpairedNotes({ cases, arms, excluded_runs }: NoteParts): string[] {
  const names = armNames(arms)
  if (names.length < 2) return []
  return cases.flatMap((row) => {
    const without = names.filter((name) => row.arms[name]?.runs === 0)
    if (without.length !== 1 || !excluded_runs.some((run) => run.eval_id === row.eval_id)) return []
    return `Eval ${row.eval_id} (${short(row.eval_name, 60)}) has no graded run ${without[0]} - the arms' means are not over the same cases`
  })
}

function ungradedNotes({ excluded_runs }: NoteParts): string[] {
  const runs = excluded_runs.filter((run) => run.reason === 'ungraded')
  return [...new Set(runs.map((run) => run.eval_id))].map((id) => {
    const own = runs.filter((run) => run.eval_id === id)
    const name = short(own[0]?.eval_name ?? '', 60)
    return `Eval ${id} (${name}) has no expectations and no checks: its ${plural(own.length, 'run')} ${own.length === 1 ? 'is' : 'are'} in no rate`
  })
}

function fewRunsNotes({ metadata, cases, counts, statistics }: NoteParts): string[] {
  if (statistics?.until?.stopped === 'decided' || counts.used === 0) return []
  const planned = metadata.runs_per_configuration
  const made = cases.flatMap(({ arms }) => Object.values(arms).map(({ runs }) => runs))
  const most = made.reduce((all, one) => Math.max(all, one), 0)
  const runs = Math.min(planned, most)
  if (runs >= enoughRuns) return []
  const less = runs < planned ? ` (${planned} planned)` : ''
  return [`Only ${plural(runs, 'run')} per case and configuration${less} - too few to tell a difference from chance`]
}
