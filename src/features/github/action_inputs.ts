/** The inputs of the GitHub Action, which action.yml passes as INPUT_* variables. */
import { parseArgsStringToArgv } from 'string-argv'
import { UserError } from '../../base/errors/error.ts'
import type { FlowContext } from '../../flows/flow_context.ts'

/** What to do with code from a fork: `approved` says that a person has looked at this commit. */
const forkRules = ['skip', 'fail', 'approved'] as const

export interface ActionInputs {
  /** Empty: the skills that changed. */
  skills: string[]
  forks: (typeof forkRules)[number]
  /** Empty: the commit that the changes started from. */
  baseline: string
  /** Flags of `bench`. */
  flags: string[]
}

/** Inputs that are the flag of the same name. */
const plainFlags = ['engine', 'judge', 'runs', 'budget', 'fail-on'] as const

/** Throws UserError for a value that no input has. */
export function readActionInputs(env: FlowContext['env']): ActionInputs {
  const input = (name: string) => (env[`INPUT_${name.toUpperCase().replaceAll('-', '_')}`] ?? '').trim()
  const forks = forkRules.find((one) => one === (input('forks') || 'skip'))
  if (forks === undefined)
    throw new UserError(`forks: "${input('forks')}" is not a value`, `expected one of ${forkRules.join(', ')}`)
  const gates = input('gate')
    .split('\n')
    .flatMap((line) => line.trim() || [])
  return {
    skills: parseArgsStringToArgv(input('skills')),
    forks,
    baseline: input('baseline'),
    flags: [
      ...plainFlags.flatMap((name) => (input(name) === '' ? [] : `--${name}=${input(name)}`)),
      ...gates.map((gate) => `--gate=${gate}`),
      ...parseArgsStringToArgv(input('args')),
    ],
  }
}
