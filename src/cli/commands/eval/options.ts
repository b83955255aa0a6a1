/** The flags of `eval`. A suite's own settings override the defaults, so flags that a suite may set have no default here. */
import type { Options } from 'yargs'
import { benchFlags } from '../bench/options.ts'
import { maxWaitFlag, printConfigFlag } from '../options/common_flags.ts'
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
    describe: 'the only format that is looked for (docs/formats.md); found by itself if not given',
  },
  target: {
    type: 'string',
    requiresArg: true,
    describe: 'only cases about this: skill:<name>, hook:<event>, agent:<name>; skill: alone for all skills',
  },
  category: { type: 'string', requiresArg: true, describe: 'only cases of this category' },
  test: { type: 'string', requiresArg: true, describe: 'only the test of this id, or of a part that no other has' },
  all: { type: 'boolean', default: false, describe: 'every case, as without any choice' },
  engine: {
    type: 'string',
    requiresArg: true,
    describe: 'who works, as of bench; wins over what the suite says',
  },
  model: benchFlags.model,
  'base-url': benchFlags['base-url'],
  judge: {
    type: 'string',
    requiresArg: true,
    describe: 'who grades: engine[:model] or a model, or a list of them; wins over what the suite says',
  },
  ...judgeFlags,
  timeout: {
    type: 'number',
    requiresArg: true,
    coerce: (value: unknown) => (value === undefined ? undefined : secondsParser('timeout')(value)),
    describe: 'seconds for one case; as the suite says, else 300, if not given',
  },
  concurrency: benchFlags.concurrency,
  'idle-timeout': benchFlags['idle-timeout'],
  'max-turns': benchFlags['max-turns'],
  retries: benchFlags.retries,
  'pass-env': benchFlags['pass-env'],
  ...sandboxFlags,
  ...queueFlags,
  workspace: {
    type: 'string',
    requiresArg: true,
    describe: 'where results go: <workspace>/evals/<timestamp>; ./workspaces/<name> if not given',
  },
  cache: {
    type: 'boolean',
    default: true,
    describe: 'of EVAL.md: what passed with all the same is not run again; --no-cache: everything is',
  },
  isolate: {
    type: 'boolean',
    default: false,
    describe: 'of golden tests: each starts from a snapshot of the vault, or from evals/snapshots/<test_id>/',
  },
  budget,
  'budget-tokens': budgetTokens,
  'cost-per-run': costPerRun,
  deadline,
  ...maxWaitFlag,
  report: {
    type: 'boolean',
    default: false,
    describe: 'write a report of the run: evals/reports/<timestamp>.json of a package, else beside the results',
  },
  output: { type: 'string', alias: 'o', requiresArg: true, describe: 'with --report: the file to write instead' },
  reporter: benchFlags.reporter,
  keep: { type: 'boolean', default: false, describe: 'keep the working folder of each agent beside its results' },
  'summary-only': { type: 'boolean', default: false, describe: 'print the sums, no line a case' },
  fresh: {
    type: 'boolean',
    default: false,
    describe: 'start anew instead of going on with an unfinished eval of the same plan',
  },
  'dry-run': { type: 'boolean', default: false, describe: 'print what would run, run nothing' },
  ...printConfigFlag('run nothing'),
} satisfies Record<string, Options>
