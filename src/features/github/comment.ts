/** `whetstone github comment`: writes the outcome of `whetstone github bench` as the one comment of this job on its pull request. */
import * as z from 'zod'
import { errorMessage, UserError } from '../../base/errors/error.ts'
import { fetchByProxy } from '../../base/http/fetch.ts'
import { readJson, tryParseJson } from '../../base/json/json.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import { withRetry } from '../../base/time/retry.ts'
import { startTimeLimit } from '../../base/time/time_limit.ts'
import { ownEnvironment } from '../../cli/commands/options/run_flow.ts'
import { exitCodes } from '../../cli/exit_codes.ts'
import { listenForInterrupts } from '../../cli/terminal/interrupt.ts'
import { workflowCommand } from '../../phases/4-report/text/github.ts'
import { actionOutcome, readOutcomeBenchmarks } from './action_outcome.ts'
import { commentMarker, commentText } from './comment_text.ts'
import { readTrigger } from './read_trigger.ts'
import { writeJobSummary, writeStepOutputs } from './workflow_files.ts'

/** Returns 0, also if GitHub refuses the comment: then a notice says why, and the job's summary has its text. */
export async function commentOnPullRequest(): Promise<number> {
  const env = ownEnvironment()
  const id = env.INPUT_COMMENT_ID || 'whetstone'
  if (!/^[\w.-]{1,60}$/.test(id))
    throw new UserError(`comment-id: "${id}"`, 'expected up to 60 letters, digits, ".", "_" and "-"')
  const outcome = await readJson(actionOutcome, env.INPUT_OUTCOME ?? '')
  const skills = await readOutcomeBenchmarks(outcome)
  const trigger = await readTrigger(env)
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository = '', GITHUB_RUN_ID: run } = env
  const body = commentText({
    ...outcome,
    skills,
    id,
    report: env.INPUT_REPORT_URL || null,
    job: server && run ? `${server}/${repository}/actions/runs/${run}` : null,
    commit: trigger.head ?? env.GITHUB_SHA ?? null,
  })
  const safe = getRedactor(env).text(body)
  using interrupts = listenForInterrupts(() => {})
  const { pullRequest } = trigger
  const isUpdateOnly = outcome.status === 'nothing'
  const text = { repository, pullRequest, marker: commentMarker(id), body: safe, isUpdateOnly }
  const end = await sendComment(text, interrupts.signal)
  const why = explainRefusal(end)
  if (why !== null) process.stderr.write(`${workflowCommand('notice', 'Whetstone', why)}\n`)
  // with benchmarks the reporter `github` has written the summary, which has more
  if (end.status === 'refused' || skills.every(({ benchmark }) => benchmark === null)) await writeJobSummary(safe)
  await writeStepOutputs({ 'comment-url': 'url' in end ? end.url : '' })
  return exitCodes.done
}

type Written = { pullRequest: number | null; repository: string; marker: string; body: string; isUpdateOnly: boolean }

async function sendComment({ pullRequest, ...text }: Written, signal: AbortSignal): Promise<CommentEnd> {
  const { GITHUB_API_URL: url = 'https://api.github.com', GITHUB_TOKEN: token = '' } = process.env
  if (pullRequest === null || token === '') return { status: 'none' }
  return await upsertComment({ url, token, signal }, { ...text, pullRequest })
}

/** null: the comment is written, or there is none to write. */
function explainRefusal(end: CommentEnd): string | null {
  if (end.status !== 'refused') return null
  const reasons: Readonly<Record<number, string>> = {
    401: 'the token is not valid',
    403: 'the token may not write: a pull request from a fork gets a token that only reads; others need "permissions: pull-requests: write" in the job',
    404: 'the token does not see the pull request',
  }
  const reason = reasons[end.code] ?? (end.code === 0 ? 'GitHub did not answer' : `GitHub answered ${end.code}`)
  return `No comment: ${reason} (${end.message}). The job's summary has its text.`
}

interface CommentRequest {
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
type CommentEnd =
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

interface GithubApi {
  /** Such as https://api.github.com. */
  url: string
  token: string
  signal: AbortSignal
  /** Milliseconds for one request, and for the first wait before it is repeated. */
  timeoutMs?: number
  baseMs?: number
}

interface GithubRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  body?: Readonly<Record<string, unknown>>
}

/** `status` 0: no answer. */
type GithubAnswer = { ok: true; value: unknown } | { ok: false; status: number; message: string }

/** A job does not wait longer than this for a comment. */
const longestWaitMs = 120_000

async function askGithub(api: GithubApi, request: GithubRequest): Promise<GithubAnswer> {
  const { signal, baseMs = 1000 } = api
  const { answer } = await withRetry(() => attemptRequest(api, request), { retries: 3, signal, baseMs, capMs: 5000 })
  return answer
}

async function attemptRequest({ url, token, signal, timeoutMs = 20_000 }: GithubApi, request: GithubRequest) {
  const { method, path, body } = request
  using limit = startTimeLimit(timeoutMs, [signal])
  try {
    const response = await fetchByProxy(`${url}${path}`, {
      method,
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'user-agent': 'whetstone',
        'x-github-api-version': '2022-11-28',
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: limit.signal,
    })
    const value = tryParseJson(await response.text())
    if (response.ok) return { answer: { ok: true, value } as const, retry: null }
    const answer = { ok: false, status: response.status, message: readMessage(value) } as const
    return { answer, retry: readRetry(response) }
  } catch (error) {
    signal.throwIfAborted()
    return { answer: { ok: false, status: 0, message: errorMessage(error) } as const, retry: { afterMs: null } }
  }
}

function readMessage(value: unknown): string {
  const isNamed = typeof value === 'object' && value !== null && 'message' in value
  return isNamed ? String(value.message) : 'no message'
}

/** null: pointless, or it would take too long. A rate limit is also answered with 403. */
function readRetry({ status, headers }: Response): { afterMs: number | null } | null {
  const [after, left, reset] = ['retry-after', 'x-ratelimit-remaining', 'x-ratelimit-reset'].map((name) =>
    headers.get(name),
  )
  const isLimited = status === 429 || (status === 403 && (after !== null || left === '0'))
  if (!isLimited && status < 500) return null
  const fromReset = left === '0' && reset ? Number(reset) * 1000 - Date.now() : null
  const waitMs = after ? Number(after) * 1000 : fromReset
  if (waitMs === null || !Number.isFinite(waitMs)) return { afterMs: null }
  return waitMs > longestWaitMs ? null : { afterMs: Math.max(0, waitMs) }
}
