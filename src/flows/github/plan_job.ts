/** Decides whether a job of a GitHub workflow may spend, and with which arguments `bench` starts. */
import { UserError } from '../../base/errors/error.ts'
import { runGit } from '../../base/process/git.ts'
import type { ActionInputs } from './action_inputs.ts'
import type { Trigger } from './read_trigger.ts'

/** `skipped`: nothing may be spent on this code. */
export type JobPlan =
  | { status: 'start'; args: string[] }
  | { status: 'skipped'; isFailure: boolean; message: string; fix: string }

const approval =
  'a maintainer can look at the commit and start a job with "forks: approved" behind an environment with required reviewers: docs/how-to/github-action.md#pull-requests-from-forks'

/** Throws UserError for a workflow that gives its secrets to the code of a fork. */
export async function planJob(trigger: Trigger, inputs: ActionInputs, cwd: string): Promise<JobPlan> {
  const { event, isOwn } = trigger
  if (isOwn || inputs.forks === 'approved')
    return { status: 'start', args: await listBenchArguments(trigger, inputs, cwd) }
  if (event !== 'pull_request' && (await hasCommit(cwd, trigger.head)))
    throw new UserError(
      `${event}: the checkout is code from a fork, and this event gives it the secrets and the token of the repository`,
      approval,
    )
  const message =
    'The pull request comes from a fork: nothing was started, because its code could spend or read secrets.'
  return { status: 'skipped', isFailure: inputs.forks === 'fail', message, fix: approval }
}

/** Whether the checkout contains this commit. */
async function hasCommit(cwd: string, commit: string | null): Promise<boolean> {
  if (commit === null) return false
  return await runGit(cwd, ['merge-base', '--is-ancestor', commit, 'HEAD']).then(
    () => true,
    () => false,
  )
}

async function listBenchArguments({ base }: Trigger, inputs: ActionInputs, cwd: string): Promise<string[]> {
  const { skills, baseline, flags } = inputs
  const start = base === null ? null : await findMergeBase(cwd, base)
  const usual = start === null ? 'none' : `git:${start}`
  const chosen = baseline === '' ? usual : baseline
  // a skill that is as it was has nothing to compare with the version at the base
  const isOnlyChanged = start !== null && (skills.length === 0 || baseline === '')
  return [
    ...(skills.length === 0 ? ['.'] : skills),
    ...(isOnlyChanged ? [`--changed=${start}`] : []),
    ...(chosen === 'none' ? [] : [`--baseline=${chosen}`]),
    ...flags,
  ]
}

/** A clone without it keeps the commit itself: `bench` then names the command that fetches it. */
async function findMergeBase(cwd: string, base: string): Promise<string> {
  return await runGit(cwd, ['merge-base', base, 'HEAD']).catch(() => base)
}
