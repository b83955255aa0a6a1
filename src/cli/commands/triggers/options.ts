/** The flags of `triggers`, mostly the same as in `bench`. */
import type { Options } from 'yargs'
import { suggestChoice } from '../../../base/text/did_you_mean.ts'
import { benchFlags } from '../bench/options.ts'
import { configFlags } from '../options/common_flags.ts'
import { refuseForm, refuseValue } from '../options/refused_value.ts'
import { secondsParser, wholeNumber } from '../options/run_flow.ts'
import { sandboxFlags } from '../options/sandbox_flags.ts'

const mistakes = ['missed', 'wrongly_triggered'] as const
export type TriggerMistake = (typeof mistakes)[number]

/** Flags for running queries, shared with `improve --description`. */
export const askingFlags = {
  set: {
    type: 'string',
    requiresArg: true,
    describe: 'file with the queries (JSON)',
  },
  among: {
    type: 'string',
    array: true,
    nargs: 1,
    default: [] as string[],
    describe: 'competing skills: a skill or a folder of skills',
  },
  runs: { ...benchFlags.runs, describe: 'runs of each query' },
  threshold: {
    type: 'number',
    requiresArg: true,
    default: 0.5,
    coerce: shareFrom0('threshold'),
    describe: 'share of runs from which a query counts as triggered',
  },
  engine: {
    ...benchFlags.engine,
    describe: 'agent: engine[:model]',
  },
  model: benchFlags.model,
  effort: benchFlags.effort,
  'base-url': { ...benchFlags['base-url'], describe: "URL of the engine's server" },
  concurrency: benchFlags.concurrency,
  timeout: {
    ...benchFlags.timeout,
    default: 180,
    coerce: secondsParser('timeout'),
    describe: 'seconds per run',
  },
  'idle-timeout': benchFlags['idle-timeout'],
  'max-turns': {
    ...benchFlags['max-turns'],
    default: 10,
    describe: 'most model responses per run',
  },
  retries: benchFlags.retries,
  'stop-early': {
    type: 'boolean',
    default: true,
    describe: 'end a run as soon as it reads the skill',
  },
  links: benchFlags.links,
  'pass-env': benchFlags['pass-env'],
  ...sandboxFlags,
  workspace: { ...benchFlags.workspace, describe: 'folder for results' },
  budget: benchFlags.budget,
  'budget-tokens': benchFlags['budget-tokens'],
  'cost-per-run': benchFlags['cost-per-run'],
  prices: benchFlags.prices,
  deadline: benchFlags.deadline,
  'max-wait': benchFlags['max-wait'],
} satisfies Record<string, Options>

/** Runs of each query, and the most with --all. */
export const usualRuns = { one: 3, all: 5 } as const

export const triggersFlags = {
  ...askingFlags,
  all: {
    type: 'string',
    requiresArg: true,
    describe: 'measure every skill of this folder against all others',
  },
  'full-grid': {
    type: 'boolean',
    default: false,
    describe: 'with --all: also run queries that are decided',
  },
  runs: {
    type: 'number',
    requiresArg: true,
    coerce: (value: unknown) => (value === undefined ? undefined : benchFlags.runs.coerce(value)),
    defaultDescription: `${usualRuns.one}, with --all ${usualRuns.all}`,
    describe: 'runs of each query; with --all the most',
  },
  gate: {
    ...benchFlags.gate,
    describe: 'exit 1 unless this holds, such as "recall >= 90%"',
  },
  'fail-on': {
    type: 'string',
    requiresArg: true,
    default: [] as TriggerMistake[],
    defaultDescription: 'none',
    coerce: parseTriggerMistakes,
    describe: 'exit 1 on missed or wrongly_triggered queries',
  },
  reporter: benchFlags.reporter,
  generate: {
    type: 'number',
    requiresArg: true,
    coerce: (value: unknown) => (value === undefined ? undefined : wholeNumber('generate', 4, 200)(value)),
    describe: 'draft this many queries for review',
  },
  output: {
    type: 'string',
    requiresArg: true,
    describe: 'with --generate: the file to write',
  },
  fresh: {
    type: 'boolean',
    default: false,
    describe: 'do not resume an unfinished measurement',
  },
  'dry-run': { type: 'boolean', default: false, describe: 'print the plan, run nothing' },
  ...configFlags('run nothing'),
} satisfies Record<string, Options>

function shareFrom0(flag: string) {
  return (value: unknown): number => {
    if (typeof value === 'number' && value > 0 && value <= 1) return value
    throw refuseForm(flag, 'a share above 0, at most 1', `use a number such as --${flag} 0.5`)
  }
}

function isMistake(name: string): name is TriggerMistake {
  return mistakes.some((one) => one === name)
}

function parseTriggerMistakes(value: unknown): TriggerMistake[] {
  const given = (Array.isArray(value) ? value : [value]).flatMap((one) => String(one).split(','))
  const names = given.map((one) => one.trim()).filter((one) => one !== '')
  const odd = names.filter((one) => !isMistake(one))
  if (odd.length > 0)
    throw refuseValue(`--fail-on: unknown mistake "${odd.join('", "')}"`, suggestChoice(odd[0] ?? '', mistakes))
  return names.filter(isMistake)
}
