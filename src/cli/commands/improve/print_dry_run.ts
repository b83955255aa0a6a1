/** Prints what a session of `improve` would do, for --dry-run. */
import path from 'node:path'
import { jsonText } from '../../../base/json/json_text.ts'
import type { SessionEstimate, SessionForecast, SessionWork } from '../../../flows/improve/dry_run.ts'
import { formatPlural } from '../../../phases/4-report/text/format.ts'
import { commandLines } from '../../terminal/command_lines.ts'
import {
  colours,
  dollarsText,
  durationText,
  percentText,
  textWidth,
  toSafeLine,
  wrapText,
} from '../../terminal/style.ts'
import { formatEngine } from '../bench/plan_lines.ts'
import { estimateSource } from '../bench/print_plans.ts'

type Forecast = SessionForecast | { ended: string; workspace: string }

export function showDryRun(forecast: Forecast, { json }: { json: boolean }): void {
  const lines = json ? [jsonText({ dry_run: true, ...forecast })] : forecastLines(forecast)
  process.stdout.write(`${lines.join('\n')}\n`)
}

function forecastLines(forecast: Forecast): string[] {
  const width = textWidth(process.stdout)
  if ('ended' in forecast) {
    return wrapText(`Nothing is left to run: the session has ended. ${forecast.ended}`, width)
  }
  const { bold } = colours(process.stdout)
  const { skill, suite, split, engine, judge, proposer, workspace, certification, commands, notes } = forecast
  const rows: [label: string, text: string][] = [
    ['skill', `${skill.name} (${shownPath(skill.path)})`],
    ['suite', shownPath(suite)],
    ['split', split.scope],
    ['engine', `${formatEngine(engine)}; judge: ${judge === null ? 'none needed' : formatEngine(judge)}`],
    ['proposer', formatEngine(proposer)],
    ['results', shownPath(workspace)],
    ...workRows(forecast),
    ['', certification.text],
    ...estimateRows(forecast),
    ...budgetRows(forecast),
    ...powerRows(forecast),
  ]
  return [
    ...rows.flatMap(([label, text]) => wrapText(`${label.padEnd(10)}${text}`, width)),
    ...commandLines(commands, forecast.confined),
    ...notes.flatMap((note) => wrapText(note.startsWith('warning:') ? note : `note: ${note}`, width)),
    ...(forecast.advice === null ? [] : wrapText(`${forecast.advice}.`, width).map((line) => bold(line))),
  ].map(toSafeLine)
}

type Row = [label: string, text: string]

function workRows({ left, plan, resumed }: SessionForecast): Row[] {
  const { search_runs, certification_runs, rounds, proposals, confirmations } = left
  const most = resumed ? `left of ${formatPlural(plan.runs, 'run')}` : `at most ${formatPlural(plan.runs, 'run')}`
  const search =
    rounds === 0
      ? 'none for the search, which is over'
      : `${search_runs} for the search in ${formatPlural(rounds, 'round')}`
  const certify =
    certification_runs === 0
      ? 'none for the certification, which is done'
      : `${certification_runs} for the certification`
  return [
    ['runs', `${most}: ${search}, ${certify}`],
    ...confirmations.map(({ engine, runs }): Row => ['', `${runs} more on ${engine} after a win`]),
    ...(proposals === 0 ? [] : [['proposals', `${proposals}, ${proposals / rounds} per round`] satisfies Row]),
  ]
}

function estimateRows({ estimate, concurrency, left }: SessionForecast): Row[] {
  const { usd, seconds, search_usd, certification_usd } = estimate
  const runsUsd = search_usd === null || certification_usd === null ? null : search_usd + certification_usd
  const from = estimateSource({ ...estimate, usd: usd ?? runsUsd })
  const money = usd === null ? knownPart(estimate) : dollarsText(usd)
  const time = seconds === null ? 'unknown time' : durationText(seconds * 1000)
  return [
    ['estimate', `${money}, ${time} with ${concurrency} at once (${from})`],
    [
      '',
      `search ${costText(search_usd)} · certification ${costText(certification_usd)} · proposals ${proposalsText(estimate, left)}`,
    ],
    ...estimate.confirmations.map((one): Row => ['', `on ${one.engine}, after a win: ${costText(one.usd)}`]),
  ]
}

/** Where the proposals alone are unknown, the runs still count. */
function knownPart({ search_usd, certification_usd, proposals_usd }: SessionEstimate): string {
  if (search_usd === null || certification_usd === null || proposals_usd !== null) return 'unknown cost'
  return `${dollarsText(search_usd + certification_usd)} and the proposals`
}

function proposalsText({ proposals_usd, from_proposals }: SessionEstimate, { proposals }: SessionWork): string {
  if (proposals === 0) return 'none left'
  if (proposals_usd === null) return 'not known'
  const from = from_proposals === 0 ? 'by --cost-per-run' : `from ${formatPlural(from_proposals, 'earlier one')}`
  return `${dollarsText(proposals_usd)} (${from})`
}

function costText(usd: number | null): string {
  return usd === null ? 'not known' : dollarsText(usd)
}

function budgetRows({ budget, left }: SessionForecast): Row[] {
  if (budget === null || left.certification_runs === 0) return []
  const { usd, tokens, certification_runs: runs } = budget
  const limits = [
    ...(usd === null ? [] : [dollarsText(usd)]),
    ...(tokens === null ? [] : [`${tokens.toLocaleString('en-US')} tokens`]),
  ].join(' and ')
  const pays = runs === null ? 'an unknown number of certification runs' : formatPlural(runs, 'certification run')
  const part = left.rounds === 0 ? 'what is left' : 'half'
  return [['budget', `${limits}: ${part} pays ${pays} of ${left.certification_runs}`]]
}

function powerRows({ power }: SessionForecast): Row[] {
  const chances = power
    .filter(({ gain }) => gain < 0.25)
    .map(({ gain, power: chance }) => `${percentText(chance)} for ${Math.round(100 * gain)} points`)
  return chances.length === 0 ? [] : [['chance', `that the certification shows a true gain: ${chances.join(', ')}`]]
}

function shownPath(place: string): string {
  return path.relative(process.cwd(), place) || '.'
}
