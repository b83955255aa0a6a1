/** The flags of `eval`. A suite's own settings override the defaults, so flags that a suite may set have no default here. */
import type { Options } from 'yargs'
import { benchFlags } from '../bench/options.ts'
import { backendFlag } from '../options/backend_flag.ts'
import { changedFlag, configFlags, liveMcpFlag, maxWaitFlag, shardFlag } from '../options/common_flags.ts'
import { judgeFlags } from '../options/judge_flags.ts'
import { limitFlags } from '../options/limit_flags.ts'
import { queueFlags } from '../options/queue_flags.ts'
import { secondsParser } from '../options/run_flow.ts'
import { sandboxFlags } from '../options/sandbox_flags.ts'

const { budget, 'budget-tokens': budgetTokens, 'cost-per-run': costPerRun, deadline } = limitFlags

export const evalFlags = {
  format: {
    type: 'string',
    requiresArg: true,
    describe: 'only this format (docs/reference/formats.md)',
  },
  ...liveMcpFlag,
  ...changedFlag,
  ...shardFlag,
  target: {
    type: 'string',
    requiresArg: true,
    describe: 'only cases about skill:<name>, hook:<event>, …',
  },
  category: { type: 'string', requiresArg: true, describe: 'only cases of this category' },
  test: { type: 'string', requiresArg: true, describe: 'only tests with this id, or this in it' },
  all: { type: 'boolean', default: false, describe: 'all cases' },
  'agents-root': { type: 'string', requiresArg: true, describe: 'golden tests: folder of the agents; <path> is in it' },
  engine: {
    type: 'string',
    requiresArg: true,
    describe: 'agent: engine[:model], "command:…" or "acp:…"',
  },
  model: benchFlags.model,
  effort: benchFlags.effort,
  'base-url': benchFlags['base-url'],
  'skills-folder': benchFlags['skills-folder'],
  judge: {
    type: 'string',
    requiresArg: true,
    describe: 'grader: engine[:model], a model or a list',
  },
  user: benchFlags.user,
  ...judgeFlags,
  timeout: {
    type: 'number',
    requiresArg: true,
    coerce: (value: unknown) => (value === undefined ? undefined : secondsParser('timeout')(value)),
    defaultDescription: "the suite's, else 300",
    describe: 'seconds per case',
  },
  activation: {
    choices: benchFlags.activation.choices,
    defaultDescription: "the suite's, else natural",
    describe: benchFlags.activation.describe,
  },
  concurrency: benchFlags.concurrency,
  'idle-timeout': benchFlags['idle-timeout'],
  'max-turns': benchFlags['max-turns'],
  retries: benchFlags.retries,
  links: benchFlags.links,
  'pass-env': benchFlags['pass-env'],
  ...sandboxFlags,
  ...backendFlag,
  ...queueFlags,
  workspace: {
    type: 'string',
    requiresArg: true,
    defaultDescription: './workspaces/<name>',
    describe: 'folder for results',
  },
  cache: {
    type: 'boolean',
    default: true,
    describe: 'EVAL.md: skip cases that passed with the same inputs',
  },
  transcripts: benchFlags.transcripts,
  isolate: {
    type: 'boolean',
    default: false,
    describe: 'golden tests: start each from a snapshot',
  },
  budget,
  'budget-tokens': budgetTokens,
  'cost-per-run': costPerRun,
  prices: limitFlags.prices,
  deadline,
  ...maxWaitFlag,
  report: {
    type: 'boolean',
    default: false,
    describe: 'write a report of the run',
  },
  output: { type: 'string', alias: 'o', requiresArg: true, describe: 'with --report: the file to write' },
  reporter: benchFlags.reporter,
  keep: { type: 'boolean', default: false, describe: 'keep the working folder of each agent' },
  'summary-only': { type: 'boolean', default: false, describe: 'print only the totals' },
  fresh: {
    type: 'boolean',
    default: false,
    describe: 'do not resume an unfinished eval',
  },
  'dry-run': { type: 'boolean', default: false, describe: 'print the plan, run nothing' },
  ...configFlags('run nothing'),
} satisfies Record<string, Options>
