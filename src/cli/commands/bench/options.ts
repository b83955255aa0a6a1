/** The flags of `bench`. */

import type { Options } from 'yargs'
import { defaultRuns } from '../../../base/smallest_design.ts'
import { backendFlag } from '../options/backend_flag.ts'
import { baselineAgeFlag } from '../options/baseline_age.ts'
import {
  allowInvalidFlag,
  caseFlag,
  changedFlag,
  concurrencyFlag,
  configFlags,
  effortFlag,
  liveMcpFlag,
  maxWaitFlag,
  passEnvFlag,
  shardFlag,
} from '../options/common_flags.ts'
import { untilFlags } from '../options/design_flags.ts'
import { gateFlags } from '../options/gate_flags.ts'
import { judgeFlags } from '../options/judge_flags.ts'
import { limitFlags } from '../options/limit_flags.ts'
import { linksFlag } from '../options/links_flag.ts'
import { queueFlags } from '../options/queue_flags.ts'
import { secondsParser, wholeNumber } from '../options/run_flow.ts'
import { sandboxFlags } from '../options/sandbox_flags.ts'

export const benchFlags = {
  runs: {
    type: 'number',
    requiresArg: true,
    default: defaultRuns,
    coerce: wholeNumber('runs', 1, 1000),
    describe: 'runs per case and configuration',
  },
  ...untilFlags,
  ...caseFlag,
  ...changedFlag,
  ...shardFlag,
  engine: {
    type: 'string',
    requiresArg: true,
    default: 'auto',
    describe: 'agent: engine[:model], "command:…" or "acp:…"',
  },
  model: { type: 'string', requiresArg: true, describe: 'model alias, id or provider:model' },
  ...effortFlag,
  'base-url': {
    type: 'string',
    requiresArg: true,
    describe: "URL of the engine's server (also of a judge on it)",
  },
  'skills-folder': {
    type: 'string',
    requiresArg: true,
    describe: 'where the program of "command:" or "acp:" looks for skills',
  },
  judge: {
    type: 'string',
    requiresArg: true,
    defaultDescription: 'the engine',
    describe: 'grader: engine[:model], a model or a list',
  },
  user: {
    type: 'string',
    requiresArg: true,
    defaultDescription: 'the judge',
    describe: 'plays the user of a conversation: engine[:model]',
  },
  ...judgeFlags,
  matrix: {
    type: 'string',
    requiresArg: true,
    describe: 'compare several engine:model, under one judge',
  },
  baseline: {
    type: 'string',
    requiresArg: true,
    describe: 'older version as baseline: folder or git:<ref>',
  },
  name: {
    type: 'string',
    requiresArg: true,
    describe: 'name of a skill whose SKILL.md has none',
  },
  description: {
    type: 'string',
    requiresArg: true,
    describe: 'description of a skill whose SKILL.md has none',
  },
  'whole-plugin': {
    type: 'boolean',
    default: false,
    describe: 'compare no skill, the skill alone, its whole plugin',
  },
  among: {
    type: 'string',
    array: true,
    nargs: 1,
    default: [] as string[],
    describe: 'other skills in each run: a skill or a folder of them',
  },
  alone: {
    type: 'boolean',
    default: false,
    describe: 'with --among: compare no skill, the skill alone, all',
  },
  suite: {
    type: 'string',
    requiresArg: true,
    defaultDescription: '<skill>/evals/evals.json',
    describe: 'suite file',
  },
  ...concurrencyFlag('runs'),
  timeout: {
    type: 'number',
    requiresArg: true,
    coerce: (value: unknown) => (value === undefined ? undefined : secondsParser('timeout')(value)),
    defaultDescription: "the case's, else 300",
    describe: 'seconds per run',
  },
  'idle-timeout': {
    type: 'number',
    requiresArg: true,
    default: 120,
    coerce: secondsParser('idle-timeout'),
    describe: 'seconds of silence before an SDK engine asks again',
  },
  'on-timeout': {
    choices: ['fail', 'exclude'] as const,
    default: 'fail' as const,
    describe: 'whether a run that times out fails or is left out',
  },
  'max-turns': {
    type: 'number',
    requiresArg: true,
    coerce: wholeNumber('max-turns', 1, 10000),
    describe: 'most model responses per run',
  },
  retries: {
    type: 'number',
    requiresArg: true,
    default: 2,
    coerce: wholeNumber('retries', 0, 100),
    describe: 'retries after an infrastructure failure',
  },
  activation: {
    choices: ['natural', 'instructed', 'loaded'] as const,
    default: 'natural' as const,
    describe: 'whether the prompt names the skill or holds it (loaded)',
  },
  ...liveMcpFlag,
  ...linksFlag,
  ...passEnvFlag('the agent'),
  ...sandboxFlags,
  ...backendFlag,
  workspace: {
    type: 'string',
    requiresArg: true,
    defaultDescription: './workspaces/<name>',
    describe: 'folder for results',
  },
  ...queueFlags,
  ...limitFlags,
  ...maxWaitFlag,
  ...gateFlags,
  calibrate: {
    type: 'boolean',
    default: false,
    describe: 'compare the baseline with itself to measure noise',
  },
  'last-failed': {
    type: 'boolean',
    default: false,
    describe: 'only cases that failed or have no grade',
  },
  rerun: {
    type: 'string',
    requiresArg: true,
    describe: 'repeat one run of the newest benchmark',
  },
  fresh: {
    type: 'boolean',
    default: false,
    describe: 'do not resume and do not reuse runs',
  },
  cache: {
    type: 'boolean',
    default: true,
    describe: 'reuse cached runs with identical inputs',
  },
  transcripts: {
    type: 'boolean',
    default: true,
    describe: 'keep transcripts and outputs (--no-transcripts: until graded)',
  },
  ...baselineAgeFlag,
  'shared-cache': {
    type: 'string',
    requiresArg: true,
    describe: 'folder of signed runs that machines share',
  },
  'cache-key-file': {
    type: 'string',
    requiresArg: true,
    describe: 'key file that signs them, or WHETSTONE_CACHE_KEY',
  },
  ...allowInvalidFlag,
  ...configFlags('run nothing'),
  'trust-config-at': {
    type: 'string',
    requiresArg: true,
    describe: 'trust the configuration file if it is as at this commit',
  },
  explain: {
    type: 'boolean',
    default: false,
    describe: 'with --dry-run: show why runs are cached or not',
  },
  'dry-run': {
    type: 'boolean',
    default: false,
    describe: 'print the plan and its cost, run nothing',
  },
} satisfies Record<string, Options>
