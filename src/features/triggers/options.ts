/** The command `triggers` and `improve --description` in the tables: their flags, mostly the same as in `bench`. */
import { agentFlags, benchFlags } from '../../cli/commands/bench/options.ts'
import { configFlags } from '../../cli/commands/options/common_flags.ts'
import {
  type Flags,
  free,
  insidePath,
  list,
  numeric,
  onOff,
  seconds,
  text,
  whole,
} from '../../cli/commands/options/flag.ts'
import { parseFailing } from '../../cli/commands/options/gate_flags.ts'
import type { CommandMode } from '../../cli/commands/options/modes.ts'

const mistakes = ['missed', 'wrongly_triggered'] as const
export type TriggerMistake = (typeof mistakes)[number]

/** Flags for running queries. */
export const askingFlags = {
  set: { ...text, section: 'Common', trust: insidePath, describe: 'file with the queries (JSON)' },
  among: { ...list, section: 'Common', trust: insidePath, describe: 'competing skills: a skill or a folder of skills' },
  runs: { ...benchFlags.runs, describe: 'runs of each query' },
  threshold: {
    ...numeric('threshold', (value) => value > 0 && value <= 1, 'a share above 0, at most 1', 0.5),
    default: 0.5,
    trust: free,
    describe: 'share of runs from which a query counts as triggered',
  },
  engine: { ...benchFlags.engine, describe: 'agent: engine[:model]' },
  ...agentFlags,
  'base-url': { ...agentFlags['base-url'], describe: "URL of the engine's server" },
  timeout: { ...seconds('timeout'), default: 180, section: 'Limits', trust: free, describe: 'seconds per run' },
  'max-turns': { ...agentFlags['max-turns'], default: 10 },
  'stop-early': { type: 'boolean', default: true, trust: free, describe: 'end a run as soon as it reads the skill' },
} satisfies Flags

/** Runs of each query, and the most with --all. */
export const usualRuns = { one: 3, all: 5 } as const

export const triggersFlags = {
  ...askingFlags,
  runs: {
    ...whole('runs', 1, 1000),
    defaultDescription: `${usualRuns.one}, with --all ${usualRuns.all}`,
    section: 'Common',
    trust: free,
    describe: 'runs of each query; with --all the most',
  },
  gate: { ...benchFlags.gate, describe: 'exit 1 unless this holds, such as "recall >= 90%"' },
  'fail-on': {
    ...list,
    default: [] as TriggerMistake[],
    defaultDescription: 'none',
    coerce: (value: unknown) => parseFailing(value, 'mistake', mistakes),
    section: 'Output and CI',
    trust: free,
    describe: 'exit 1 on missed or wrongly_triggered queries',
  },
  reporter: benchFlags.reporter,
  generate: { ...whole('generate', 4, 200), describe: 'draft this many queries for review' },
  output: { ...text, section: 'Output and CI', describe: 'with --generate: the file to write' },
  fresh: { ...onOff, section: 'Cache and resume', describe: 'do not resume an unfinished measurement' },
  'dry-run': { ...onOff, section: 'Common', describe: 'print the plan, run nothing' },
  ...configFlags('run nothing'),
  all: { ...text, section: 'Common', describe: 'measure every skill of this folder against all others' },
  'full-grid': { ...onOff, describe: 'with --all: also run queries that are decided' },
} satisfies Flags

export const triggersCommand = {
  load: async () => (await import('./command.ts')).addTriggers,
  flags: triggersFlags,
  gates: async () => (await import('./gate_subjects.ts')).triggersGateSubject,
  // they are about the queries of one skill
  moot: [{ flag: 'all', keys: ['gate', 'fail-on', 'reporter', 'threshold'] }],
}

const { set, among } = askingFlags

export const descriptionFlags = {
  description: { ...onOff, describe: 'improve only the description, by trigger queries' },
  set: { ...set, section: undefined, trust: undefined, describe: 'with --description: file with the queries (JSON)' },
  among: { ...among, section: undefined, describe: 'with --description: other installed skills (repeatable)' },
} satisfies Flags

export const descriptionMode: CommandMode = {
  flag: 'description',
  add: '--description',
  flags: descriptionFlags,
  examples: [],
  start: async (parsed: never, typed: never) =>
    (await import('./improve_description.ts')).startDescription(parsed, typed),
}
