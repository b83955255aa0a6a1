/** The interface between an API's wire and the practice server: requests, answers, streams and refusals. */
import type { OfferedTool, PracticeMessage, ReadDialogue } from '../dialogue.ts'

/** What a request's path asks for. */
export interface WireRoute {
  /** Only token counts, no message. */
  counting: boolean
  /** Model and streaming, on wires that say so in the path instead of the body. */
  model?: string
  stream?: boolean
}

export interface Wire {
  /** Paths below it belong to this API. */
  root: string
  /** What a POST to this path asks for; null: no such endpoint. */
  route(path: string): WireRoute | null
  requestIdHeader: string
  /** The request, or why the real API would refuse it. */
  read(body: unknown, route: WireRoute): ReadDialogue
  /** The body of an answer that is not streamed. */
  whole(message: PracticeMessage, tools: readonly OfferedTool[]): unknown
  /** The server-sent events of a streamed answer, each as sent. */
  frames(message: PracticeMessage, tools: readonly OfferedTool[]): string[]
  count?(tokens: number): unknown
  refuse(refused: RefusedRequest): WireRefusal
  /** The refusal of a conversation that exceeds the model's context: a status and a body, or a stream. */
  refuseFull(full: { model: string; stream: boolean; requestId: string }): WireRefusal | { frames: string[] }
}

export interface WireRefusal {
  status: number
  body: unknown
}

export interface RefusedRequest {
  status: number
  message: string
  requestId: string
  /** Seconds; absent or null: the refusal says nothing of a wait. */
  retryAfter?: number | null
}

/** The route of an API with one path for messages. */
export const messageRoute: WireRoute = { counting: false }

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

export function namedEvent(event: ServerEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}
