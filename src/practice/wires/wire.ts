/** The interface between an API's wire and the practice server: requests, answers, streams and refusals. */
import type { OfferedTool, PracticeMessage, ReadDialogue } from '../dialogue.ts'

export interface Wire {
  /** The path of a request for a message. */
  path: string
  /** The response header with the request's id. */
  requestIdHeader: string
  /** The request, or why the real API would refuse it. `counting`: it asks only for token counts. */
  read(body: unknown, counting: boolean): ReadDialogue
  /** The body of an answer that is not streamed. */
  whole(message: PracticeMessage, tools: readonly OfferedTool[]): unknown
  /** The server-sent events of a streamed answer, each as sent. */
  frames(message: PracticeMessage, tools: readonly OfferedTool[]): string[]
  /** The status and body of a refusal. */
  refuse(refused: RefusedRequest): WireRefusal
  /** The refusal of a conversation that exceeds the model's context: a status and a body, or a stream. */
  refuseFull(full: FullContext): WireRefusal | { frames: string[] }
}

export interface WireRefusal {
  status: number
  body: unknown
}

interface FullContext {
  model: string
  stream: boolean
  requestId: string
}

export interface RefusedRequest {
  status: number
  message: string
  requestId: string
}

const pieceLength = 24

/** The pieces of a text in a stream, cut between code points: half a surrogate pair does not survive UTF-8. */
export function splitPieces(text: string): string[] {
  const letters = [...text]
  const count = Math.ceil(letters.length / pieceLength)
  return Array.from({ length: count }, (_, at) => letters.slice(at * pieceLength, (at + 1) * pieceLength).join(''))
}

export interface ServerEvent {
  type: string
  [field: string]: unknown
}

/** One event as sent, with its name. */
export function namedEvent(event: ServerEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}
