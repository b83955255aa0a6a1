/** The flags of how many runs it takes: until it is decided, and what a number of runs can see. */

import type { Options } from 'yargs'
import { UserError } from '../../base/error.ts'
import type { DesignWish } from '../../flows/detectable.ts'
import { refused } from '../refused.ts'
import { wholeNumber } from './shared.ts'

/** Runs of each case in each arm, at most, where --max-runs is not given. */
const usualMost = 20

export const untilFlags = {
  until: {
    choices: ['decided'] as const,
    describe: 'instead of --runs: a pair of every case, then a look, and so on until it is decided (docs/bench.md)',
  },
  'max-runs': {
    type: 'number',
    requiresArg: true,
    coerce: wholeNumber('max-runs', 1, 1000),
    describe: `with --until: runs of each case in each arm, at most; ${usualMost} if not given`,
  },
  detect: {
    type: 'number',
    requiresArg: true,
    coerce: between('detect', 0, 1, 'a difference of rates: .2 are 20 points'),
    describe: 'with --dry-run: how many runs, or cases, would find a difference of .2 (20 points)',
  },
  power: {
    type: 'number',
    requiresArg: true,
    coerce: between('power', 0.05, 1, 'such as .8: found four times of five'),
    describe: 'with --dry-run: how surely it should be found; .8 if not given',
  },
} satisfies Record<string, Options>

interface UntilArguments {
  until?: 'decided' | undefined
  maxRuns?: number | undefined
  runs: number
  rerun?: string | undefined
  calibrate?: boolean
  dryRun: boolean
  power?: number | undefined
  detect?: number | undefined
}

/** What is asked for: so many runs, or at most so many. */
export function runsAsked({ until, maxRuns, runs }: UntilArguments): { runs: number; until: 'decided' | null } {
  return until === undefined ? { runs, until: null } : { runs: maxRuns ?? usualMost, until }
}

/** What --dry-run is to say of the number of runs. */
export function designAsked({ power, detect }: Pick<UntilArguments, 'power' | 'detect'>): { design: DesignWish } {
  return { design: { power: power ?? null, detect: detect ?? null } }
}

/** Above `low`, below `high`. */
function between(flag: string, low: number, high: number, fix: string) {
  return (value: unknown): number => {
    if (typeof value === 'number' && value > low && value < high) return value
    throw refused(`--${flag}: not a number above ${low} and below ${high}`, fix)
  }
}

/** `given`: the long names of what was not left at its default. Throws UserError for flags that can't be meant together. */
export function refuseUntilMixtures(
  { until, maxRuns, runs, rerun, calibrate, ...design }: UntilArguments,
  given: ReadonlySet<string>,
): void {
  const planned = design.detect === undefined ? design.power && `--power ${design.power}` : `--detect ${design.detect}`
  if (planned && !design.dryRun)
    throw new UserError(`${planned} without --dry-run`, 'add --dry-run: it is about a plan')
  if (until === undefined) {
    if (maxRuns === undefined) return
    throw new UserError(`--max-runs ${maxRuns} without --until`, 'add --until decided, or give --runs')
  }
  if (given.has('runs')) {
    const fix = `give --max-runs ${runs} for the most, or leave out --until`
    throw new UserError(`--until decided with --runs ${runs}: it finds the number of runs itself`, fix)
  }
  if (rerun !== undefined) throw new UserError('--rerun with --until', 'name one run of one skill, and nothing else')
  if (calibrate) {
    throw new UserError('--calibrate with --until', 'noise is measured, not decided: say how often with --runs')
  }
}
