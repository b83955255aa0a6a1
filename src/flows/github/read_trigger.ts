/** Reads what started a GitHub workflow: which pull request, where its code comes from, and since which commit. */
import * as z from 'zod'
import { readJson } from '../../base/json/json.ts'
import type { FlowContext } from '../flow_context.ts'

const repository = z.looseObject({ full_name: z.string() })
/** `repo` is null if the fork was deleted. */
const tip = z.looseObject({ sha: z.string(), repo: repository.nullish() })

/** The parts of GitHub's webhook events that Whetstone reads. */
const githubEvent = z.looseObject({
  pull_request: z.looseObject({ number: z.number().int().positive(), base: tip, head: tip }).optional(),
  issue: z.looseObject({ number: z.number().int().positive(), pull_request: z.unknown() }).optional(),
  workflow_run: z
    .looseObject({
      head_sha: z.string(),
      head_repository: repository.nullish(),
      pull_requests: z.array(z.looseObject({ number: z.number().int().positive() })).optional(),
    })
    .optional(),
  merge_group: z.looseObject({ base_sha: z.string() }).optional(),
  before: z.string().optional().describe('push: the commit before it'),
})

export interface Trigger {
  /** Such as pull_request. */
  event: string
  /** null: this event belongs to no pull request. */
  pullRequest: number | null
  /** The commit that the changes started from; null: the event has none. */
  base: string | null
  /** The last commit of the pull request; null: not in the event. */
  head: string | null
  /** Whether the code comes from the repository itself, so from someone who may push to it. */
  isOwn: boolean
}

/** Throws UserError outside GitHub Actions. */
export async function readTrigger(env: FlowContext['env']): Promise<Trigger> {
  const { GITHUB_EVENT_NAME: event = '', GITHUB_EVENT_PATH: file = '', GITHUB_REPOSITORY: name = '' } = env
  const found = await readJson(githubEvent, file)
  const { pull_request: pull, issue, workflow_run: run, merge_group: group, before } = found
  const isOf = (other: z.infer<typeof repository> | null | undefined) => other?.full_name === name
  if (pull)
    return { event, pullRequest: pull.number, base: pull.base.sha, head: pull.head.sha, isOwn: isOf(pull.head.repo) }
  if (run) {
    const [first] = run.pull_requests ?? []
    const isOwn = isOf(run.head_repository)
    return { event, pullRequest: first?.number ?? null, base: null, head: run.head_sha, isOwn }
  }
  // a comment on a pull request does not say where the code is from
  if (issue?.pull_request) return { event, pullRequest: issue.number, base: null, head: null, isOwn: false }
  const base = group?.base_sha ?? (before === undefined || /^0+$/.test(before) ? null : before)
  return { event, pullRequest: null, base, head: null, isOwn: true }
}
