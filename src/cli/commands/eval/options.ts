/** The flags of `eval`. A suite's own settings override the defaults, so flags that a suite may set have no default here. */
import { agentFlags, benchFlags } from '../bench/options.ts'
import { commonFlags, configFlags, judgeFlags } from '../options/common_flags.ts'
import { type Flags, free, insidePath, modelName, onOff, seconds, text } from '../options/flag.ts'

export const evalFlags = {
  format: { ...text, trust: free, describe: 'only this format (docs/reference/formats.md)' },
  'live-mcp': commonFlags['live-mcp'],
  changed: commonFlags.changed,
  shard: commonFlags.shard,
  target: { ...text, describe: 'only cases about skill:<name>, hook:<event>, …' },
  category: { ...text, describe: 'only cases of this category' },
  test: { ...text, describe: 'only tests with this id, or this in it' },
  all: { ...onOff, section: 'Common', describe: 'all cases' },
  'agents-root': { ...text, trust: insidePath, describe: 'golden tests: folder of the agents; <path> is in it' },
  engine: { ...text, section: 'Common', trust: modelName, describe: 'agent: engine[:model], "command:…" or "acp:…"' },
  ...agentFlags,
  'skills-folder': benchFlags['skills-folder'],
  judge: { ...text, section: 'Common', trust: modelName, describe: 'grader: engine[:model], a model or a list' },
  user: benchFlags.user,
  ...judgeFlags,
  timeout: {
    ...seconds('timeout'),
    defaultDescription: "the suite's, else 300",
    section: 'Limits',
    trust: free,
    describe: 'seconds per case',
  },
  activation: {
    choices: benchFlags.activation.choices,
    defaultDescription: "the suite's, else natural",
    trust: free,
    describe: benchFlags.activation.describe,
  },
  backend: commonFlags.backend,
  cache: {
    type: 'boolean',
    default: true,
    section: 'Cache and resume',
    trust: free,
    describe: 'EVAL.md: skip cases that passed with the same inputs',
  },
  transcripts: benchFlags.transcripts,
  isolate: { ...onOff, trust: free, describe: 'golden tests: start each from a snapshot' },
  report: { ...onOff, section: 'Output and CI', trust: free, describe: 'write a report of the run' },
  output: { ...text, alias: 'o', section: 'Output and CI', describe: 'with --report: the file to write' },
  reporter: benchFlags.reporter,
  keep: { ...onOff, trust: free, describe: 'keep the working folder of each agent' },
  'summary-only': { ...onOff, trust: free, describe: 'print only the totals' },
  fresh: { ...onOff, section: 'Cache and resume', describe: 'do not resume an unfinished eval' },
  'dry-run': { ...onOff, section: 'Common', describe: 'print the plan, run nothing' },
  ...configFlags('run nothing'),
} satisfies Flags

/** Further names of variables with a provider's key, and the provider's own. */
export const otherKeyNames: Record<string, string> = {}

/** Adds those of features; again changes nothing. */
export function addKeyNames(more: Readonly<typeof otherKeyNames>): void {
  Object.assign(otherKeyNames, more)
}
