/** Prints the result or the plan of `rank`; returns the exit code. */
import path from 'node:path'
import type { Rank } from '../../../../schemas/rank.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import type { RankResult, ReviewedRank } from '../../../flows/rank/rank.ts'
import { contenderTable, rankHint } from '../../../phases/4-report/index/rank_text.ts'
import { formatCount, formatWholePoints } from '../../../phases/4-report/text/format.ts'
import { rankPaths } from '../../../store/paths.ts'
import { warningLines } from '../../error_lines.ts'
import { exitCodes } from '../../exit_codes.ts'
import { commandLines } from '../../terminal/command_lines.ts'
import { type ResumeWay, resumeHint } from '../../terminal/interrupt.ts'
import { alignColumns, colours, dollarsText, oneLine, textWidth, toSafeLine, wrapText } from '../../terminal/style.ts'

interface HowToShow {
  json: boolean
  interrupted: boolean
  goesOn: ResumeWay
}

/** Exit code 0, also without a winner; 3 if the race has not ended, 130 after Ctrl-C. */
export function showRank({ folder, rank }: RankResult, { json, interrupted, goesOn }: HowToShow): number {
  const ended = rank.complete ? exitCodes.done : exitCodes.incomplete
  const code = interrupted ? exitCodes.interrupted : ended
  if (json) process.stdout.write(`${jsonText({ type: 'result', exit_code: code, folder, ...rank })}\n`)
  else process.stdout.write(`${rankLines(folder, rank, goesOn).join('\n')}\n`)
  return code
}

function rankLines(folder: string, rank: Rank, goesOn: ResumeWay): string[] {
  const { bold, dim, yellow } = colours(process.stdout)
  const width = textWidth(process.stdout)
  const { header, rows } = contenderTable(rank)
  const cells = rows.map((row) => row.map((cell) => oneLine(cell, 60)))
  const [first = '', ...table] = alignColumns([header, ...cells], [3, 4, 5])
  const { page, rank: file } = rankPaths(folder)
  const shown = (place: string) => toSafeLine(path.relative(process.cwd(), place) || place)
  const reason = rank.incomplete_reason
  return [
    '',
    ...(reason === null
      ? []
      : wrapText(`INCOMPLETE: ${resumeHint(reason, goesOn)}`, width).map((line) => yellow(bold(line)))),
    ...wrapText(oneLine(rank.sentence, 2000), width).map((line) => bold(line)),
    '',
    dim(first),
    ...table,
    '',
    ...wrapText(rankHint(rank), width).map((line) => dim(line)),
    dim(costText(rank)),
    `${dim('wrote')} ${shown(file)}`,
    `${dim('page ')} ${shown(page)}`,
  ]
}

function costText({ cost: { agent_usd: agent, judge_usd: judge, unknown_runs: unknown } }: Rank): string {
  const known = agent === null ? 'cost unknown' : `cost ${dollarsText(agent + (judge ?? 0))}`
  return agent !== null && unknown > 0 ? `${known}, without ${formatCount(unknown)} runs of unknown cost` : known
}

/** Prints the plan for --dry-run. */
export function showRankPlan(planned: ReviewedRank, json: boolean): void {
  const { plan, contenders, design, cases, runs, costPerRun, review, of } = planned
  const max_blocks = design.looks.at(-1) ?? 0
  if (json) {
    const cost = (count: number) => (costPerRun === null ? null : count * costPerRun)
    const cost_usd = {
      most: cost(runs.most),
      expected: cost(runs.expected),
      expected_if_equal: cost(runs.expected_if_equal),
    }
    const names = contenders.map(({ name }) => name)
    const facts = { of, contenders: names, cases, max_blocks, looks: design.looks, detect: design.gap, runs, cost_usd }
    process.stdout.write(
      `${jsonText({ type: 'plan', ...facts, warnings: plan.warnings, commands: review.commands })}\n`,
    )
    return
  }
  const amount = (count: number) =>
    `${formatCount(count)} runs${costPerRun === null ? '' : `, ${dollarsText(count * costPerRun)}`}`
  const { judge, engine } = plan.options
  const lines = [
    ...contenders.map(({ name, source }) => `contender ${name}${source === name ? '' : ` (${source})`}`),
    `suite     ${plan.suite.path} (${cases} cases that count)`,
    ...(of === 'skills'
      ? [`engine    ${[engine.name, engine.model].filter(Boolean).join(':')}`]
      : [`skill     ${plan.skill.name}`]),
    `judge     ${judge === null ? 'none needed' : [judge.name, judge.model].filter(Boolean).join(':')}`,
    `results   ${planned.workspace}`,
    ...planned.choices.map((choice) => `          ${choice}`),
    '',
    `at most   ${amount(runs.most)} (${max_blocks} per case and contender, ${design.looks.length} looks)`,
    `expected  ${amount(runs.expected)} if one leads by ${formatWholePoints(design.gap, false)} points`,
    `          ${amount(runs.expected_if_equal)} if all are equal`,
    ...(costPerRun === null
      ? ['cost      unknown: no earlier run of these engines here (--cost-per-run assumes one, --budget limits it)']
      : [`cost      ${dollarsText(costPerRun)} a run`]),
    ...commandLines(review.commands, review.confinement.sandbox.mechanism !== 'none'),
    ...plan.warnings.flatMap(warningLines),
  ]
  process.stdout.write(`${lines.map(toSafeLine).join('\n')}\n`)
}
