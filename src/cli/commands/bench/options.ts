/** The flags of `bench`. */
import { defaultRuns } from '../../../base/smallest_design.ts'
import { commonFlags, concurrencyFlag, configFlags, judgeFlags, passEnvFlag } from '../options/common_flags.ts'
import { untilFlags } from '../options/design_flags.ts'
import {
  type Flags,
  free,
  insidePath,
  level,
  list,
  modelName,
  onOff,
  power,
  powerPath,
  seconds,
  text,
  whole,
} from '../options/flag.ts'
import { gateFlags } from '../options/gate_flags.ts'
import { confirmFlags, spendingFlags } from '../options/limit_flags.ts'
import { queueFlags } from '../options/queue_flags.ts'
import { sandboxFlags } from '../options/sandbox_flags.ts'

/** Of every command that runs agents. */
export const agentFlags = {
  model: { ...text, section: 'Common', trust: modelName, describe: 'model alias, id or provider:model' },
  effort: commonFlags.effort,
  'base-url': {
    ...text,
    trust: power('sends your key to this server'),
    describe: "URL of the engine's server (also of a judge on it)",
  },
  ...concurrencyFlag('runs'),
  timeout: {
    ...seconds('timeout'),
    defaultDescription: "the case's, else 300",
    section: 'Limits',
    trust: free,
    describe: 'seconds per run',
  },
  'idle-timeout': {
    ...seconds('idle-timeout'),
    default: 120,
    trust: free,
    describe: 'seconds of silence before an SDK engine asks again',
  },
  'max-turns': {
    ...whole('max-turns', 1, 10000),
    section: 'Limits',
    trust: free,
    describe: 'most model responses per run',
  },
  retries: {
    ...whole('retries', 0, 100),
    default: 2,
    trust: free,
    describe: 'retries after an infrastructure failure',
  },
  links: commonFlags.links,
  ...passEnvFlag('the agent'),
  ...sandboxFlags,
  workspace: {
    ...text,
    defaultDescription: './workspaces/<name>',
    section: 'Output and CI',
    trust: insidePath,
    forAll: true,
    describe: 'folder for results',
  },
  ...spendingFlags,
  'max-wait': commonFlags['max-wait'],
} satisfies Flags

export const benchFlags = {
  engine: {
    ...text,
    default: 'auto',
    section: 'Common',
    trust: modelName,
    describe: 'agent: engine[:model], "command:…" or "acp:…"',
  },
  ...agentFlags,
  judge: {
    ...text,
    defaultDescription: 'the engine',
    section: 'Common',
    trust: modelName,
    describe: 'grader: engine[:model], a model or a list',
  },
  runs: {
    ...whole('runs', 1, 1000),
    default: defaultRuns,
    section: 'Common',
    trust: free,
    describe: 'runs per case and configuration',
  },
  baseline: {
    ...text,
    section: 'Common',
    trust: insidePath,
    describe: 'older version as baseline: folder or git:<ref>',
  },
  ...untilFlags,
  ...commonFlags,
  'base-url': agentFlags['base-url'],
  'skills-folder': { ...text, trust: free, describe: 'where the program of "command:" or "acp:" looks for skills' },
  user: {
    ...text,
    defaultDescription: 'the judge',
    trust: modelName,
    describe: 'plays the user of a conversation: engine[:model]',
  },
  ...judgeFlags,
  matrix: {
    ...text,
    section: 'Planning',
    trust: modelName,
    forAll: true,
    describe: 'compare several engine:model, under one judge',
  },
  name: { ...text, describe: 'name of a skill whose SKILL.md has none' },
  description: { ...text, describe: 'description of a skill whose SKILL.md has none' },
  'whole-plugin': {
    ...onOff,
    section: 'Planning',
    trust: free,
    describe: 'compare no skill, the skill alone, its whole plugin',
  },
  among: { ...list, trust: insidePath, describe: 'other skills in each run: a skill or a folder of them' },
  alone: {
    ...onOff,
    section: 'Planning',
    trust: free,
    describe: 'with --among: compare no skill, the skill alone, all',
  },
  suite: { ...text, defaultDescription: '<skill>/evals/evals.json', trust: insidePath, describe: 'suite file' },
  'on-timeout': {
    choices: ['fail', 'exclude'] as const,
    default: 'fail' as const,
    trust: free,
    describe: 'whether a run that times out fails or is left out',
  },
  activation: {
    choices: ['natural', 'instructed', 'loaded'] as const,
    default: 'natural' as const,
    trust: free,
    describe: 'whether the prompt names the skill or holds it (loaded)',
  },
  ...queueFlags,
  ...confirmFlags,
  ...gateFlags,
  calibrate: { ...onOff, section: 'Planning', describe: 'compare the baseline with itself to measure noise' },
  'last-failed': { ...onOff, section: 'Cache and resume', describe: 'only cases that failed or have no grade' },
  rerun: { ...text, describe: 'repeat one run of the newest benchmark' },
  fresh: { ...onOff, section: 'Cache and resume', describe: 'do not resume and do not reuse runs' },
  cache: {
    type: 'boolean',
    default: true,
    section: 'Cache and resume',
    trust: free,
    describe: 'reuse cached runs with identical inputs',
  },
  transcripts: {
    type: 'boolean',
    default: true,
    trust: level('keeps transcripts and outputs', 'false', 'true'),
    describe: 'keep transcripts and outputs (--no-transcripts: until graded)',
  },
  'shared-cache': {
    ...text,
    section: 'Shared cache',
    trust: powerPath('shares runs with other machines'),
    forAll: true,
    describe: 'folder of signed runs that machines share',
  },
  'cache-key-file': {
    ...text,
    section: 'Shared cache',
    trust: powerPath('reads this key'),
    forAll: true,
    describe: 'key file that signs them, or WHETSTONE_CACHE_KEY',
  },
  ...configFlags('run nothing'),
  'trust-config-at': { ...text, describe: 'trust the configuration file if it is as at this commit' },
  explain: { ...onOff, section: 'Planning', describe: 'with --dry-run: show why runs are cached or not' },
  'dry-run': { ...onOff, section: 'Common', describe: 'print the plan and its cost, run nothing' },
} satisfies Flags
