/** A suite with the facts that a check needs: the place of each case, and every mistake that loading refuses. Every loader starts from an empty case. */
import type { Suite, SuiteCase } from '../../../../schemas/suite.ts'

export interface InspectedSuite {
  suite: Suite
  /** One per case, in the suite's order. `at`: JSON path; null: the file is the case. */
  places: CasePlaceInFile[]
  mistakes: SuiteMistake[]
}

export interface CasePlaceInFile {
  /** Absolute. */
  file: string
  at: string | null
}

export interface SuiteMistake {
  /** JSON path, or file:line:column where the file is the case. */
  at: string
  message: string
}

/** Index of the case that has a mistake; -1: the mistake concerns the whole suite. */
export function indexOfCase(places: InspectedSuite['places'], mistake: SuiteMistake): number {
  return places.findIndex(({ file, at }) => mistake.at.startsWith(at === null ? `${file}:` : `${at}.`))
}

/** Files of a tree, relative to its root, with /, sorted. */
export interface FileTree {
  /** Absolute. */
  root: string
  files: readonly string[]
}

export interface SuiteFormat {
  /** Its places in a skill's folder, for messages. */
  places: readonly string[]
  /** Finds the suite (a file or a folder) of a skill's folder; null: none in this format. */
  find(folder: string): Promise<string | null>
  /** Finds all suites in a skill's folder; absent: it holds at most one. */
  findAll?(folder: string): Promise<string[]>
  /** Finds the suite of a package's folder, whose cases may also be about other parts than skills; absent: the format has none. */
  findForPackage?(folder: string): Promise<string | null>
  /** Finds the suite of a plugin's folder, or of the plugin that a skill's folder is in; absent: the format has none. */
  findForSkills?(folder: string): string | null
  /** Finds tasks that bring their skills, so that no SKILL.md is missing; absent: the format has none. */
  findTasks?(folder: string): Promise<string | null>
  /** Finds a suite that is in the skill where agents would see it; absent: the format has no such place. */
  findVisible?(folder: string): Promise<string | null>
  /** Whether its suites can be anywhere in a skill, also where agents would see them; absent: no. */
  isAnywhere?: boolean
  /** Whether its subject may be an agent or code, so that no SKILL.md is missing; absent: no. */
  needsNoSkill?: boolean
  /** Whether an explicitly named file belongs to this format, judged by its name. */
  reads(file: string): boolean
  /** Whether the content of such a file is a suite, valid or not; absent: the name suffices. */
  isMeant?(file: string): Promise<boolean>
  /** Finds the suites (files or folders) in a tree, relative to its root, in the tree's order. */
  discover(tree: FileTree): Promise<string[]> | string[]
  /** Page of docs/reference that shows the checks of a case; absent: they are those of evals.json. */
  checksPage?: string
  /** Returns the author's own command where the format runs it inside another one; otherwise the command itself. */
  readHookCommand?(command: string): string
  /** Where reports of eval go, for the suite's root; absent: with the results. */
  reportFolder?(root: string): string
  /** A note that eval prints for such a suite; absent: none. */
  note?: string
  /** Absolute folder of the suite's subject; absent: the nearest folder above with SKILL.md. */
  rootOf?(place: string): Promise<string> | string
  /** Both paths absolute. Lists every mistake. Throws UserError if no case can be read. */
  inspect(file: string, skillRoot: string): Promise<InspectedSuite>
}

export const bothArmsNote = "eval runs the skill's arm only; bench runs both and compares"

/** No prompt, no files, no criteria; loaders override its fields. */
export const blankCase = {
  prompt: '',
  expected_output: null,
  files: [],
  expectations: [],
  checks: [],
  reference: null,
  timeout_seconds: null,
  setup: null,
  git: null,
  cannot_run: null,
} satisfies Omit<SuiteCase, 'eval_id' | 'eval_key' | 'eval_name'>

/** All reasons in one text, each once, with "; " only between them: `check` shows one a line. null: the case can run. */
export function joinReasons(reasons: readonly string[]): string | null {
  return reasons.length === 0 ? null : [...new Set(reasons.map((one) => one.replaceAll('; ', ', ')))].join('; ')
}
