/** Writes the notes of a benchmark: at most six, each an action or a claim that has passed a test. */
import { isCalibration } from '../benchmark/arms.ts'
import { mostNotes } from './limit_notes.ts'
import { askedUserNotes } from './rules/asked_user.ts'
import { attemptNotes } from './rules/attempts.ts'
import { reuseNotes } from './rules/cached_runs.ts'
import { caseNotes } from './rules/cases.ts'
import { conversationNotes } from './rules/conversations.ts'
import { costNotes } from './rules/cost.ts'
import { evidenceNotes, overruledNotes } from './rules/evidence.ts'
import { expectationNotes } from './rules/expectations.ts'
import { furtherCallNotes } from './rules/further_calls.ts'
import { gapNotes } from './rules/gaps.ts'
import { judgeNotes } from './rules/judge.ts'
import type { NoteParts } from './rules/note_parts.ts'
import { waitNotes } from './rules/rate_limits.ts'
import { suspiciousNotes } from './rules/suspicious.ts'

/**
 * Most important first: missing runs, doubts about runs and judge, calls that no agent reports, differences by case and expectation,
 * costs, reuse, waits. Nothing is claimed about differences to a baseline of another time, between recorded sessions, or that runs
 * without a grade could decide.
 */
export function writeNotes(parts: NoteParts): string[] {
  const ofNoise = [gapNotes, furtherCallNotes, attemptNotes, waitNotes]
  const ofSkill = [
    gapNotes,
    suspiciousNotes,
    evidenceNotes,
    overruledNotes,
    judgeNotes,
    askedUserNotes,
    conversationNotes,
    furtherCallNotes,
    attemptNotes,
    ...(parts.observational || parts.statistics?.missing_grades || parts.statistics?.older_runs?.is_concurrent === false
      ? []
      : [caseNotes, expectationNotes, costNotes]),
    reuseNotes,
    waitNotes,
  ]
  const rules = isCalibration(parts.arms) ? ofNoise : ofSkill
  return rules.flatMap((rule) => rule(parts)).slice(0, mostNotes)
}
