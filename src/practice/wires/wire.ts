/** What an API's wire is to the practice server: how it asks, answers, streams and refuses. */
import type { OfferedTool, PracticeMessage, ReadDialogue } from '../dialogue.ts'

export interface Wire {
  /** The path that asks for a message. */
  path: string
  /** The response header that names a request. */
  requestIdHeader: string
  /** The request, or why the real API would refuse it. `counting`: only its tokens are asked for. */
  read(body: unknown, counting: boolean): ReadDialogue
  /** The body of an answer that is not streamed. */
  whole(message: PracticeMessage, tools: readonly OfferedTool[]): unknown
  /** The server-sent events of a streamed answer, each as it goes out. */
  frames(message: PracticeMessage, tools: readonly OfferedTool[]): string[]
  /** The status and body of a refusal. */
  refuse(refused: Refused): { status: number; body: unknown }
}

export interface Refused {
  status: number
  message: string
  requestId: string
}

const pieceLength = 24

/** A text in the pieces that a stream sends, cut between code points: half a surrogate pair does not survive UTF-8. */
export function pieces(text: string): string[] {
  const letters = [...text]
  const count = Math.ceil(letters.length / pieceLength)
  return Array.from({ length: count }, (_, at) => letters.slice(at * pieceLength, (at + 1) * pieceLength).join(''))
}

export interface ServerEvent {
  type: string
  [field: string]: unknown
}

/** One event on the wire, under its name. */
export function namedEvent(event: ServerEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}
