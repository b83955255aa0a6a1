/** What a check reads, and its verdict. */
import type { ProgramCall } from '../../../../../schemas/program.ts'
import type { RunRecord } from '../../../../../schemas/run.ts'
import type { InputFile, SuiteCase } from '../../../../../schemas/suite.ts'
import type { TranscriptEvent } from '../../../../../schemas/transcript.ts'
import type { VerifierTest } from '../../../../../schemas/verifier_test.ts'
import type { Sandbox } from '../../../../base/sandbox/policy.ts'
import type { DocumentReads } from '../../documents/document_reads.ts'

/** One finished run, as checks see it. */
export interface CheckContext {
  finalResponse: string
  /** What evidence calls it; absent: final answer. */
  answerLabel?: string
  /** The text of transcript.md, read on demand because most checks do not need it. */
  transcript: () => Promise<string>
  /** The events of transcript.jsonl. */
  events: () => Promise<readonly TranscriptEvent[]>
  /** Calls of the programs in evals/bin; null: none were recorded. */
  programCalls: () => Promise<readonly ProgramCall[] | null>
  /** Whether the engine shows what the agent does. */
  showsTools: boolean
  /** Absolute path of the run's outputs/. */
  outputsFolder: string
  /** Files the agent created or changed, relative to outputsFolder with /, without Whetstone's own metrics.json. */
  outputs: readonly string[]
  /** Documents that checks of this run have read. */
  documents: DocumentReads
  /** Paths that were not collected, with the reason. */
  leftOut: readonly { path: string; reason: string }[]
  /** Usage and outputs from the run's record. */
  record: Pick<
    RunRecord,
    'status' | 'steps' | 'usage' | 'cost' | 'duration_ms' | 'skill' | 'outputs' | 'conversation' | 'observed'
  >
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
