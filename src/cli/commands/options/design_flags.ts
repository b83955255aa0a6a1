/** Flags about the number of runs: adaptive stopping, and the power of a design. */
import { UserError } from '../../../base/errors/error.ts'
import type { DesignWish } from '../../../flows/prepare/prepare_bench.ts'
import { type Flags, free, numeric, percentage, whole } from './flag.ts'

/** Most runs per case and arm, without --max-runs. */
const usualMost = 20

const rate = (flag: string, low: number, example: string | number) =>
  numeric(flag, (value) => value > low && value < 1, `a number above ${low} and below 1`, example)

export const untilFlags = {
  until: {
    choices: ['decided'] as const,
    section: 'Common',
    trust: free,
    describe: 'stop as soon as the result is conclusive',
  },
  'max-runs': {
    ...whole('max-runs', 1, 1000),
    defaultDescription: String(usualMost),
    section: 'Planning',
    trust: free,
    describe: 'with --until: most runs per case and configuration',
  },
  detect: {
    ...rate('detect', 0, '0.2 for 20 points'),
    section: 'Planning',
    describe: 'with --dry-run: runs needed to find this difference',
  },
  margin: {
    ...percentage('margin', 'points', 1, 99),
    defaultDescription: '10',
    section: 'Common',
    trust: free,
    describe: 'points, and % of the price, too few to matter',
  },
  power: {
    ...rate('power', 0.05, 0.8),
    defaultDescription: '0.8',
    section: 'Planning',
    describe: 'with --detect: statistical power',
  },
} satisfies Flags

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
