/** Asks an engine for plain text, as the judges of other formats do: no schema, no tools. */
import { randomUUID } from 'node:crypto'
import { openTempDir } from '../../../base/fs/temp_dir.ts'
import { runMark } from '../../../base/process/process_marks.ts'
import { sumKnown } from '../../../base/totals.ts'
import { callWithRetries } from '../../../engines/ask/call_engine.ts'
import { type CallUsage, openCallMeter, sumCallUsage } from '../../../engines/ask/cost_meter.ts'
import type { EngineReport } from '../../../engines/engine.ts'
import { saysContextFull } from '../../../engines/limits/error_text.ts'
import type { JudgeAccess, JudgeRequest } from '../judge_request.ts'
import { omitMiddle } from './transcript_view.ts'

/** The answer, or why there is none. `input` and `output`: tokens of all attempts; null: not known. */
export type PlainTextAnswer = { spent: CallUsage; tokens: TokenCounts } & ({ said: string } | { error: string })

export interface TokenCounts {
  input: number | null
  output: number | null
}

/** Characters of each part of the run in a prompt: all of it, and less for a model that says that this is too long. */
const partLimits = [Number.POSITIVE_INFINITY, 100_000, 20_000, 4000]

/** Cuts the middle out of a part of the run. */
export type CutPart = (text: string) => string

/** `buildPrompt` gets what cuts a part of the run to a length that the model takes. Rejects only when aborted. */
export async function askPlainText(
  request: JudgeRequest,
  access: JudgeAccess,
  buildPrompt: (cut: CutPart) => string,
): Promise<PlainTextAnswer> {
  const asked: PlainTextAnswer[] = []
  for (const most of partLimits) {
    const answer = await askPromptOnce(
      request,
      access,
      buildPrompt((text) => omitMiddle(text, most)),
    )
    asked.push(answer)
    if (!('error' in answer && saysContextFull(answer.error))) break
  }
  const [last, ...before] = asked.toReversed()
  if (last === undefined) throw new Error('no judge was asked')
  if (before.length === 0) return last
  return {
    ...last,
    spent: sumCallUsage(asked.map(({ spent }) => spent)),
    tokens: sumTokenCounts(asked.map(({ tokens }) => tokens)),
  }
}

async function askPromptOnce(request: JudgeRequest, access: JudgeAccess, prompt: string): Promise<PlainTextAnswer> {
  await using tempDir = await openTempDir()
  const meter = openCallMeter()
  const reports: EngineReport[] = []
  const { judge, credentials, gate } = access
  const own = [tempDir.path, ...(request.env.HOME === undefined ? [] : [request.env.HOME])]
  const task = {
    prompt,
    model: judge.model,
    effort: judge.effort,
    command: judge.command,
    cwd: tempDir.path,
    env: { ...request.env, [runMark]: tempDir.mark },
    credentials,
    skills: [],
    tools: 'none' as const,
    maxTurns: 1,
    answerSchema: null,
    sandbox: request.sandboxFor?.(own) ?? null,
  }
  const end = await callWithRetries({
    engine: judge.engine,
    task: () => ({ ...task, sessionId: randomUUID() }),
    context: { signal: request.signal, emit: () => {}, stderrFile: null, ...(gate && { gate }) },
    onCall: (report) => {
      meter.call(report)
      if (report !== null) reports.push(report)
    },
    limits: {},
  })
  const made = { spent: meter.spent(), tokens: countReportTokens(reports) }
  switch (end.status) {
    case 'completed':
      return { said: end.report.finalResponse, ...made }
    case 'malformed':
      return { said: end.said, ...made }
    case 'failed':
      return { error: end.problem, ...made }
  }
}

function countReportTokens(reports: readonly EngineReport[]): TokenCounts {
  const usages = reports.flatMap(({ usage }) => usage ?? [])
  if (usages.length < reports.length || reports.length === 0) return { input: null, output: null }
  return {
    input: usages.reduce((sum, one) => sum + one.input_tokens + one.cache_read_tokens + one.cache_write_tokens, 0),
    output: usages.reduce((sum, one) => sum + one.output_tokens, 0),
  }
}

export function sumTokenCounts(parts: readonly TokenCounts[]): TokenCounts {
  return { input: sumKnown(parts.map(({ input }) => input)), output: sumKnown(parts.map(({ output }) => output)) }
}
