/** Prints the result of an improve session and puts its best version where the user wants it; returns the exit code. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { ProposedEdit } from '../../../../schemas/history/round.ts'
import type { History, Iteration } from '../../../../schemas/history.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import { typedCommand } from '../../../base/package_root.ts'
import { sum } from '../../../base/totals.ts'
import { type ImproveResult, prepareApply } from '../../../flows/improve/apply.ts'
import { branchBest } from '../../../flows/improve/branch.ts'
import { isCertified } from '../../../flows/improve/pull_request.ts'
import { improvePaths } from '../../../store/paths.ts'
import { chooseExitCode, exitCodes } from '../../exit_codes.ts'
import { confirmReplacement } from '../../terminal/question.ts'
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
  branch?: CommittedBranch | null
  /** A demo can't be resumed, and its skill is not to be replaced. */
  isDemo?: boolean
}

/** 0 if the session has ended; 3 if a limit stopped it, 130 after Ctrl-C. */
export function showImprove(result: ImproveResult, how: HowToShowImprove): number {
  const { history, workspace, best } = result
  const isOver = history.ended_at !== undefined
  const code = chooseExitCode({ interrupted: how.interrupted && !isOver, incomplete: !isOver })
  if (how.json) {
    process.stdout.write(
      `${jsonText({ type: 'result', exit_code: code, workspace, best, ...(how.branch && { branch: how.branch }), history })}\n`,
    )
  } else process.stdout.write(`${resultLines(result, how).join('\n')}\n`)
  return code
}

function resultLines(result: ImproveResult, how: HowToShowImprove): string[] {
  const { history } = result
  const { bold, dim, yellow } = colours(process.stdout)
  const width = textWidth(process.stdout)
  const isOver = history.ended_at !== undefined
  const goesOn = how.isDemo ? 'the next demo starts a new session' : 'continue with the same command and --resume'
  const wrapped = (text: string) => wrapText(toSafeLine(text), width)
  return [
    '',
    ...(isOver ? [] : [yellow(bold(`NOT ENDED: ${goesOn}`))]),
    ...wrapped(headline(history)).map((line) => bold(line)),
    ...judgeLines(history).flatMap(wrapped),
    ...(history.confirmations ?? []).flatMap(({ sentence }) => wrapped(sentence)),
    ...(history.stopped === undefined
      ? []
      : wrapped(`${isOver ? 'search ended' : 'stopped'}: ${history.stopped.message}`)),
    ...(history.split === undefined ? [] : wrapped(`scope: ${history.split.scope}`).map((line) => dim(line))),
    '',
    ...table(history).map((line, at) => (at === 0 ? dim(line) : line)),
    ...editLines(history),
    ...failureLines(history),
    costLine(history),
    ...placeLines(result, how).map(([name, text]) => `${dim(name.padEnd(5))} ${toSafeLine(text)}`),
  ]
}

/** Where to look, and what to do next. */
function placeLines(
  { history, workspace, best }: ImproveResult,
  { toBeApplied, isDemo = false }: HowToShowImprove,
): [name: string, text: string][] {
  const place = (file: string) => path.relative(process.cwd(), file) || file
  const isOver = history.ended_at !== undefined
  const isBetter = history.current_best !== 'v0' && isOver
  const { history: session, pullRequest } = improvePaths(workspace)
  const howToApply = isDemo ? '' : '; --resume --apply puts it in place of the skill'
  const lines: [name: string, text: string, isShown: boolean][] = [
    ['wrote', place(session), true],
    ['wrote', place(pullRequest), isOver && isCertified(history) && existsSync(pullRequest)],
    ['page', `${typedCommand()} view ${place(workspace)}`, isOver],
    ['best', `${place(best)}${howToApply}`, isBetter && !toBeApplied],
    [
      'next',
      `${typedCommand()} improve SKILL --dry-run: the cost and the chances for your own skill`,
      isDemo && isOver,
    ],
  ]
  return lines.flatMap(([name, text, isShown]) => (isShown ? [[name, text]] : []))
}

function headline({ certification, iterations, ...history }: History): string {
  if (certification) return certification.sentence
  const isOver = history.ended_at !== undefined
  if (isOver && history.stopped?.reason === 'solved') return 'Nothing to improve: v0 passes all training cases.'
  if (isOver) return 'No better version was found: v0 stays.'
  const made = iterations.at(-1)?.version ?? 'v0'
  return made === 'v0' ? 'No version was found yet.' : `${made} is not certified yet.`
}

/** Who decided, if that weakens the result; where the judges disagree. */
function judgeLines({ certification }: History): string[] {
  if (!certification) return []
  const { kind, name, disagreement } = certification.judge
  if (kind === 'same') {
    return [
      `warning: ${name} judged both the search and this result; confirm it with a judge of another family (--certify-judge)`,
    ]
  }
  if (disagreement === undefined) return kind === 'code' ? [] : [`decided by ${name}`]
  const { decisions, differ } = disagreement
  return [
    `decided by ${name}; ${disagreement.name}, the judge of the search, disagrees in ${differ} of ${decisions} verdicts`,
  ]
}

