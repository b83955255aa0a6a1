/** What a check looks at, and what it says. */
import type { RunRecord } from '../../../../schemas/run.ts'
import type { SuiteCase } from '../../../../schemas/suite.ts'
import type { TranscriptEvent } from '../../../../schemas/transcript.ts'
import type { Sandbox } from '../../../base/sandbox/policy.ts'

/** One finished run, as checks see it. */
export interface CheckScene {
  finalResponse: string
  /** The text of transcript.md: most checks look elsewhere. */
  transcript: () => Promise<string>
  /** The events of transcript.jsonl. */
  events: () => Promise<readonly TranscriptEvent[]>
  /** Whether the engine shows what the agent does. */
  showsTools: boolean
  /** Absolute path of the run's outputs/. */
  outputsFolder: string
  /** Files the agent made or changed, relative to outputsFolder with /; our own metrics.json is not among them. */
  outputs: readonly string[]
  /** What the agent left and was not collected, and why. */
  leftOut: readonly { path: string; reason: string }[]
  /** What the run took and left, as its record says. */
  record: Pick<RunRecord, 'steps' | 'usage' | 'cost' | 'duration_ms' | 'skill' | 'outputs'>
  /** The skill under test, and whether this arm has it; null: not known. */
  skill: { name: string; installed: boolean } | null
  /** What lay in the working folder before the agent began. */
  start: Pick<SuiteCase, 'files' | 'git' | 'setup'>
  /** Rebuilds the working folder as the agent left it in `target`, an empty folder. May reject. */
  restore: (target: string) => Promise<void>
  /** The whole environment of a command check. */
  env: Readonly<Record<string, string>>
  /** What a command check is confined to when these folders are its own; absent or null: nothing. */
  sandboxFor?: (writable: readonly string[]) => Sandbox | null
  signal: AbortSignal
}

/** A decision with its evidence, or why there can be none (then it counts as a judge error, never as a fail). */
export type CheckVerdict = { passed: boolean; evidence: string } | { error: string }

/** Left-outs that are no file of the agent's; every other was left out by a limit of ours, so its content is unknown. */
const notFiles = /^(a link|neither a file)/

/** Whether a left-out file may hold what a check looks for. */
export function isUnknown(leftOut: { reason: string }): boolean {
  return !notFiles.test(leftOut.reason)
}
