/** Reads what started a GitHub workflow: which pull request, where its code comes from, and since which commit. */
import * as z from 'zod'
import { readJson } from '../../base/json/json.ts'
import type { FlowContext } from '../../flows/flow_context.ts'

const named = z.looseObject({ full_name: z.string() })
/** `repo` is null if the fork was deleted. */
const tip = z.looseObject({ sha: z.string(), repo: named.nullish() })

/** The parts of GitHub's webhook events that Whetstone reads. */
const githubEvent = z.looseObject({
  pull_request: z.looseObject({ number: z.number().int().positive(), base: tip, head: tip }).optional(),
  issue: z.looseObject({ number: z.number().int().positive(), pull_request: z.unknown() }).optional(),
  workflow_run: z
    .looseObject({
      head_sha: z.string(),
      head_repository: named.nullish(),
      pull_requests: z.array(z.looseObject({ number: z.number().int().positive() })).optional(),
    })
    .optional(),
  merge_group: z.looseObject({ base_sha: z.string() }).optional(),
  before: z.string().optional().describe('push: the commit before it'),
  created: z.boolean().optional().describe('push: of a new branch or tag'),
  forced: z.boolean().optional().describe('push: the commit before it is not in the history any more'),
  repository: z.looseObject({ default_branch: z.string().optional() }).optional(),
})

export interface Trigger {
  /** Such as pull_request. */
  event: string
  /** null: this event belongs to no pull request. */
  pullRequest: number | null
  /** A commit or remote branch; the changes started from what HEAD has in common with it. null: the event has none. */
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
  const {
    pull_request: pull,
    issue,
    workflow_run: run,
    merge_group: group,
    before,
    created,
    forced,
    repository,
  } = found
  const isOf = (other: z.infer<typeof named> | null | undefined) => other?.full_name === name
  if (pull)
    return { event, pullRequest: pull.number, base: pull.base.sha, head: pull.head.sha, isOwn: isOf(pull.head.repo) }
  if (run) {
    const [first] = run.pull_requests ?? []
    const isOwn = isOf(run.head_repository)
    return { event, pullRequest: first?.number ?? null, base: null, head: run.head_sha, isOwn }
  }
  // a comment on a pull request does not say where the code is from
  if (issue?.pull_request) return { event, pullRequest: issue.number, base: null, head: null, isOwn: false }
  const main = repository?.default_branch === undefined ? null : `origin/${repository.default_branch}`
  const pushed = created || forced ? main : before
  return { event, pullRequest: null, base: group?.base_sha ?? pushed ?? null, head: null, isOwn: true }
}
