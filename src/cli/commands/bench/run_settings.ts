/** Flags of the commands that bench a skill on their own, and the settings that every command that runs agents reads from the same flags. */
import type { Options } from 'yargs'
import type { Activation } from '../../../../schemas/plan.ts'
import type { SkillLinks } from '../../../phases/1-plan/skill/skill_links.ts'
import { allowInvalidFlag, configFlags } from '../options/common_flags.ts'
import { judgingWish } from '../options/judge_flags.ts'
import { limitFlags, parseLimits } from '../options/limit_flags.ts'
import { sandboxFlags, sandboxWish } from '../options/sandbox_flags.ts'
import { benchFlags } from './options.ts'

const { engine, model, judge, user, suite, concurrency, timeout, retries, workspace, effort, links } = benchFlags

/** Of `improve`, `prune` and `watch`. */
export const skillRunFlags = {
  ...{ engine, model, judge, user, suite },
  ...allowInvalidFlag,
  ...{ concurrency, timeout, retries, workspace },
  'max-turns': benchFlags['max-turns'],
  effort,
  'base-url': benchFlags['base-url'],
  'skills-folder': benchFlags['skills-folder'],
  'idle-timeout': benchFlags['idle-timeout'],
  'on-timeout': benchFlags['on-timeout'],
  links,
  'pass-env': benchFlags['pass-env'],
  ...sandboxFlags,
  budget: limitFlags.budget,
  'budget-tokens': limitFlags['budget-tokens'],
  'cost-per-run': limitFlags['cost-per-run'],
  prices: limitFlags.prices,
  deadline: limitFlags.deadline,
  'max-wait': benchFlags['max-wait'],
  ...configFlags('run nothing'),
} satisfies Record<string, Options>

type RunArguments = Parameters<typeof judgingWish>[0] &
  Parameters<typeof parseLimits>[0] &
  Parameters<typeof sandboxWish>[0] & {
    model?: string | undefined
    judge?: string | undefined
    effort?: string | undefined
    baseUrl?: string | undefined
    concurrency: number
    timeout?: number | undefined
    idleTimeout: number
    maxTurns?: number | undefined
    retries: number
    workspace?: string | undefined
    passEnv: readonly string[]
    links?: SkillLinks | undefined
  }

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

interface SkillRunArguments extends RunArguments {
  suite?: string | undefined
  engine: string
  user?: string | undefined
  skillsFolder?: string | undefined
  activation: Activation
  onTimeout: 'fail' | 'exclude'
  allowInvalid: boolean
}

/** Throws UserError as readRunSettings does. */
export function readSkillRunSettings(parsed: SkillRunArguments) {
  const { engine, activation, onTimeout, allowInvalid } = parsed
  return {
    ...readRunSettings(parsed),
    ...{ engine, activation, onTimeout, allowInvalid },
    suite: parsed.suite ?? null,
    user: parsed.user ?? null,
    skillsFolder: parsed.skillsFolder ?? null,
  }
}
