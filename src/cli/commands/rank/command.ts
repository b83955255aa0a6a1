/** `whetstone rank`: which of several skills or engines is best. */
import type { Argv } from 'yargs'
import { UserError } from '../../../base/errors/error.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import { exitCodes } from '../../exit_codes.ts'
import { groupOptions } from '../../help/option_groups.ts'
import { chooseResumeWay } from '../../terminal/interrupt.ts'
import { readImportWish } from '../aggregate/import_flags.ts'
import { type SetExitCode, withFlow } from '../options/run_flow.ts'
import { buildRankRequest, type RankArguments, rankOptions } from './options.ts'
import { showRank, showRankPlan } from './print.ts'

/** Shown with --help-all. */
const rare = ['network', 'allow-read', 'pass-env', 'max-turns', 'deadline']

export function addRank(args: Argv, done: SetExitCode, argv: readonly string[]): Argv {
  const text = 'which of several skills or engines is best?'
  return args.command(
    'rank <contenders..>',
    text,
    (one) => groupOptions(rankOptions(one), argv, rare),
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
    const { readImportedRuns } = await import('../../../flows/aggregate/import/import_results.ts')
    const { rankResults } = await import('../../../flows/rank/rank_results.ts')
    const { contenders: places, detect } = parsed
    const request = { places, detect, target: wish.target, runs: await readImportedRuns({ ...wish, places }) }
    const { result, interrupted } = await withFlow({ json, concurrency: 1 }, (context) => rankResults(request, context))
    return showRank(result, { json, interrupted, goesOn: null })
  }
  const request = buildRankRequest(parsed)
  const { planRank, rankContenders } = await import('../../../flows/rank/rank.ts')
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
