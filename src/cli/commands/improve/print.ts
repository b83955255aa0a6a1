/** Prints the result of an improve session; returns the exit code. */
import path from 'node:path'
import type { History, Iteration } from '../../../../schemas/history.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import type { ImproveResult } from '../../../flows/improve/improve.ts'
import { exitCodes } from '../../exit_codes.ts'
import {
  alignColumns,
  colours,
  dollarsText,
  oneLine,
  percentText,
  textWidth,
  toSafeLine,
  wrapText,
} from '../../terminal/style.ts'

export interface HowToShowImprove {
  json: boolean
  interrupted: boolean
  /** The applied version will be reported separately. */
  toBeApplied: boolean
}

/** 0 if the session has ended; 3 if a limit stopped it, 130 after Ctrl-C. */
export function showImprove(result: ImproveResult, how: HowToShowImprove): number {
  const { history, workspace, best } = result
  const isOver = history.ended_at !== undefined
  const code = isOver ? exitCodes.done : how.interrupted ? exitCodes.interrupted : exitCodes.incomplete
  if (how.json) {
    process.stdout.write(`${jsonText({ type: 'result', exit_code: code, workspace, best, history })}\n`)
  } else process.stdout.write(`${resultLines(result, how).join('\n')}\n`)
  return code
}

function resultLines({ history, workspace, best }: ImproveResult, { toBeApplied }: HowToShowImprove): string[] {
  const { bold, dim, yellow } = colours(process.stdout)
  const width = textWidth(process.stdout)
  const isBetter = history.current_best !== 'v0'
  const isOver = history.ended_at !== undefined
  const shown = path.relative(process.cwd(), best) || best
  return [
    '',
    ...(isOver ? [] : [yellow(bold('NOT ENDED: continue with the same command and --resume'))]),
    ...wrapText(headline(history), width).map((line) => bold(line)),
    ...(history.stopped === undefined ? [] : wrapText(`stopped: ${history.stopped.message}`, width)),
    ...(history.split === undefined ? [] : wrapText(`scope: ${history.split.scope}`, width).map((line) => dim(line))),
    '',
    ...table(history).map((line, at) => (at === 0 ? dim(line) : line)),
    ...failureLines(history),
    costLine(history),
    `${dim('wrote')} ${toSafeLine(path.relative(process.cwd(), path.join(workspace, 'history.json')))}`,
    ...(isBetter && isOver && !toBeApplied
      ? [`${dim('best')}  ${toSafeLine(shown)}; --resume --apply puts it in place of the skill`]
      : []),
  ]
}

function headline({ test, current_best: best, headroom, iterations, refused = [], ...history }: History): string {
  if (test) {
    const { v0, candidate, sentence, gain, scope } = test
    const about = scope === 'these_cases' ? ' It holds for these cases.' : ''
    const isShown = gain.ci_low !== null && gain.ci_low > 0
    const what = isShown
      ? `${best} is better than v0`
      : `${best} was accepted on validation, and the test does not confirm it`
    return `${what}: on ${gain.n_cases} test cases ${percentText(v0.mean)} → ${percentText(candidate.mean)}; ${sentence} points.${about}`
  }
  const isOver = history.ended_at !== undefined
  if (best !== 'v0')
    return `${best} was accepted on validation; ${isOver ? 'there was no test' : 'its test is still to come'}.`
  if (iterations.length === 0) return 'Nothing was tried yet: v0 has not had all of its own runs.'
  const isTried = iterations.length > 1 || refused.some(({ rule }) => rule !== 'proposer_failed')
  if (isTried) return isOver ? 'No version was accepted: v0 stays the best.' : 'No version was accepted yet.'
  return isOver && headroom !== undefined ? 'Nothing was tried.' : 'Nothing was tried yet.'
}

/** The words of the page. */
const results = {
  baseline: 'baseline',
  won: 'accepted',
  lost: 'rejected',
  tie: 'rejected: a tie',
} satisfies Record<Iteration['grading_result'], string>

/** A line for each version, then an empty line; nothing if there are none. */
function table(history: History): string[] {
  const made = rows(history)
  return made.length === 0 ? [] : [...alignColumns([['version', 'from', 'rate', 'result', 'why'], ...made], [2]), '']
}

function rows({ iterations, refused = [] }: History): string[][] {
  const made = iterations.map((one) => ({
    at: one.iteration ?? 0,
    row: [
      `${one.version}${one.is_current_best ? ' *' : ''}`,
      one.parent ?? '',
      percentText(one.expectation_pass_rate),
      results[one.grading_result],
      oneLine(one.gate?.reason ?? '', 110),
    ],
  }))
  const unfit = refused.map((one) => ({
    at: one.iteration,
    row: ['–', one.parent, '', 'refused', oneLine(`${one.rule}: ${one.reason}`, 110)],
  }))
  return [...made, ...unfit].sort((a, b) => a.at - b.at).map(({ row }) => row)
}

function failureLines({ stopped }: History): string[] {
  const failures = stopped?.failures ?? []
  if (failures.length === 0) return []
  const shown = failures.map(({ kind, runs, cases }) => `${kind} (${runs} runs of cases ${cases.join(', ')})`)
  return [oneLine(`still failing in training: ${shown.join('; ')}`, 300), '']
}

function costLine({ benchmarks_usd: usd, benchmarks_unknown: unknown = 0, iterations, refused = [] }: History): string {
  const runs = usd === null || usd === undefined ? 'unknown' : dollarsText(usd) + besidesText(unknown, 'run or grading')
  // the baseline is not a proposal
  const proposals = [...iterations.slice(1), ...refused].map((one) => one.cost_usd ?? null)
  const known = proposals.filter((one) => one !== null)
  const sum = known.reduce((all, one) => all + one, 0)
  const lacking = proposals.length - known.length
  const made = lacking > 0 && sum === 0 ? 'unknown' : dollarsText(sum) + besidesText(lacking, 'proposal')
  return `cost: benchmarks ${runs}, proposals ${made}`
}

function besidesText(count: number, what: string): string {
  return count === 0 ? '' : ` and ${count} × ${what} of unknown cost`
}
