/** Notes on what the skill gains, what it costs in time and tokens, and whether the agent read it at all. */
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import { armNames } from '../arms.ts'
import type { NoteGroup, NoteParts } from '../notes.ts'
import { count, plural, seconds } from '../words.ts'

/** Below this share of runs the comparison says little of the skill. */
const rarely = 0.5

export function gainNotes(parts: NoteParts): NoteGroup[] {
  return [
    { notes: priceNotes(parts), more: '' },
    { notes: readNotes(parts), more: '' },
  ]
}

function priceNotes({ run_summary, arms }: NoteParts): string[] {
  const { candidate, baseline } = arms
  if (candidate === null || baseline === null) return []
  const [with_, without] = [run_summary[candidate], run_summary[baseline]]
  if (with_ === undefined || without === undefined) return []
  const time = with_.time_seconds.mean - without.time_seconds.mean
  const prices = [
    price(time, time < 0 ? seconds(-time) : seconds(time), 'average execution time', 0.05),
    ...(with_.tokens && without.tokens ? [tokenPrice(with_.tokens.mean - without.tokens.mean)] : []),
  ].filter((text) => text !== null)
  const subject = baseline === 'old_skill' ? 'New version' : 'Skill'
  const gain = gainText(run_summary, with_.pass_rate.mean - without.pass_rate.mean)
  return [prices.length > 0 ? `${subject} ${prices.join(' and ')}; ${gain}` : `${subject}: ${gain}`]
}

function tokenPrice(tokens: number): string | null {
  return price(tokens, count(Math.abs(tokens)), 'tokens a run', 0.5)
}

function price(value: number, text: string, what: string, least: number): string | null {
  if (Math.abs(value) < least) return null
  return `${value > 0 ? 'adds' : 'saves'} ${text} ${what}`
}

function gainText({ delta }: Benchmark['run_summary'], difference: number): string {
  const points = Math.round(Math.abs(difference) * 100)
  const shown = `pass rate ${delta?.pass_rate ?? ''}`
  if (points === 0) return `it does not change the pass rate (${shown})`
  return `it ${difference > 0 ? 'improves' : 'lowers'} the pass rate by ${plural(points, 'point')} (${shown})`
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
