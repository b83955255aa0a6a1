/** `whetstone rank`: which of several skills or engines is best. */
import path from 'node:path'
import type { Argv } from 'yargs'
import type { Rank } from '../../../schemas/rank.ts'
import { UserError } from '../../base/errors/error.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { importFlags, readImportWish } from '../../cli/commands/aggregate/import_flags.ts'
import { agentFlags, benchFlags } from '../../cli/commands/bench/options.ts'
import { readRunSettings } from '../../cli/commands/bench/run_settings.ts'
import { judgeFlags } from '../../cli/commands/options/common_flags.ts'
import { type Flags, text } from '../../cli/commands/options/flag.ts'
import { type SetExitCode, withFlow, withJson } from '../../cli/commands/options/run_flow.ts'
import { sandboxFlags } from '../../cli/commands/options/sandbox_flags.ts'
import { chooseExitCode, exitCodes } from '../../cli/exit_codes.ts'
import { groupOptions } from '../../cli/help/option_groups.ts'
import { warningLines } from '../../cli/print_error.ts'
import { commandLines } from '../../cli/terminal/command_lines.ts'
import { chooseResumeWay, type ResumeWay, resumeHint } from '../../cli/terminal/interrupt.ts'
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
import { formatCount, formatWholePoints } from '../../phases/4-report/text/format.ts'
import { rankPaths } from '../../store/paths.ts'
import type { RankResult, ReviewedRank } from './rank.ts'
import { contenderTable, rankHint } from './rank_text.ts'
import { usualGap, usualRacePower } from './stats/race_design.ts'

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
    const { readImportedRuns } = await import('../../flows/aggregate/import_results.ts')
    const { rankResults } = await import('./rank_results.ts')
    const { contenders: places, detect } = parsed
    const request = { places, detect, target: wish.target, runs: await readImportedRuns({ ...wish, places }) }
    const { result, interrupted } = await withFlow({ json, concurrency: 1 }, (context) => rankResults(request, context))
    return showRank(result, { json, interrupted, goesOn: null })
  }
  const request = {
    ...readRunSettings(parsed),
    contenders: parsed.contenders,
    skill: parsed.skill ?? null,
    suite: parsed.suite ?? null,
    cases: parsed.case,
    detect: parsed.detect,
    power: parsed.power,
    maxRuns: parsed.maxRuns ?? null,
    engine: parsed.engine,
    activation: parsed.activation ?? null,
    onTimeout: parsed.onTimeout,
    allowInvalid: parsed.allowInvalid,
    fresh: parsed.fresh,
  }
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

/** Prints the result. Exit code 0, also without a winner; 3 if the race has not ended, 130 after Ctrl-C. */
function showRank(
  { folder, rank }: RankResult,
  { json, interrupted, goesOn }: { json: boolean; interrupted: boolean; goesOn: ResumeWay },
): number {
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

const rankFlags = {
  skill: { ...text, describe: 'rank engines with this skill' },
  suite: { ...benchFlags.suite, defaultDescription: 'that of --skill', describe: 'the suite that all contenders run' },
  case: benchFlags.case,
  detect: {
    ...benchFlags.detect,
    default: usualGap,
    describe: 'lead over the next that is to be found: 0.15 for 15 points',
  },
  power: {
    ...benchFlags.power,
    default: usualRacePower,
    defaultDescription: '0.95',
    describe: 'chance to name a winner that leads by --detect',
  },
  'max-runs': {
    ...benchFlags['max-runs'],
    defaultDescription: 'as many as --detect needs',
    describe: 'most runs per case and contender',
  },
  engine: benchFlags.engine,
  judge: benchFlags.judge,
  ...agentFlags,
  'judge-samples': judgeFlags['judge-samples'],
  'judge-effort': judgeFlags['judge-effort'],
  'require-evidence': judgeFlags['require-evidence'],
  activation: benchFlags.activation,
  'on-timeout': benchFlags['on-timeout'],
  'allow-invalid': benchFlags['allow-invalid'],
  network: { ...sandboxFlags.network, section: undefined },
  'allow-read': { ...sandboxFlags['allow-read'], section: undefined },
  'pass-env': { ...agentFlags['pass-env'], section: undefined },
  'max-turns': { ...agentFlags['max-turns'], section: undefined },
  deadline: { ...agentFlags.deadline, section: undefined },
  workspace: { ...agentFlags.workspace, defaultDescription: './workspaces/rank, or that of --skill' },
  fresh: { ...benchFlags.fresh, describe: 'start again, do not resume' },
  from: { ...importFlags.from, describe: 'rank the results of this tool, run nothing' },
  columns: importFlags.columns,
  output: { ...text, alias: 'o', section: 'Output and CI', describe: 'new folder for --from' },
  'dry-run': benchFlags['dry-run'],
} satisfies Flags

function rankOptions(args: Argv) {
  return withJson(args)
    .positional('contenders', {
      type: 'string',
      array: true,
      demandOption: true,
      describe: 'skills; engine:model with --skill; results with --from',
    })
    .options(rankFlags)
    .group(['skill', 'suite', 'detect', 'power', 'max-runs', 'from'], 'Ranking:')
    .usage(
      '$0 rank <skills..> --suite <file> [options]\n       $0 rank <engines..> --skill <skill> [options]\n\nRank several skills or engines on one suite.\n\nA contender that can no longer win gets no more runs. A winner is named only if it is better than every other. The same command resumes after an interruption.',
    )
    .example('$0 rank skills/pdf-a skills/pdf-b skills/pdf-c --suite evals.json --dry-run', 'see the plan first')
    .example('$0 rank claude-code:sonnet codex:gpt-5 --skill skills/pdf', 'rank engines with one skill')
    .example('$0 rank trials.csv --from csv --output trials-rank', 'rank the results of another tool')
}

type RankArguments = Awaited<ReturnType<typeof rankOptions>['argv']>