/** The words of the page. */
const results = { won: 'better', lost: 'worse', tie: 'not shown' } as const

/** The certification decides; the rates alone do not. */
function resultText({ version }: Iteration, certification: History['certification']): string {
  if (version === 'v0') return 'baseline'
  return version === certification?.best ? results[certification.result] : 'not certified'
}

/** A line for each version, then an empty line. All rates of one part come from the same cases. */
function table({ iterations, certification }: History): string[] {
  if (iterations.length === 0) return []
  const rows = iterations.map((one) => [
    `${one.version}${one.is_current_best ? ' *' : ''}`,
    one.parent ?? '',
    percentOrNothing(one.expectation_pass_rate),
    percentOrNothing(one.training_pass_rate),
    resultText(one, certification),
  ])
  return [...alignColumns([['version', 'from', 'held-out', 'training (estimate)', 'result'], ...rows], [2, 3]), '']
}

const percentOrNothing = (rate: number | null | undefined) => (rate == null ? '' : percentText(rate))

/** The kept edits with their estimated effects, and how many were not kept. */
function editLines({ rounds = [] }: History): string[] {
  const edits = rounds.flatMap(({ proposals }) => proposals.flatMap((one) => one.edits))
  if (edits.length === 0) return []
  const kept = edits
    .filter((one) => one.kept)
    .map((one) => oneLine(`  ${effectText(one)}  ${one.id}  ${one.summary}`, 160))
  const dropped = edits.filter((one) => !one.kept && one.refused === undefined).length
  const refused = edits.length - kept.length - dropped
  const counts = `edits: ${kept.length} kept, ${dropped} tried and not kept, ${refused} refused before any run`
  return [
    counts,
    ...(kept.length > 0 ? ['kept, with the estimated effect on training cases in points:'] : []),
    ...kept,
    '',
  ]
}

function effectText({ effect }: ProposedEdit): string {
  const points = Math.round(100 * (effect ?? 0))
  return `${points > 0 ? '+' : ''}${points}`.padStart(4)
}

function failureLines({ stopped }: History): string[] {
  const failures = stopped?.failures ?? []
  if (failures.length === 0) return []
  const shown = failures.map(({ kind, runs, cases }) => `${kind} (${runs} runs of cases ${cases.join(', ')})`)
  return [oneLine(`still failing in training: ${shown.join('; ')}`, 300), '']
}

function costLine({ benchmarks_usd: usd, benchmarks_unknown: unknown = 0, ...history }: History): string {
  const runs = usd === null || usd === undefined ? 'unknown' : dollarsText(usd) + besidesText(unknown, 'run or grading')
  const { rounds = [], failed_proposals = [] } = history
  const proposals = [...rounds.flatMap((round) => round.proposals), ...failed_proposals].map((one) => one.cost_usd)
  const known = proposals.filter((one) => one !== null)
  const paid = sum(known)
  const lacking = proposals.length - known.length
  const made = lacking > 0 && paid === 0 ? 'unknown' : dollarsText(paid) + besidesText(lacking, 'proposal')
  return `cost: benchmarks ${runs}, proposals ${made}`
}

function besidesText(count: number, what: string): string {
  return count === 0 ? '' : ` and ${count} × ${what} of unknown cost`
}

/** Exit code 0, also if nothing changes or the answer is no. Throws UserError if nobody can answer and --yes is absent. */
export async function applyBest(
  result: ImproveResult,
  { skill, json, yes }: { skill: string; json: boolean; yes: boolean },
): Promise<number> {
  const { current_best: name } = result.history
  if (name === 'v0') {
    ;(json ? process.stderr : process.stdout).write('Nothing to apply: v0 is the best.\n')
    return exitCodes.done
  }
  await confirmReplacement(await prepareApply(result, skill), { name, skill, json, yes })
  return exitCodes.done
}

export interface CommittedBranch {
  name: string
  commit: string
}

/** Commits the version and prints its commit; null: v0 is the best, so there is no branch. */
export async function commitBest(
  result: ImproveResult,
  { skill, name, json }: { skill: string; name: string; json: boolean },
): Promise<CommittedBranch | null> {
  const made = await branchBest(result, { skill, name })
  const line =
    made === null
      ? `No branch ${name}: v0 is the best.`
      : `Committed ${result.history.current_best} as ${made.commit.slice(0, 10)} on the new branch ${name}`
  const stream = json ? process.stderr : process.stdout
  stream.write(`${toSafeLine(line)}\n`)
  return made === null ? null : { name, commit: made.commit }
}
