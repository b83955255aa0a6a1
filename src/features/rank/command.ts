/** `whetstone rank`: which of several skills or engines is best. */
import path from 'node:path'
import type { Argv } from 'yargs'
import type { Rank } from '../../../schemas/rank.ts'
import { UserError } from '../../base/errors/error.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { readImportWish } from '../../cli/commands/aggregate/import_flags.ts'
import { type SetExitCode, withFlow } from '../../cli/commands/options/run_flow.ts'
import { warningLines } from '../../cli/error_lines.ts'
import { chooseExitCode, exitCodes } from '../../cli/exit_codes.ts'
import { groupOptions } from '../../cli/help/option_groups.ts'
import { commandLines } from '../../cli/terminal/command_lines.ts'
import type { ResumeWay } from '../../cli/terminal/interrupt.ts'
import { chooseResumeWay, resumeHint } from '../../cli/terminal/interrupt.ts'
import {
  alignColumns,
  colours,
  dollarsText,
  oneLine,
  textWidth,
  toSafeLine,
  wrapText,
} from '../../cli/terminal/style.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { contenderTable, rankHint } from '../../phases/4-report/index/rank_text.ts'
import { formatCount, formatWholePoints } from '../../phases/4-report/text/format.ts'
import { rankPaths } from '../../store/paths.ts'
import { buildRankRequest, type RankArguments, rankFlags, rankOptions } from './options.ts'
import type { RankResult, ReviewedRank } from './rank.ts'

export function addRank(args: Argv, done: SetExitCode, argv: readonly string[]): Argv {
  const text = 'which of several skills or engines is best?'
  return args.command(
    'rank <contenders..>',
    text,
    (one) => groupOptions(rankOptions(one), rankFlags, argv),
    async (parsed) => {
      done(await start(parsed))
    },
  )
}

/** Throws UserError for flags that do not go together. */
function refuseMixtures({ from, output, dryRun }: RankArguments): void {
  if (from === undefined && output !== undefined)
    throw new UserError('--output without --from', 'use --workspace for the folder of results')
  if (from !== undefined && dryRun)
    throw new UserError('--from with --dry-run', 'remove --dry-run: --from runs nothing')
}

async function start(parsed: RankArguments): Promise<number> {
  const { json, concurrency, fresh, dryRun, maxWait } = parsed
  refuseMixtures(parsed)
  const wish = readImportWish({ ...parsed, force: false })
  if (wish !== null) {
    const { readImportedRuns } = await import('../../flows/aggregate/import/import_results.ts')
    const { rankResults } = await import('./rank_results.ts')
    const { contenders: places, detect } = parsed
    const request = { places, detect, target: wish.target, runs: await readImportedRuns({ ...wish, places }) }
    const { result, interrupted } = await withFlow({ json, concurrency: 1 }, (context) => rankResults(request, context))
    return showRank(result, { json, interrupted, goesOn: null })
  }
  const request = buildRankRequest(parsed)
  const { planRank, rankContenders } = await import('./rank.ts')
  if (dryRun) {
    const { result } = await withFlow({ json, concurrency }, (context) => planRank(request, context))
    showRankPlan(result, json)
    if (result.refusals[0] !== undefined) throw result.refusals[0]
    return exitCodes.done
  }
  const goesOn = chooseResumeWay(fresh)
  const waits = { maxWait, limits: request.limits }
  const work = (context: FlowContext) => rankContenders(request, context)
  const { result, interrupted } = await withFlow({ json, concurrency, goesOn, waits }, work)
  return showRank(result, { json, interrupted, goesOn })
}

/** Prints the result or the plan of `rank`; returns the exit code. */
interface HowToShow {
  json: boolean
  interrupted: boolean
  goesOn: ResumeWay
}

/** Exit code 0, also without a winner; 3 if the race has not ended, 130 after Ctrl-C. */
function showRank({ folder, rank }: RankResult, { json, interrupted, goesOn }: HowToShow): number {
  const code = chooseExitCode({ interrupted, incomplete: !rank.complete })
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
function showRankPlan(planned: ReviewedRank, json: boolean): void {
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
