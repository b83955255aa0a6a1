/** Detects whether a run ended with a question to the user, who is never present. Pure. */
import { type ConversationRecord, numberMessages } from '../../../schemas/conversation.ts'
import type { RunRecord } from '../../../schemas/run.ts'
import type { TranscriptEvent } from '../../../schemas/transcript.ts'
import type { Engine, EngineReport } from '../../engines/engine.ts'

export interface RunEvidence {
  engine: Pick<Engine, 'questionTools'>
  report: Pick<EngineReport, 'finalResponse' | 'permissionDenials'>
  events: readonly TranscriptEvent[]
  outputs: RunRecord['outputs']
  /** Of a case with several turns: only what follows the last message of the user counts. */
  conversation?: ConversationRecord | undefined
}

type UserQuestion = NonNullable<RunRecord['asked_user']>

/** Maximum number of characters of the question. */
const longest = 500

/** The question and the tool that asked it (`final_response`: no tool); null: the run did not end with a question. */
export function findUserQuestion(run: RunEvidence): UserQuestion | null {
  // the user had what it wanted, or the suite ends the conversation there, so a question is left unanswered on purpose
  if (['goal_met', 'stop', 'end_when'].includes(run.conversation?.ended ?? '')) return null
  const last = takeLastTurn(run)
  return findInTools(last) ?? findInAnswer(last)
}

/** The run from the last message of the user on. Refused calls have no place in time, so they count only in a single turn. */
function takeLastTurn({ conversation, events, report, ...run }: RunEvidence): RunEvidence {
  const [start = -1] = [...numberMessages(events, conversation)].findLast(([, number]) => number > 1) ?? []
  if (start < 0) return { ...run, events, report }
  return { ...run, events: events.slice(start + 1), report: { ...report, permissionDenials: null } }
}

/** The last tool call was the question: the agent used no tool after it. */
function findInTools({ engine, report, events }: RunEvidence): UserQuestion | null {
  const tools = engine.questionTools ?? []
  const last = events.findLast((event) => event.type === 'tool_call')
  if (last !== undefined) {
    if (!tools.includes(last.name)) return null
    return { via: last.name, question: clip(collectQuestions(last.input).join(' ') || report.finalResponse) }
  }
  const denied = report.permissionDenials?.find((name) => tools.includes(name))
  return denied === undefined ? null : { via: denied, question: clip(report.finalResponse) }
}

/** Question marks of several scripts, with marks that may close a sentence after them. */
const endsAsQuestion = /[?？؟][*_`"'”’»)\]]*$/u

/** An offer to do more, which follows an answer. */
const offer = /\b(anything|something|what) else\b|\b(me|I) (to )?also\b/i

/** Heuristic: the last line of the final answer is a question, and the run changed no file. */
function findInAnswer({ report, outputs }: RunEvidence): UserQuestion | null {
  const changed = outputs.files.length + outputs.deleted.length + outputs.left_out.length
  const line = report.finalResponse.trimEnd().split('\n').at(-1)?.trim() ?? ''
  if (changed > 0 || !endsAsQuestion.test(line) || offer.test(line)) return null
  return { via: 'final_response', question: clip(line) }
}

/** Every `question` text in the input of a call, in any shape. */
function collectQuestions(input: unknown): string[] {
  if (Array.isArray(input)) return input.flatMap(collectQuestions)
  if (typeof input !== 'object' || input === null) return []
  return Object.entries(input).flatMap(([name, value]) =>
    name === 'question' && typeof value === 'string' ? value : collectQuestions(value),
  )
}

function clip(text: string): string {
  const letters = [...text.trim()]
  return letters.length > longest ? `${letters.slice(0, longest - 1).join('')}…` : letters.join('')
}
