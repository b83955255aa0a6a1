/** Asks an engine for plain text: how formats with a judge of their own ask it. No schema, no tools. */
import { randomUUID } from 'node:crypto'
import { runMark } from '../../../base/process_marks.ts'
import { openRoom } from '../../../base/room.ts'
import type { EngineReport } from '../../../engines/engine.ts'
import type { Gate } from '../../../engines/gate.ts'
import { callWithRetries } from '../call.ts'
import type { JudgeChoice, JudgeRequest } from '../judge.ts'
import { openMeter, type Spent } from '../meter.ts'

/** Who is asked, and what that takes. */
export interface Seat {
  judge: JudgeChoice
  credentials: Readonly<Record<string, string>>
  gate?: Gate | undefined
}

/** What it said, or why it said nothing. `input` and `output`: tokens of all attempts; null: not known. */
export type Said = { spent: Spent; tokens: Tokens } & ({ said: string } | { error: string })

export interface Tokens {
  input: number | null
  output: number | null
}

/** Rejects only when aborted. */
export async function askPlainly(request: JudgeRequest, seat: Seat, prompt: string): Promise<Said> {
  await using room = await openRoom()
  const meter = openMeter()
  const reports: EngineReport[] = []
  const { judge, credentials, gate } = seat
  const own = [room.path, ...(request.env.HOME === undefined ? [] : [request.env.HOME])]
  const task = {
    prompt,
    model: judge.model,
    command: judge.command,
    cwd: room.path,
    env: { ...request.env, [runMark]: room.mark },
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
  const made = { spent: meter.spent(), tokens: tokensIn(reports) }
  switch (end.status) {
    case 'completed':
      return { said: end.report.finalResponse, ...made }
    case 'malformed':
      return { said: end.said, ...made }
    case 'failed':
      return { error: end.problem, ...made }
  }
}

function tokensIn(reports: readonly EngineReport[]): Tokens {
  const usages = reports.flatMap(({ usage }) => usage ?? [])
  if (usages.length < reports.length || reports.length === 0) return { input: null, output: null }
  return {
    input: usages.reduce((sum, one) => sum + one.input_tokens + one.cache_read_tokens + one.cache_write_tokens, 0),
    output: usages.reduce((sum, one) => sum + one.output_tokens, 0),
  }
}

export function addTokens(parts: readonly Tokens[]): Tokens {
  const sum = (values: readonly (number | null)[]) =>
    values.reduce((total, one) => (total === null || one === null ? null : total + one), 0)
  return { input: sum(parts.map(({ input }) => input)), output: sum(parts.map(({ output }) => output)) }
}
