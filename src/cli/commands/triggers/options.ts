/** The flags of `triggers`, mostly the same as in `bench`. */
import type { Options } from 'yargs'
import { UserError } from '../../../base/errors/error.ts'
import { benchFlags } from '../bench/options.ts'
import { printConfigFlag } from '../options/common_flags.ts'
import { secondsParser, wholeNumber } from '../options/run_flow.ts'
import { sandboxFlags } from '../options/sandbox_flags.ts'

const mistakes = ['missed', 'wrongly_triggered'] as const
export type TriggerMistake = (typeof mistakes)[number]

/** Flags for running queries, shared with `improve --description`. */
export const askingFlags = {
  set: {
    type: 'string',
    requiresArg: true,
    describe: 'the queries (JSON); evals/trigger-eval.json or its like in the skill if not given',
  },
  among: {
    type: 'string',
    array: true,
    nargs: 1,
    default: [] as string[],
    describe: 'a skill, or a folder of skills, that lie beside it and compete for the query (repeatable)',
  },
  runs: { ...benchFlags.runs, describe: 'runs of each query' },
  threshold: {
    type: 'number',
    requiresArg: true,
    default: 0.5,
    coerce: shareFrom0('threshold'),
    describe: 'from which share of its runs a query counts as triggered',
  },
  engine: {
    ...benchFlags.engine,
    describe: 'who works: claude-code, anthropic, codex, openai, opencode, with :model; auto takes the first that can',
  },
  model: benchFlags.model,
  'base-url': { ...benchFlags['base-url'], describe: 'where the server of the engine is (a compatible server)' },
  concurrency: benchFlags.concurrency,
  timeout: {
    ...benchFlags.timeout,
    default: 180,
    coerce: secondsParser('timeout'),
    describe: 'seconds for one run; one that had no answer by then is an error, not "not triggered"',
  },
  'idle-timeout': benchFlags['idle-timeout'],
  'max-turns': {
    ...benchFlags['max-turns'],
    default: 10,
    describe: 'a run that had not read the skill after so many model responses counts as not triggered',
  },
  retries: benchFlags.retries,
  'stop-early': {
    type: 'boolean',
    default: true,
    describe: 'end a run as soon as the skill was read; --no-stop-early: let each come to its own end',
  },
  'pass-env': benchFlags['pass-env'],
  ...sandboxFlags,
  workspace: { ...benchFlags.workspace, describe: 'where results go; ./workspaces/<skill_name> if not given' },
  budget: benchFlags.budget,
  'budget-tokens': benchFlags['budget-tokens'],
  'cost-per-run': benchFlags['cost-per-run'],
  deadline: benchFlags.deadline,
  'max-wait': benchFlags['max-wait'],
} satisfies Record<string, Options>

export const triggersFlags = {
  ...askingFlags,
  gate: {
    ...benchFlags.gate,
    describe: 'exit 1 unless this holds of triggers.json, such as "recall >= 90%" (repeatable; docs/triggers.md)',
  },
  'fail-on': {
    type: 'string',
    requiresArg: true,
    default: [] as TriggerMistake[],
    defaultDescription: 'none',
    coerce: parseTriggerMistakes,
    describe: 'exit 1 when a query is missed or wrongly_triggered (with commas)',
  },
  reporter: benchFlags.reporter,
  generate: {
    type: 'number',
    requiresArg: true,
    coerce: (value: unknown) => (value === undefined ? undefined : wholeNumber('generate', 4, 200)(value)),
    describe: 'draft so many queries for review, near misses among them, and ask none',
  },
  output: {
    type: 'string',
    requiresArg: true,
    describe: 'of --generate: the file; evals/trigger-eval.draft.json in the skill if not given',
  },
  fresh: {
    type: 'boolean',
    default: false,
    describe: 'start anew instead of going on with an unfinished measurement of the same queries',
  },
  'dry-run': { type: 'boolean', default: false, describe: 'print the plan and the number of runs, run nothing' },
  ...printConfigFlag('run nothing'),
} satisfies Record<string, Options>

function shareFrom0(flag: string) {
  return (value: unknown): number => {
    if (typeof value === 'number' && value > 0 && value <= 1) return value
    throw new UserError(`--${flag}: not a share above 0 and up to 1`)
  }
}

function isMistake(name: string): name is TriggerMistake {
  return mistakes.some((one) => one === name)
}

function parseTriggerMistakes(value: unknown): TriggerMistake[] {
  const given = (Array.isArray(value) ? value : [value]).flatMap((one) => String(one).split(','))
  const names = given.map((one) => one.trim()).filter((one) => one !== '')
  const odd = names.filter((one) => !isMistake(one))
  // the parser keeps only the message, so it includes the choices
  if (odd.length > 0) throw new UserError(`--fail-on: ${odd.join(', ')} is not known; there are ${mistakes.join(', ')}`)
  return names.filter(isMistake)
}
