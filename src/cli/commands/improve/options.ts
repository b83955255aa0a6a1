/** The flags of `improve`. */
import { benchFlags } from '../bench/options.ts'
import { skillRunFlags } from '../bench/run_settings.ts'
import { judgeFlags } from '../options/common_flags.ts'
import { type Flags, free, list, modelName, onOff, percentage, text, whole } from '../options/flag.ts'
import { confirmFlags } from '../options/limit_flags.ts'

export const improveFlags = {
  ...skillRunFlags,
  'total-runs': {
    ...whole('total-runs', 1, 100_000),
    default: 250,
    section: 'Limits',
    trust: free,
    describe: 'most agent runs: half search, half certify',
  },
  goal: {
    type: 'string',
    choices: ['better', 'cheaper'] as const,
    default: 'better' as const,
    section: 'Common',
    trust: free,
    describe: 'better results, or the same with fewer tokens',
  },
  proposer: {
    ...text,
    defaultDescription: 'the engine',
    section: 'Common',
    trust: modelName,
    describe: 'proposer: engine[:model] or a model',
  },
  'certify-judge': {
    ...text,
    defaultDescription: 'other family',
    section: 'Common',
    trust: modelName,
    describe: 'final judge (none: checks)',
  },
  'confirm-on': {
    ...list,
    defaultDescription: 'none',
    trust: modelName,
    describe: 'engine[:model] on which to repeat a win (repeatable)',
  },
  'propose-timeout': {
    ...whole('propose-timeout', 1, 86_400),
    default: 900,
    trust: free,
    describe: 'seconds per proposal',
  },
  'max-cost-increase': {
    ...percentage('max-cost-increase', 'per cent', 0, 1000),
    default: 25,
    trust: free,
    describe: 'most additional cost of a better version, in %',
  },
  'max-time-increase': {
    ...percentage('max-time-increase', 'per cent', 0, 1000),
    default: 25,
    trust: free,
    describe: 'most additional time of a better version, in %',
  },
  'max-loss': {
    ...percentage('max-loss', 'points', 0, 1000),
    default: 10,
    trust: free,
    describe: 'goal cheaper: largest loss that counts as equal, in points',
  },
  seed: {
    ...whole('seed', 0, 2 ** 31),
    default: 1,
    trust: free,
    describe: 'seed of the split into training and held-out cases',
  },
  apply: { ...onOff, section: 'Common', describe: 'replace the skill by the best version' },
  branch: { ...text, section: 'Common', describe: 'commit the best version to a new git branch of this name' },
  'dry-run': { ...benchFlags['dry-run'], describe: 'print cost, time, chances; run nothing' },
  resume: { ...onOff, section: 'Cache and resume', describe: 'resume the session in the workspace' },
  review: { ...onOff, describe: 'pause for your feedback after each round' },
  'grow-suite': { ...onOff, describe: 'draft the missing cases into <suite>.grown.json' },
  'use-drafts': { ...onOff, describe: 'also use drafted cases without a review' },
  activation: benchFlags.activation,
  ...judgeFlags,
  yes: confirmFlags.yes,
} satisfies Flags
