/** Flags about the number of runs: adaptive stopping, and the power of a design. */
import type { Options } from 'yargs'
import { UserError } from '../../../base/errors/error.ts'
import type { DesignWish } from '../../../flows/prepare/prepare_bench.ts'
import { refuseForm } from './refused_value.ts'
import { wholeNumber } from './run_flow.ts'

/** Most runs per case and arm, without --max-runs. */
const usualMost = 20

export const untilFlags = {
  until: {
    choices: ['decided'] as const,
    describe: 'stop as soon as the result is conclusive',
  },
  'max-runs': {
    type: 'number',
    requiresArg: true,
    coerce: wholeNumber('max-runs', 1, 1000),
    defaultDescription: String(usualMost),
    describe: 'with --until: most runs per case and configuration',
  },
  detect: {
    type: 'number',
    requiresArg: true,
    coerce: openRangeParser('detect', 0, 1, 'use a difference of rates, such as --detect 0.2 for 20 points'),
    describe: 'with --dry-run: runs needed to find this difference',
  },
  margin: {
    type: 'number',
    requiresArg: true,
    coerce: parseMargin,
    defaultDescription: '10',
    describe: 'points, and % of the price, too few to matter',
  },
  power: {
    type: 'number',
    requiresArg: true,
    coerce: openRangeParser('power', 0.05, 1, 'use a number such as --power 0.8'),
    defaultDescription: '0.8',
    describe: 'with --detect: statistical power',
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

/** The requested number of runs, or its maximum with --until. */
export function resolveRuns({ until, maxRuns, runs }: UntilArguments): { runs: number; until: 'decided' | null } {
  return until === undefined ? { runs, until: null } : { runs: maxRuns ?? usualMost, until }
}

/** The questions to --dry-run about the number of runs. */
export function resolveDesign({ power, detect }: Pick<UntilArguments, 'power' | 'detect'>): { design: DesignWish } {
  return { design: { power: power ?? null, detect: detect ?? null } }
}

/** Accepts numbers above `low` and below `high`. */
function openRangeParser(flag: string, low: number, high: number, fix: string) {
  return (value: unknown): number => {
    if (typeof value === 'number' && value > low && value < high) return value
    throw refuseForm(flag, `a number above ${low} and below ${high}`, fix)
  }
}

/** In points, as a share. A rate such as 0.05 is more likely meant as 5 points than as a twentieth of one. */
function parseMargin(value: unknown): number {
  if (typeof value === 'number' && value >= 1 && value < 100) return value / 100
  throw refuseForm('margin', 'a number of points from 1 to below 100', 'use --margin 5 for 5 points')
}

/** `given`: long names of flags with a non-default value. Throws UserError for flags that exclude each other. */
export function refuseUntilMixtures(
  { until, maxRuns, runs, rerun, calibrate, ...design }: UntilArguments,
  given: ReadonlySet<string>,
): void {
  const planned = design.detect === undefined ? design.power && `--power ${design.power}` : `--detect ${design.detect}`
  if (planned && !design.dryRun) throw new UserError(`${planned} without --dry-run`, 'add --dry-run')
  if (until === undefined) {
    if (maxRuns === undefined) return
    throw new UserError(`--max-runs ${maxRuns} without --until`, 'add --until decided, or use --runs')
  }
  if (given.has('runs')) {
    const fix = `use --max-runs ${runs}, or remove --until`
    throw new UserError(`--until decided with --runs ${runs}: adaptive stopping chooses the number of runs`, fix)
  }
  if (rerun !== undefined) throw new UserError('--rerun with --until', 'remove --until')
  if (calibrate) {
    throw new UserError('--calibrate with --until', 'use --runs instead of --until')
  }
}
