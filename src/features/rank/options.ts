/** The options of `rank` on a command line, and the request that they describe. */
import type { Argv } from 'yargs'
import { UserError } from '../../base/errors/error.ts'
import { importFlags } from '../../cli/commands/aggregate/import_flags.ts'
import { benchFlags } from '../../cli/commands/bench/options.ts'
import { readRunSettings } from '../../cli/commands/bench/run_settings.ts'
import { withJson } from '../../cli/commands/options/run_flow.ts'
import { sandboxFlags } from '../../cli/commands/options/sandbox_flags.ts'
import type { RankRequest } from './prepare_rank.ts'
import { usualGap, usualRacePower } from './stats/race_design.ts'

const { engine, model, effort, judge, suite, concurrency, timeout, activation, workspace, fresh } = benchFlags
const { budget, deadline } = benchFlags

const rankFlags = {
  skill: {
    type: 'string',
    requiresArg: true,
    coerce: (value: unknown): string | undefined => {
      if (Array.isArray(value)) throw new UserError('--skill: given more than once', 'pass skills without a flag')
      return value === undefined ? undefined : String(value)
    },
    describe: 'rank engines with this skill',
  },
  suite: { ...suite, defaultDescription: 'that of --skill', describe: 'the suite that all contenders run' },
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
  engine,
  model,
  effort,
  'base-url': benchFlags['base-url'],
  judge,
  'judge-samples': benchFlags['judge-samples'],
  'judge-effort': benchFlags['judge-effort'],
  'require-evidence': benchFlags['require-evidence'],
  activation,
  concurrency,
  timeout,
  'idle-timeout': benchFlags['idle-timeout'],
  'on-timeout': benchFlags['on-timeout'],
  'max-turns': benchFlags['max-turns'],
  retries: benchFlags.retries,
  links: benchFlags.links,
  'pass-env': benchFlags['pass-env'],
  ...sandboxFlags,
  workspace: { ...workspace, defaultDescription: './workspaces/rank, or that of --skill' },
  budget,
  'budget-tokens': benchFlags['budget-tokens'],
  'cost-per-run': benchFlags['cost-per-run'],
  prices: benchFlags.prices,
  deadline,
  'max-wait': benchFlags['max-wait'],
  'allow-invalid': benchFlags['allow-invalid'],
  fresh: { ...fresh, describe: 'start again, do not resume' },
  from: { ...importFlags.from, describe: 'rank the results of this tool, run nothing' },
  columns: importFlags.columns,
  output: { alias: 'o', type: 'string', requiresArg: true, describe: 'new folder for --from' },
  'dry-run': benchFlags['dry-run'],
} as const

export function rankOptions(args: Argv) {
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

export type RankArguments = Awaited<ReturnType<typeof rankOptions>['argv']>

export function buildRankRequest(parsed: RankArguments): RankRequest {
  return {
    ...readRunSettings(parsed),
    contenders: parsed.contenders,
    skill: parsed.skill ?? null,
    suite: parsed.suite ?? null,
    cases: parsed.case,
    detect: parsed.detect,
    power: parsed.power,
    maxRuns: parsed.maxRuns ?? null,
    engine: parsed.engine,
    activation: parsed.activation,
    onTimeout: parsed.onTimeout,
    allowInvalid: parsed.allowInvalid,
    fresh: parsed.fresh,
  }
}
