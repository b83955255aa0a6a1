/** Ranks the results of another tool, which have run: all pairs at once, with a fixed number of runs. */
import { mkdir } from 'node:fs/promises'
import { UserError } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import type { ImportedRun } from '../../flows/aggregate/import_results.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { usualOptions } from '../../phases/4-report/stats/statistics_options.ts'
import type { RankResult } from './rank.ts'
import { compareByScores } from './stats/compare_contenders.ts'
import { race } from './stats/race.ts'
import { buildRank, type RankedInput } from './stats/rank_result.ts'
import { writeRankFiles } from './write_rank.ts'

export interface RankResultsRequest {
  /** The configuration of each is the contender. */
  runs: readonly ImportedRun[]
  /** Where they are from, as the user named it. */
  places: readonly string[]
  /** The new folder, absolute. */
  target: string
  detect: number
}

/** Throws UserError for results of one configuration, and if the folder exists. */
export async function rankResults(request: RankResultsRequest, context: FlowContext): Promise<RankResult> {
  const { runs, places, target, detect } = request
  if (await pathExists(target)) throw new UserError(`--output ${target}: exists already`, 'name a new folder')
  const names = [...new Set(runs.map(({ configuration }) => configuration))].sort()
  if (names.length < 2)
    throw new UserError(
      `${places.join(', ')}: one configuration (${names.join('')})`,
      'rank needs two or more; --columns configuration=<name> chooses another column',
    )
  const cases = [...new Set(runs.map((run) => run.case))].sort()
  const contenders = names.map((name) =>
    toContender(
      name,
      cases,
      runs.filter(({ configuration }) => configuration === name),
    ),
  )
  const blocks = Math.max(...contenders.flatMap(({ scores }) => scores.map((one) => one.scores.length)))
  const design = { contenders: names.length, alpha: usualOptions.alpha, gap: detect, looks: [blocks] }
  const ended = race(
    design,
    names.map(() => blocks),
    compareByScores(contenders.map(({ scores }) => scores)),
  )
  const missing = contenders.reduce((sum, { leftOut }) => sum + leftOut, 0)
  const costs = runs.flatMap(({ costUsd }) => costUsd ?? [])
  const rank = buildRank(
    contenders,
    { race: ended, design },
    {
      ...{ created_at: context.now().toISOString(), of: 'results', suite: places.join(', '), skill: null, judge: null },
      ...{ power: null, cases: cases.length, stop: null, incomplete_reason: null },
      cost: {
        agent_usd: costs.length === 0 ? null : costs.reduce((sum, one) => sum + one, 0),
        judge_usd: 0,
        unknown_runs: runs.length - costs.length,
      },
      warnings: missing === 0 ? [] : [`${missing} of ${runs.length} runs have no verdict and are left out`],
    },
  )
  await mkdir(target, { recursive: true })
  return { folder: target, rank: await writeRankFiles(target, rank, context) }
}

function toContender(name: string, cases: readonly string[], runs: readonly ImportedRun[]): RankedInput {
  const known = runs.filter(({ verdict }) => verdict !== null)
  const costs = runs.flatMap(({ costUsd }) => costUsd ?? [])
  return {
    ...{ name, source: name, sha256: null, engine: null },
    scores: cases.map((one) => ({
      scores: runs.filter((run) => run.case === one).map(({ verdict }) => verdict?.score ?? null),
      expectations: 1,
    })),
    runs: known.length,
    leftOut: runs.length - known.length,
    costUsd: costs.length < runs.length ? null : costs.reduce((sum, one) => sum + one, 0),
  }
}
