/** Notes on what the skill gains, what it costs in time and tokens, and whether the agent read it at all. */
import { armNames, meetingOf } from '../arms.ts'
import type { NoteGroup, NoteParts } from '../notes.ts'
import { type ToldRates, toldRates } from '../rates.ts'
import { signed } from '../stats/round.ts'
import { count, hundredths, plural, seconds } from '../words.ts'

/** Below this share of runs the comparison says little of the skill. */
const rarely = 0.5

export function gainNotes(parts: NoteParts): NoteGroup[] {
  return [
    { notes: priceNotes(parts), more: '' },
    { notes: readNotes(parts), more: '' },
  ]
}

function priceNotes({ run_summary, arms, cases }: NoteParts): string[] {
  const { candidate, baseline } = arms
  if (candidate === null || baseline === null) return []
  const [own, other] = [run_summary[candidate], run_summary[baseline]]
  if (own === undefined || other === undefined) return []
  const time = own.time_seconds && other.time_seconds ? own.time_seconds.mean - other.time_seconds.mean : 0
  const tokens = own.tokens && other.tokens ? own.tokens.mean - other.tokens.mean : 0
  const changes = [
    { by: Math.abs(time) < 0.05 ? 0 : time, text: `${seconds(Math.abs(time))} average execution time` },
    { by: Math.abs(tokens) < 0.5 ? 0 : tokens, text: `${count(Math.abs(tokens))} tokens a run` },
  ]
  const listed = (verb: string, found: typeof changes) =>
    found.length === 0 ? [] : [`${verb} ${found.map(({ text }) => text).join(' and ')}`]
  const parts = [
    ...listed(
      'adds',
      changes.filter(({ by }) => by > 0),
    ),
    ...listed(
      'saves',
      changes.filter(({ by }) => by < 0),
    ),
    gainText(toldRates({ candidate: own.pass_rate.mean, baseline: other.pass_rate.mean }, cases, arms)),
  ]
  const subject = { skill: 'Skill', itself: 'Skill', versions: 'The new version', names: candidate }[meetingOf(arms)]
  return [`${subject} ${sentence(parts)}`]
}

function gainText({ candidate, baseline, pooled }: ToldRates): string {
  const difference = candidate - baseline
  const delta = `${signed(difference, 2)}${pooled === null ? '' : ', each case counted once'}`
  const points = hundredths(Math.abs(difference))
  if (points === 0) return `leaves the pass rate as it is (${delta})`
  return `${difference > 0 ? 'improves' : 'lowers'} the pass rate by ${plural(points, 'point')} (${delta})`
}

/** "adds a, saves b and improves c". */
function sentence(parts: readonly string[]): string {
  return [parts.slice(0, -1).join(', '), parts.at(-1)].filter((part) => part !== '').join(' and ')
}

function readNotes({ runs, arms }: NoteParts): string[] {
  return armNames(arms).flatMap((name) => {
    const known = runs.flatMap((run) => (run.configuration === name ? (run.result.skill_read ?? []) : []))
    const read = known.filter(Boolean).length
    if (known.length === 0 || read / known.length >= rarely) return []
    const share = read === 0 ? 'never read' : `read in only ${read} of`
    const total = plural(known.length, `${name} run`)
    return `The skill was ${share}${read === 0 ? ' in' : ''} ${total} - the comparison says little of what it does once read`
  })
}
