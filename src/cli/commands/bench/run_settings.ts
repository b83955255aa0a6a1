/** Flags of the commands that bench a skill on their own, and the settings that every command that runs agents reads from the same flags. */
import type { ArgumentsCamelCase, InferredOptionTypes } from 'yargs'
import type { Activation } from '../../../../schemas/plan.ts'
import { commonFlags, configFlags, judgingWish } from '../options/common_flags.ts'
import type { Flags } from '../options/flag.ts'
import { parseLimits } from '../options/limit_flags.ts'
import { sandboxWish } from '../options/sandbox_flags.ts'
import { agentFlags, benchFlags } from './options.ts'

const { engine, judge, user, suite } = benchFlags

/** Of `improve`, `prune` and `watch`. */
export const skillRunFlags = {
  ...{ engine, judge, user, suite },
  ...agentFlags,
  'allow-invalid': commonFlags['allow-invalid'],
  'skills-folder': benchFlags['skills-folder'],
  'on-timeout': benchFlags['on-timeout'],
  ...configFlags('run nothing'),
} satisfies Flags

type RunArguments = ArgumentsCamelCase<InferredOptionTypes<typeof agentFlags>> &
  Parameters<typeof judgingWish>[0] & { judge?: string | undefined }

/** Throws UserError for a deadline, or a folder to read, that is wrong. */
export function readRunSettings(parsed: RunArguments) {
  return {
    model: parsed.model ?? null,
    judge: parsed.judge ?? null,
    effort: parsed.effort ?? null,
    baseUrl: parsed.baseUrl ?? null,
    judging: judgingWish(parsed),
    concurrency: parsed.concurrency,
    timeoutSeconds: parsed.timeout ?? null,
    pace: { idleMs: parsed.idleTimeout * 1000 },
    maxTurns: parsed.maxTurns ?? null,
    retries: parsed.retries,
    workspace: parsed.workspace ?? null,
    passEnv: parsed.passEnv,
    limits: parseLimits(parsed),
    sandbox: sandboxWish(parsed),
    links: parsed.links,
  }
}

type SkillRunArguments = RunArguments &
  ArgumentsCamelCase<InferredOptionTypes<typeof skillRunFlags>> & { activation: Activation | undefined }

/** Throws UserError as readRunSettings does. */
export function readSkillRunSettings(parsed: SkillRunArguments) {
  const { engine, activation = null, onTimeout, allowInvalid } = parsed
  return {
    ...readRunSettings(parsed),
    ...{ engine, activation, onTimeout, allowInvalid },
    suite: parsed.suite ?? null,
    user: parsed.user ?? null,
    skillsFolder: parsed.skillsFolder ?? null,
  }
}
