/** What a check reads, its verdict, and its evidence: short and printable, with the deciding line. */
import type { ProgramCall } from '../../../../../schemas/program.ts'
import type { RunRecord } from '../../../../../schemas/run.ts'
import type { InputFile, SuiteCase } from '../../../../../schemas/suite.ts'
import type { TranscriptEvent } from '../../../../../schemas/transcript.ts'
import type { VerifierTest } from '../../../../../schemas/verifier_test.ts'
import type { BoundedResult } from '../../../../base/process/time_limited_worker.ts'
import type { Sandbox } from '../../../../base/sandbox/policy.ts'
import type { DocumentReads } from '../../documents/document_reads.ts'
import type { FileText } from '../../documents/read_file_text.ts'

/** One finished run, as checks see it. */
export interface CheckContext {
  finalResponse: string
  /** What evidence calls it; absent: final answer. */
  answerLabel?: string
  /** The text of transcript.md, read on demand because most checks do not need it. */
  transcript: () => Promise<string>
  events: () => Promise<readonly TranscriptEvent[]>
  /** Calls of the programs in evals/bin; null: none were recorded. */
  programCalls: () => Promise<readonly ProgramCall[] | null>
  /** Whether the engine shows what the agent does. */
  showsTools: boolean
  /** Absolute path of the run's outputs/. */
  outputsFolder: string
  /** Files the agent created or changed, relative to outputsFolder with /, without Whetstone's own metrics.json. */
  outputs: readonly string[]
  documents: DocumentReads
  leftOut: readonly { path: string; reason: string }[]
  /** Usage and outputs from the run's record. */
  record: Pick<
    RunRecord,
    'status' | 'steps' | 'usage' | 'cost' | 'duration_ms' | 'skill' | 'outputs' | 'conversation' | 'observed'
  > &
    Partial<Pick<RunRecord, 'activation'>>
  /** The skill under test, and whether this configuration has it; null: not known. */
  skill: { name: string; installed: boolean } | null
  /** The starting state of the working folder. */
  start: Pick<SuiteCase, 'files' | 'git' | 'setup' | 'harbor'>
  /** Files of the suite that checks need, which no agent has seen; absent: none. */
  gradingFiles?: readonly InputFile[]
  /** What the agent was asked; absent: not known. */
  asked?: Pick<SuiteCase, 'eval_id' | 'eval_name' | 'prompt' | 'expected_output' | 'reference'>
  /** Rebuilds the working folder as the agent left it in `target`, an empty folder. May reject. */
  restore: (target: string, state: 'end' | 'start') => Promise<void>
  /** The complete environment of a command check. */
  env: Readonly<Record<string, string>>
  /** Sandbox of a command check with these writable folders; absent or null: none. */
  sandboxFor?: (writable: readonly string[]) => Sandbox | null
  signal: AbortSignal
}

/** `score`: 0 to 1; absent: 1 if passed, otherwise 0. */
export interface CheckDecision {
  passed: boolean
  evidence: string
  score?: number
  tests?: VerifierTest[]
  /** It fails because what the agent left can't be read, is too large or takes too long. */
  unreadable?: true
}

/**
 * A decision with its evidence, or why there is none, which counts as a judge error: only for what the grader lacks. What the agent left
 * is evidence, whatever state it is in.
 */
export type CheckVerdict = CheckDecision | { error: string }

/** Skipped paths that are not the agent's files; a limit of Whetstone skipped all others, so their content is unknown. */
const notFiles = /^(a link|neither a file)/

/** Whether a skipped file may contain what a check looks for. */
export function isContentUnknown(leftOut: { reason: string }): boolean {
  return !notFiles.test(leftOut.reason)
}

const longest = 300

/** The verdict on what the agent left and no check can look at: a fail, also where something has to be absent. */
export function failUnreadable(why: string): CheckDecision {
  return { passed: false, evidence: `unreadable: ${why}`, unreadable: true }
}

/** The verdict on a file without text. Only a missing reader is the grader's fault. */
export function decideUnreadable(name: string, read: Exclude<FileText, { status: 'text' }>): CheckVerdict {
  if (read.status === 'no_reader') return { error: `${name} could not be read: ${read.reason}` }
  return failUnreadable(`${name}: ${read.status === 'binary' ? 'it is not a text file' : capText(read.reason)}`)
}

/** The verdict on calls that the engine may hide. */
export const unseenTools = { error: 'the engine does not report which tools the agent used' }

/** The start of the text, printable, at most `limit` characters. */
export function capText(text: string, limit = longest): string {
  return text.length > limit ? `${printable(text.slice(0, limit))}…` : printable(text)
}

/** The end of the text, printable, at most `longest` characters. */
export function capTextEnd(text: string): string {
  return text.length > longest ? `…${printable(text.slice(-longest))}` : printable(text)
}

/** `label:line: the line` for the place at `index`; a long line is cut around it. */
export function quoteLine(label: string, text: string, index: number): string {
  const start = index === 0 ? 0 : text.lastIndexOf('\n', index - 1) + 1
  const end = text.indexOf('\n', index)
  const line = text.slice(start, end < 0 ? text.length : end)
  const number = text.slice(0, start).split('\n').length
  const from = line.length <= longest ? 0 : Math.max(0, index - start - 100)
  const part = `${from > 0 ? '…' : ''}${line.slice(from)}`
  return `${label}:${number}: ${capText(part.trimEnd())}`
}

/** A readable list of at most ten names, then how many more. */
export function formatNames(names: readonly string[]): string {
  if (names.length === 0) return 'nothing'
  const shown = names.slice(0, 10).map((name) => capText(name, 100))
  return names.length > 10 ? `${shown.join(', ')} and ${names.length - 10} more` : shown.join(', ')
}

/** Replaces control characters, lone surrogates and marks that reorder text by a visible mark. */
function printable(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(/[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/gu, (found) => (/[\n\t]/.test(found) ? found : '\uFFFD'))
}

export class SearchLimitError extends Error {}

/** `what`: such as `the pattern /a+/`. `error`: it is invalid, which says nothing about the agent. Throws SearchLimitError for a limit. */
export function describeUnfinished(
  what: string,
  { error, by }: Extract<BoundedResult<unknown>, { error: string }>,
): { error: string } {
  if (by === 'limit') throw new SearchLimitError(`${what} could not be searched: ${error}`)
  return { error: `${what} could not be evaluated: ${capText(error)}` }
}
