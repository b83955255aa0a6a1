/** Asks an engine for plain text: how formats with a judge of their own ask it. No schema, no tools. */
import { randomUUID } from 'node:crypto'
import { runMark } from '../../../base/processes.ts'
import { openRoom } from '../../../base/room.ts'
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

/** What it said, or why it said nothing. */
export type Said = { said: string; spent: Spent } | { error: string; spent: Spent }

/** Rejects only when aborted. */
export async function askPlainly(request: JudgeRequest, seat: Seat, prompt: string): Promise<Said> {
  await using room = await openRoom()
  const meter = openMeter()
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
    onCall: meter.call,
    limits: {},
  })
  const spent = meter.spent()
  switch (end.status) {
    case 'completed':
      return { said: end.report.finalResponse, spent }
    case 'malformed':
      return { said: end.said, spent }
    case 'failed':
      return { error: end.problem, spent }
  }
}
