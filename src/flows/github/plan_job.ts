/** Decides whether a job of a GitHub workflow may spend, and with which arguments `bench` starts. */
import { UserError } from '../../base/errors/error.ts'
import { runGit } from '../../base/process/git.ts'
import { isShallowClone, openGitRepository } from '../../base/process/git_repository.ts'
import { expandSkillFolders } from '../prepare/resolve_skills.ts'
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

async function listBenchArguments(trigger: Trigger, inputs: ActionInputs, cwd: string): Promise<string[]> {
  const { skills, baseline, flags } = inputs
  // a skill that is as it was has nothing to compare with the version at the base
  const start = skills.length === 0 || baseline === '' ? await findStart(cwd, trigger) : null
  const usual = start === null ? 'none' : `git:${start}`
  const chosen = baseline === '' ? usual : baseline
  const places = skills.length === 0 ? ['.'] : skills
  const all = start === null ? await expandSkillFolders(places, cwd) : places
  return [
    ...all.map((place) => (place.startsWith('-') ? `./${place}` : place)), // a folder's name is no flag
    ...(start === null ? [] : [`--changed=${start}`]),
    ...(chosen === 'none' ? [] : [`--baseline=${chosen}`]),
    ...(flags.includes('--trust-config') ? [] : await listTrustFlags(trigger, cwd)),
    ...flags,
  ]
}

/** The repository's configuration files count, apart from what a pull request changed in them or in the programs that they name. */
async function listTrustFlags(trigger: Trigger, cwd: string): Promise<string[]> {
  const { event, isOwn, pullRequest } = trigger
  if (isOwn && pullRequest === null && event !== 'merge_group') return ['--trust-config']
  const start = await findStart(cwd, trigger).catch(() => null)
  return start === null ? [] : [`--trust-config-at=${start}`]
}

/**
 * The commit that the changes started from; null: the event has none. GitHub checks out a merge of the pull request into the base as it is
 * now; the base in the event may be older, and the changes of others since then are not those of this pull request.
 */
async function findStart(cwd: string, { base, head }: Trigger): Promise<string | null> {
  if (base === null) return null
  await openGitRepository(cwd, {
    flag: 'the base of the changes',
    otherwise: 'check the repository out before this step',
  })
  const [first, second] = (await runGit(cwd, ['rev-parse', 'HEAD^@'])).split('\n')
  if (first !== undefined && second === head) return first
  const start = await runGit(cwd, ['merge-base', base, 'HEAD']).catch(() => null)
  if (start !== null) return start
  const fix = (await isShallowClone(cwd))
    ? 'give actions/checkout "fetch-depth: 0"'
    : 'name another "baseline", or the skills with "baseline: none"'
  throw new UserError(`the checkout does not have the commit that the changes started from, ${base}`, fix)
}
