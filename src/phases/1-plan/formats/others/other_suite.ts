/** What the reader of another tool's suite returns: its cases in the form of evals.json, and what that form has no field for. */
import type { Warn } from '../../suite/loader_warnings.ts'

export interface OtherCase {
  /** As evals.json would have it. */
  object: Record<string, unknown>
  /** JSON path in the file, after the name of the file if it is not the suite's own. */
  at: string
  inputs: OtherInput[]
  /** Files of the working folder: path → content. */
  texts: Record<string, string>
  /** Text added to the agent's system prompt; null: none. */
  system: string | null
  /** Why the case cannot run, besides what its object shows. */
  reasons: string[]
}

/** A file or folder that agents get in another place than its own. */
export interface OtherInput {
  /** Relative to the base of the suite. */
  from: string
  /** Relative to the working folder. */
  to: string
  /** JSON path. */
  at: string
}

export interface OtherSuite {
  /** null: not named. */
  skillName: string | null
  /** Absolute folder of the files that the suite names. */
  base: string
  cases: OtherCase[]
}

/** Where a suite is read. */
export interface OtherPlace {
  /** The suite file, absolute. */
  file: string
  /** The folder of the skill, absolute. */
  root: string
  warn: Warn
}

/** A system whose suites are read here. */
export interface OtherSystem {
  /** For messages. */
  title: string
  /** What a document of it has. All must hold; the first says what it is about. */
  signs: readonly Sign[]
  /** Never throws for what a case has; a case that cannot be read is among the cases, with its reason. */
  read(document: unknown, place: OtherPlace): Promise<OtherSuite>
}

export interface Sign {
  /** For messages, such as: a list "tasks" with an "instruction" in each. */
  words: string
  holds(document: unknown): boolean
}

export function blankOtherCase(at: string): OtherCase {
  return { object: {}, at, inputs: [], texts: {}, system: null, reasons: [] }
}
