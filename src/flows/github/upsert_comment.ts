/** One comment of ours on a pull request: found by its first line, updated in place, never twice. */
import * as z from 'zod'
import { askGithub, type GithubAnswer, type GithubApi } from './github_api.ts'

export interface CommentRequest {
  /** owner/name. */
  repository: string
  pullRequest: number
  /** The first line of the comment, which no other comment of ours has. */
  marker: string
  body: string
  /** Only update a comment that exists. */
  isUpdateOnly: boolean
}

/** `none`: there is none to update. */
export type CommentEnd =
  | { status: 'created' | 'updated'; url: string }
  | { status: 'none' }
  | { status: 'refused'; code: number; message: string }

const comment = z.looseObject({
  id: z.number(),
  html_url: z.string(),
  body: z.string().nullish(),
  user: z.looseObject({ login: z.string(), type: z.string() }).nullish(),
})
type Comment = z.infer<typeof comment>

class RefusedError extends Error {
  readonly status: number
  constructor({ status, message }: Extract<GithubAnswer, { ok: false }>) {
    super(message)
    this.status = status
  }
}

/** Resolves for every answer of GitHub. Two jobs that create the comment at once both end with the older one. */
export async function upsertComment(api: GithubApi, request: CommentRequest): Promise<CommentEnd> {
  try {
    const isOurs = await findAuthorRule(api)
    const before = await listOwnComments(api, request, isOurs)
    if (before.length > 0) return { status: 'updated', url: await keepOldest(api, request, before) }
    if (request.isUpdateOnly) return { status: 'none' }
    const { repository, pullRequest, body } = request
    const place = `/repos/${repository}/issues/${pullRequest}/comments`
    const created = comment.parse(await send(api, { method: 'POST', path: place, body: { body } }))
    const now = await listOwnComments(api, request, isOurs)
    const isAlone = now.every(({ id }) => id === created.id)
    return { status: 'created', url: isAlone ? created.html_url : await keepOldest(api, request, now) }
  } catch (error) {
    if (error instanceof z.ZodError) return { status: 'refused', code: 0, message: 'an answer in an unknown form' }
    if (error instanceof RefusedError) return { status: 'refused', code: error.status, message: error.message }
    throw error
  }
}

/** Updates the oldest comment and removes the others; returns its address. */
async function keepOldest(api: GithubApi, { repository, body }: CommentRequest, found: readonly Comment[]) {
  const [first, ...others] = [...found].sort((a, b) => a.id - b.id)
  const place = (id: number | undefined) => `/repos/${repository}/issues/comments/${id}`
  const kept = comment.parse(await send(api, { method: 'PATCH', path: place(first?.id), body: { body } }))
  for (const { id } of others) await askGithub(api, { method: 'DELETE', path: place(id) })
  return kept.html_url
}

/** The token of a workflow or an app can't ask who it is: then the comments of bots count, which a person can't write. */
async function findAuthorRule(api: GithubApi): Promise<(one: Comment) => boolean> {
  const answer = await askGithub(api, { method: 'GET', path: '/user' })
  if (!answer.ok && answer.status !== 403) throw new RefusedError(answer)
  const login = answer.ok ? z.looseObject({ login: z.string() }).parse(answer.value).login : null
  return ({ user }) => (login === null ? user?.type === 'Bot' : user?.login === login)
}

const pageSize = 100

async function listOwnComments(
  api: GithubApi,
  { repository, pullRequest, marker }: CommentRequest,
  isOurs: (one: Comment) => boolean,
): Promise<Comment[]> {
  const found: Comment[] = []
  for (let page = 1; ; page += 1) {
    const path = `/repos/${repository}/issues/${pullRequest}/comments?per_page=${pageSize}&page=${page}`
    const comments = z.array(comment).parse(await send(api, { method: 'GET', path }))
    found.push(...comments.filter((one) => one.body?.split(/\r?\n/, 1)[0] === marker && isOurs(one)))
    if (comments.length < pageSize) return found
  }
}

async function send(api: GithubApi, request: Parameters<typeof askGithub>[1]): Promise<unknown> {
  const answer = await askGithub(api, request)
  if (!answer.ok) throw new RefusedError(answer)
  return answer.value
}
