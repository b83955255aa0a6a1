/** The flags of `bench`. */
import type { Options } from 'yargs'
import { baselineAgeFlag } from '../options/baseline_age.ts'
import {
  allowInvalidFlag,
  caseFlag,
  concurrencyFlag,
  maxWaitFlag,
  passEnvFlag,
  printConfigFlag,
} from '../options/common_flags.ts'
import { untilFlags } from '../options/design_flags.ts'
import { gateFlags } from '../options/gate_flags.ts'
import { judgeFlags } from '../options/judge_flags.ts'
import { limitFlags } from '../options/limit_flags.ts'
import { queueFlags } from '../options/queue_flags.ts'
import { secondsParser, wholeNumber } from '../options/run_flow.ts'
import { sandboxFlags } from '../options/sandbox_flags.ts'

export const benchFlags = {
  runs: {
    type: 'number',
    requiresArg: true,
    default: 3,
    coerce: wholeNumber('runs', 1, 1000),
    describe: 'runs of each case in each arm',
  },
  ...untilFlags,
  ...caseFlag,
  engine: {
    type: 'string',
    requiresArg: true,
    default: 'auto',
    describe:
      'who works: claude-code, anthropic, codex, openai, opencode, "command:<program …>", with :model; auto takes the first that can',
  },
  model: { type: 'string', requiresArg: true, describe: 'alias, model id or provider:model' },
  'base-url': {
    type: 'string',
    requiresArg: true,
    describe: 'where the server of the engine is, and of a judge on the same engine (a compatible server)',
  },
  judge: {
    type: 'string',
    requiresArg: true,
    describe: 'who grades: engine[:model] or a model, or a list of them; the engine of the runs if not given',
  },
  ...judgeFlags,
  matrix: {
    type: 'string',
    requiresArg: true,
    describe: 'the same on each of engine:model,engine:model under one judge, compared in one table',
  },
  baseline: {
    type: 'string',
    requiresArg: true,
    describe: 'compare with an older version instead of no skill: a folder or git:<ref>',
  },
  suite: { type: 'string', requiresArg: true, describe: 'the suite file; <skill>/evals/evals.json if not given' },
  ...concurrencyFlag('runs'),
  timeout: {
    type: 'number',
    requiresArg: true,
    coerce: (value: unknown) => (value === undefined ? undefined : secondsParser('timeout')(value)),
    describe: 'seconds for one run; as its case says, else 300, if not given',
  },
  'idle-timeout': {
    type: 'number',
    requiresArg: true,
    default: 120,
    coerce: secondsParser('idle-timeout'),
    describe: 'seconds without a byte after which an SDK engine leaves a response and asks again',
  },
  'on-timeout': {
    choices: ['fail', 'exclude'] as const,
    default: 'fail' as const,
    describe: 'a run that times out fails its expectations, or is left out',
  },
  'max-turns': {
    type: 'number',
    requiresArg: true,
    coerce: wholeNumber('max-turns', 1, 10000),
    describe: 'at most this many model responses a run',
  },
  retries: {
    type: 'number',
    requiresArg: true,
    default: 2,
    coerce: wholeNumber('retries', 0, 100),
    describe: 'further attempts after a failure of infrastructure',
  },
  activation: {
    choices: ['natural', 'instructed'] as const,
    default: 'natural' as const,
    describe: 'instructed: the prompt names the skill',
  },
  ...passEnvFlag('the agent'),
  ...sandboxFlags,
  workspace: {
    type: 'string',
    requiresArg: true,
    describe: 'where results go; ./workspaces/<skill_name> if not given; of several skills one folder each',
  },
  ...queueFlags,
  ...limitFlags,
  ...maxWaitFlag,
  ...gateFlags,
  calibrate: {
    type: 'boolean',
    default: false,
    describe: 'the baseline against itself: how much two equal arms differ; later benchmarks of the suite name it',
  },
  'last-failed': {
    type: 'boolean',
    default: false,
    describe:
      'only the cases of which a run has no grade, or one with the skill did not pass all, in the newest benchmark',
  },
  rerun: {
    type: 'string',
    requiresArg: true,
    describe: 'make this run of the newest benchmark (or the run in this folder) anew, beside the old one',
  },
  fresh: {
    type: 'boolean',
    default: false,
    describe: 'start anew: neither go on with an unfinished benchmark of this plan nor reuse a run',
  },
  cache: {
    type: 'boolean',
    default: true,
    describe: 'reuse runs of which all is the same, and keep new ones; --no-cache: neither',
  },
  ...baselineAgeFlag,
  ...allowInvalidFlag,
  ...printConfigFlag('run nothing'),
  explain: {
    type: 'boolean',
    default: false,
    describe: 'with --dry-run: run by run, what is taken from the cache, and what keeps the others out of it',
  },
  'dry-run': {
    type: 'boolean',
    default: false,
    describe: 'print the plan and the number of calls, run nothing',
  },
} satisfies Record<string, Options>
