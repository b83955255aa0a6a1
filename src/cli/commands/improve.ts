/** `whetstone improve --description`: a better description, proven on queries that its author has not seen. */
import type { Argv } from 'yargs'
import { UserError } from '../../base/error.ts'
import { benchFlags } from './bench_flags.ts'
import { descriptionFlags, startDescription } from './description_flags.ts'
import { type Done, wholeNumber, withJson } from './shared.ts'
import { askingFlags } from './triggers_flags.ts'

const { 'stop-early': _, ...asking } = askingFlags

export const improveFlags = {
  ...asking,
  ...descriptionFlags,
  runs: { ...benchFlags.runs, default: 5, describe: 'runs of each training query with each description' },
  iterations: {
    type: 'number' as const,
    requiresArg: true,
    default: 5,
    coerce: wholeNumber('iterations', 1, 100),
    describe: 'proposals at most',
  },
  'test-runs': {
    type: 'number' as const,
    requiresArg: true,
    coerce: wholeNumber('test-runs', 2, 1000),
    describe: 'runs of each test query with each description, at the end; as --runs if not given',
  },
  proposer: {
    type: 'string' as const,
    requiresArg: true,
    describe: 'who proposes: engine[:model] or a model; the engine of the runs if not given',
  },
  seed: {
    type: 'number' as const,
    requiresArg: true,
    default: 1,
    coerce: wholeNumber('seed', 0, 2 ** 31),
    describe: 'draws which queries train and test',
  },
  apply: {
    type: 'boolean' as const,
    default: false,
    describe: 'write the description into SKILL.md where it is accepted',
  },
}

function improveOptions(args: Argv) {
  return withJson(args)
    .positional('skill', { type: 'string', demandOption: true, describe: 'the folder that holds SKILL.md' })
    .options(improveFlags)
    .usage(
      '$0 improve <skill> --description [options]\n\na better description, proven on queries that its author has not seen',
    )
    .example('$0 improve skills/pdf --description --among skills', 'with the others beside it')
}

export function addImprove(args: Argv, done: Done): Argv {
  return args.command(
    'improve <skill>',
    'a better description, proven on unseen queries',
    improveOptions,
    async (parsed) => {
      if (!parsed.description) throw new UserError('improve needs --description', 'see docs/triggers.md')
      done(await startDescription(parsed))
    },
  )
}
