/** A measurement of triggers in sentences and rows, for terminal and Markdown. */
import type {
  TriggerConfusion,
  TriggerResult,
  TriggerSaving,
  TriggerShare,
  Triggers,
} from '../../../../schemas/triggers.ts'
import { behavingText, shortenText } from '../../../phases/4-report/text/format.ts'

/** The sentences above the table. */
export function triggerSentences({ metrics, summary }: Pick<Triggers, 'metrics' | 'summary'>): string[] {
  const { total, passed, undecided } = summary
  const { recall, precision, false_trigger_rate } = metrics
  const open = undecided === 0 ? '' : `; ${undecided} without an answer`
  return [
    `${behavingText(passed, total)}${open}.`,
    `Recall ${shareText(recall)}, precision ${shareText(precision)}, false trigger rate ${shareText(false_trigger_rate)}.`,
  ]
}

/** "92% (70–98%)". */
function shareText(share: TriggerShare | null): string {
  if (share === null) return 'not known'
  return `${percent(share.value)} (${rangeText(share)})`
}

function rangeText({ ci_low, ci_high }: Pick<TriggerShare, 'ci_low' | 'ci_high'>): string {
  return `${Math.round(ci_low * 100)}–${percent(ci_high)}`
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`
}

export const triggerHeader = ['', 'query', 'should', 'triggered', '95% CI', 'no answer']

/** One row per query, in the order of the set. `mark`: its behaviour is right, wrong or not known. */
export function triggerRow(result: TriggerResult): { mark: 'right' | 'wrong' | 'open'; cells: string[] } {
  const { query_id, query, should_trigger, triggers, runs, trigger_rate, errors, missing, pass } = result
  const open = errors + missing
  return {
    mark: pass === null ? 'open' : pass ? 'right' : 'wrong',
    cells: [
      `${query_id} ${query}`,
      should_trigger ? 'yes' : 'no',
      trigger_rate === null ? '–' : `${triggers}/${runs}`,
      trigger_rate === null ? '' : rangeText(result),
      open === 0 ? '' : String(open),
    ],
  }
}

/** What stopping runs early saved, and what that is compared with. */
export function savingText(saving: TriggerSaving): string {
  const { stopped, of, unit, mean_stopped, mean_whole, basis, saved_share } = saving
  const ended = `${stopped} of ${of} runs ended as soon as the skill was read, after ${amount(mean_stopped, unit)} on average`
  if (mean_whole === null || saved_share === null) {
    return `${ended}; the amount saved is unknown (--no-stop-early lets runs continue to the end)`
  }
  const against = `${basis} took ${amount(mean_whole, unit)}`
  if (saved_share < 0) return `${ended}; ${against}, so nothing was saved by this estimate`
  return `${ended}; ${against}: about ${percent(saved_share)} of their cost saved`
}

function amount(value: number, unit: TriggerSaving['unit']): string {
  switch (unit) {
    case 'usd':
      return `$${value.toFixed(value < 0.1 ? 4 : 2)}`
    case 'tokens':
      return `${Math.round(value).toLocaleString('en-US')} tokens`
    case 'seconds':
      return `${value.toFixed(1)} s`
  }
}

/** One query that the description gets wrong, and what its runs read instead. */
export function confusionText({ kind, query_id, query, trigger_rate, instead }: TriggerConfusion): string {
  const what = kind === 'missed' ? 'missed' : 'wrongly triggered'
  const others = instead.map(({ skill, runs }) => `${skill} (${runs})`).join(', ')
  const rest = others === '' ? '' : `; other skills read: ${others}`
  return `${what} at ${percent(trigger_rate)}: ${query_id} ${shortenText(query, 120)}${rest}`
}

/** For an incomplete measurement. */
export function incompleteText({ summary }: Pick<Triggers, 'summary'>): string {
  const { runs_decided, runs_planned } = summary
  return `INCOMPLETE: ${runs_decided} of ${runs_planned} runs have an answer; continue with the same command`
}
