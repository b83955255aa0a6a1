/** The most runs per case and contender: enough to find the lead, or a refusal that says how many would be. */
import { UserError } from '../../base/errors/error.ts'
import { neededBlocks, neededCases } from '../../phases/4-report/stats/rank/race_design.ts'
import { formatCount, formatPercent, formatPlural, formatWholePoints } from '../../phases/4-report/text/format.ts'

export interface BlocksWish {
  /** null: as many as are needed. */
  maxRuns: number | null
  /** The lead that is to be found, from 0 to 1, and the chance to find it. */
  detect: number
  power: number
}

/** More per case than this is a suite that is too small. */
const mostBlocks = 200

/** Throws UserError if so many runs can't find the lead. */
export function chooseBlocks(
  { maxRuns, detect, power }: BlocksWish,
  { contenders, cases }: { contenders: number; cases: number },
): number {
  const size = { contenders, gap: detect, power }
  const needed = neededBlocks({ ...size, cases })
  const most = maxRuns ?? mostBlocks
  if (needed <= most) return maxRuns ?? needed
  const lead = `a lead of ${formatWholePoints(detect, false)} points`
  const wanted = neededCases(size, most)
  const runs = needed <= mostBlocks ? `--max-runs ${needed}, or ` : ''
  throw new UserError(
    `${formatPlural(contenders, 'contender')} on ${formatPlural(cases, 'case')}: ${formatPlural(most, 'run')} per case can't find ${lead} with power ${formatPercent(power)}; it takes ${formatCount(needed)}`,
    `use ${runs}${formatPlural(wanted, 'case')}, or look for a larger lead with --detect`,
  )
}
