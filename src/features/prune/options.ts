/** The flags of `prune`. */
import { benchFlags } from '../../cli/commands/bench/options.ts'
import { skillRunFlags } from '../../cli/commands/bench/run_settings.ts'
import { improveFlags } from '../../cli/commands/improve/options.ts'
import { judgeFlags } from '../../cli/commands/options/common_flags.ts'
import { type Flags, free, list, percentage, whole } from '../../cli/commands/options/flag.ts'
import { confirmFlags } from '../../cli/commands/options/limit_flags.ts'

export const pruneFlags = {
  ...skillRunFlags,
  protect: {
    ...list,
    defaultDescription: 'none',
    section: 'Common',
    trust: free,
    describe: 'never leave out units with this text (repeatable)',
  },
  detect: {
    ...percentage('detect', 'points', 1, 90),
    default: 20,
    section: 'Planning',
    describe: 'points that a unit must be worth to be kept for sure',
  },
  margin: {
    ...percentage('margin', 'points', 1, 90),
    default: 5,
    section: 'Common',
    trust: free,
    describe: 'points that the shorter skill may lose at most',
  },
  'screening-runs': {
    ...whole('screening-runs', 1, 100_000),
    defaultDescription: 'by --detect',
    section: 'Limits',
    trust: free,
    describe: 'runs on training cases, each without half of the units',
  },
  'certify-runs': {
    ...whole('certify-runs', 1, 100_000),
    defaultDescription: 'by --margin',
    section: 'Limits',
    trust: free,
    describe: 'most runs on held-out cases, half with the shorter skill',
  },
  seed: improveFlags.seed,
  apply: { ...improveFlags.apply, describe: 'replace the skill by the shorter one, if it is kept' },
  'use-drafts': improveFlags['use-drafts'],
  'dry-run': { ...benchFlags['dry-run'], describe: 'print units, runs and dollars; run nothing' },
  activation: improveFlags.activation,
  ...judgeFlags,
  yes: confirmFlags.yes,
} satisfies Flags
