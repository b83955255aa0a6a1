/**
 * A conversation with a program, one JSON object a line. To it: {"message": "…"} for each message of the user; then its stdin is closed.
 * From it: {"answer": "…"} at the end of each turn; its other lines are not read. docs/reference/engines/command.md describes it.
 */
import type { Writable } from 'node:stream'
import * as z from 'zod'
import { runProcess } from '../../base/process/spawn.ts'
import { completeRun, failRun } from '../answers/run_outcome.ts'
import {
  type EngineContext,
  type EngineError,
  type EngineOutcome,
  type EngineReport,
  type EngineTask,
  emptyReport,
} from '../engine.ts'
import type { CommandInvocation } from './command_line.ts'

/** The variable that tells a program that messages come line by line. */
const conversationVariable = 'WHETSTONE_CONVERSATION'

const answerLine = z.looseObject({ answer: z.string() })

interface CommandConversation {
  task: EngineTask
  context: EngineContext
  model: string | null
  program: string
}

export async function converseWithCommand(
  invocation: CommandInvocation,
  { task, context, model, program }: CommandConversation,
): Promise<EngineOutcome> {
  const said = { step: 0, text: '', isOver: false, next: Promise.resolve() }
  const pipe: { stdin: Writable | null } = { stdin: null }
  const send = (message: string) => pipe.stdin?.write(`${JSON.stringify({ message })}\n`)
  const failed = new AbortController()
  const goOn = async () => {
    const message = await task.nextMessage?.({ text: said.text, step: said.step })
    if (message != null) return void send(message)
    said.isOver = true
    pipe.stdin?.end()
  }
  const report = (end: Partial<Pick<EngineReport, 'exitCode' | 'signal'>> = {}): EngineReport => ({
    ...emptyReport,
    ...end,
    finalResponse: said.text,
    model,
  })
  context.soFar?.(() => Promise.resolve(report()))
  const end = await runProcess({
    command: invocation.program,
    args: invocation.args,
    cwd: task.cwd,
    env: { ...task.env, ...task.credentials, [conversationVariable]: 'lines' },
    stdin(stdin) {
      pipe.stdin = stdin
      stdin.on('error', () => {}) // it may have ended: its exit says why
      if (invocation.stdin !== null) send(invocation.stdin)
    },
    signal: AbortSignal.any([context.signal, failed.signal]),
    onLine(line) {
      const answer = readAnswerLine(line)
      if (answer === null || said.isOver) return undefined
      said.step += 1
      said.text = answer
      context.emit({ type: 'assistant', step: said.step, text: answer })
      said.next = goOn().catch((error: unknown) => failed.abort(error))
      return undefined
    },
    stderrFile: context.stderrFile,
    stdoutLimit: 0, // only the lines are used
    sandbox: task.sandbox,
  })
  await said.next // a program may end right after its last answer
  const ended = report({ exitCode: end.exitCode, signal: end.signal })
  if (end.exitCode === 0 && said.isOver) return completeRun(context, { ...ended, stopReason: 'exit' }, said.step)
  const how = end.exitCode === null ? `ended by ${end.signal}` : `exit code ${end.exitCode}`
  const stderr = end.stderrTail.trim()
  const error: EngineError =
    end.exitCode === 0
      ? {
          kind: 'bad_output',
          message: `${program} ended after ${said.step} answers, before the conversation was over; it must print a line {"answer": "…"} for each message and read the next line`,
          retryable: false,
          retryAfterMs: null,
        }
      : {
          kind: 'crash',
          message: [`${program}: ${how}`, stderr].filter(Boolean).join(': '),
          retryable: true,
          retryAfterMs: null,
        }
  return failRun(context, error, { report: ended, step: said.step })
}

/** null: the line is not an answer. */
function readAnswerLine(line: string): string | null {
  if (!line.startsWith('{')) return null
  try {
    const parsed = answerLine.safeParse(JSON.parse(line))
    return parsed.success ? parsed.data.answer : null
  } catch {
    return null
  }
}
