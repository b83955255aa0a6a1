/** `whetstone github comment`: writes the outcome of `whetstone github bench` as the one comment of this job on its pull request. */
import { UserError } from '../../../base/errors/error.ts'
import { readJson } from '../../../base/json/json.ts'
import { getRedactor } from '../../../base/secrets/redact.ts'
import { actionOutcome, readOutcomeBenchmarks } from '../../../flows/github/action_outcome.ts'
import { readTrigger } from '../../../flows/github/read_trigger.ts'
import { type CommentEnd, upsertComment } from '../../../flows/github/upsert_comment.ts'
import { workflowCommand } from '../../../phases/4-report/text/github.ts'
import { commentMarker, commentText } from '../../../phases/4-report/text/pull_request/comment_text.ts'
import { exitCodes } from '../../exit_codes.ts'
import { listenForInterrupts } from '../../terminal/interrupt.ts'
import { ownEnvironment } from '../../user_environment.ts'
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
