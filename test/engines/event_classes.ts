/** How each event of a run is classified, on every engine: the table of docs/reference/engines.md. A contract test plays each event to each engine. */
import type { FailureKind, RunRecord } from '../../schemas/run.ts'

export interface EventClass {
  status: RunRecord['status']
  /** null: the run did not fail. */
  kind: FailureKind | null
  /** Whether the run is graded, and so counts in the pass rate. */
  graded: boolean
  /** Whether the agent, its engine or Whetstone tries again before the run gets this status. */
  retried: boolean
}

const completedClass = { status: 'completed', kind: null, graded: true, retried: false } as const
const recoveredClass = { ...completedClass, retried: true } as const
const timedOutClass = { status: 'timed_out', kind: null, graded: true, retried: false } as const
const failedClass = (kind: FailureKind, retried = true) => ({ status: 'failed', kind, graded: false, retried }) as const

export const eventClasses = {
  'the server is silent from the start': failedClass('server_error'),
  'the first answer begins and stalls': failedClass('server_error'),
  'the server is silent after an answer': timedOutClass,
  'the model streams until the time limit': timedOutClass,
  'a page answers in place of the model, as a login page does': failedClass('server_error'),
  'status 401': failedClass('credentials'),
  'status 403': failedClass('credentials'),
  'status 429, once': recoveredClass,
  'status 429, always': failedClass('rate_limited'),
  'status 429, Retry-After of an hour': failedClass('rate_limited'),
  'status 429 after an answer, Retry-After of an hour': failedClass('rate_limited'),
  'status 500, once': recoveredClass,
  'status 500 after an answer, always': failedClass('server_error'),
  'status 529 for longer than the time limit': failedClass('overloaded'),
  'status 529 after an answer, for longer than the time limit': failedClass('overloaded'),
  'the stream is cut, always': failedClass('server_error'),
  'the model refuses': completedClass,
  'the context is full at once': failedClass('bad_request', false),
  'the context is full after an answer': completedClass,
  'an answer is cut at the output limit': completedClass,
  'a tool crashes': completedClass,
  'the agent asks a question and stops': completedClass,
  'the agent works until the time limit': timedOutClass,
} as const satisfies Record<string, EventClass>

export type RunEvent = keyof typeof eventClasses
