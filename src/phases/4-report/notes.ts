/** notes: what the numbers of a benchmark suggest, by rules; each note names its numbers. */
import type { Benchmark, CaseRow, ExcludedRun, RunCounts } from '../../../schemas/benchmark.ts'
import type { JudgeError } from '../../../schemas/grading.ts'
import { type Arms, isCalibration } from './arms.ts'
import { attemptNotes } from './notes/attempts.ts'
import { caseNotes, flakyNotes } from './notes/cases.ts'
import { evidenceNotes } from './notes/evidence.ts'
import { expectationNotes } from './notes/expectations.ts'
import { gainNotes } from './notes/gain.ts'
import { gapNotes } from './notes/gaps.ts'
import { indicatorNotes } from './notes/indicators.ts'
import { judgeNotes } from './notes/judge.ts'
import { paceNotes } from './notes/pace.ts'
import { reuseNotes } from './notes/reuse.ts'

/** The parts of a benchmark that notes are made from, and what it does not carry itself. */
export interface NoteParts
  extends Pick<
    Benchmark,
    'metadata' | 'runs' | 'run_summary' | 'reused' | 'held_back' | 'statistics' | 'other_attempts' | 'engine_versions'
  > {
  counts: RunCounts
  cases: readonly CaseRow[]
  excluded_runs: readonly ExcludedRun[]
  arms: Arms
  cannotRun: readonly { eval_id: number; eval_name: string; reason: string }[]
  /** The expectations that no judge could decide, of each run that has some. */
  undecided: readonly (readonly JudgeError[])[]
}

/** Notes of one rule; `more` says what those beyond the cap have in common: "and 3 more <more>". */
export interface NoteGroup {
  notes: readonly string[]
  more: string
}

/** Notes of one rule that are written out. */
const cap = 5

/** In the order in which they matter: what is missing, what was reused, what held it back, what the skill gains and costs, cases, expectations. */
export function notes(parts: NoteParts): string[] {
  const ofNoise = [gapNotes, paceNotes, flakyNotes]
  const ofRuns = [gapNotes, judgeNotes, evidenceNotes, reuseNotes, paceNotes, attemptNotes]
  const ofSkill = [...ofRuns, gainNotes, indicatorNotes, caseNotes, expectationNotes]
  const rules = isCalibration(parts.arms) ? ofNoise : ofSkill
  const groups = rules.flatMap((rule) => rule(parts))
  return groups.flatMap((group) => capped(group))
}

function capped({ notes: all, more }: NoteGroup): string[] {
  if (all.length <= cap + 1) return [...all]
  return [...all.slice(0, cap), `… and ${all.length - cap} more ${more}`]
}
