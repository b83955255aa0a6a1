/** The options of `rank` on a command line, and the request that they describe. */
import type { Argv } from 'yargs'
import { importFlags } from '../../cli/commands/aggregate/import_flags.ts'
import { agentFlags, benchFlags } from '../../cli/commands/bench/options.ts'
import { readRunSettings } from '../../cli/commands/bench/run_settings.ts'
import { judgeFlags } from '../../cli/commands/options/common_flags.ts'
import { type Flags, text } from '../../cli/commands/options/flag.ts'
import { withJson } from '../../cli/commands/options/run_flow.ts'
import { sandboxFlags } from '../../cli/commands/options/sandbox_flags.ts'
import type { RankRequest } from './prepare_rank.ts'
import { usualGap, usualRacePower } from './stats/race_design.ts'

export const rankFlags = {
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
