/** Builds trigger_matrix.json from all runs of the queries of many skills. Pure. */
import type { Stop } from '../../../../schemas/limits.ts'
import type { DescriptionOverlap } from '../../../../schemas/overlap.ts'
import type { Plan } from '../../../../schemas/plan.ts'
import type { TranscriptEvent } from '../../../../schemas/transcript.ts'
import type {
  MatrixQuery,
  MatrixRun,
  MatrixSkill,
  SkillTheft,
  TriggerMatrix,
} from '../../../../schemas/trigger_matrix.ts'
import type { TriggerShare } from '../../../../schemas/triggers.ts'
import { listingWarnings } from '../../../phases/4-report/notes/rules/gaps.ts'
import { describeEngine, errorsWarning, sumTriggerCost } from '../report/report.ts'
import { findTriggerRunError, sumRunTokens, type TriggerRunSource } from '../report/results.ts'
import {
  countQuery,
  countReads,
  findOpenQueries,
  findThefts,
  meanShare,
  type PlannedQuery,
  selectOwnQueries,
  sumReads,
  sumRuns,
  theftRule,
} from './theft_rule.ts'

export interface MatrixInput {
  plan: Plan
  /** Every installed skill, by name. */
  skills: readonly MatrixSkillFacts[]
  queries: readonly PlannedQuery[]
  overlaps: readonly DescriptionOverlap[]
  /** Of the runs that were due, by query_id, in order of run number. */
  runs: ReadonlyMap<number, readonly TriggerRunSource[]>
  name: string
  skillsFolder: string
  stop: Stop | null
  createdAt: string
}

export function buildMatrix(input: MatrixInput): TriggerMatrix {
  const { plan, skills, overlaps, stop } = input
  const { options } = plan
  const installed = skills.map(({ name }) => name)
  const made = input.queries.map((query) => {
    const runs = (input.runs.get(query.query_id) ?? []).map((one) => toMatrixRun(one, query))
    return { query: countQuery(query, runs), runs }
  })
  const queries = made.map(({ query }) => query)
  const runs = made.flatMap((one) => one.runs)
  const { pairs, tested } = findThefts(queries, { skills: installed, installed })
  const isAll = options.until === undefined
  const open = findOpenQueries(queries, installed)
  const unfinished = queries.filter(
    ({ query_id, runs: decided, errors, missing }) =>
      errors + missing > 0 || ((isAll || open.has(query_id)) && decided < options.runs),
  )
  const records = [...input.runs.values()].flat().flatMap(({ record }) => record ?? [])
  const context = { queries, pairs, open, most: options.runs }
  const matrixSkills = skills.map((one) => toMatrixSkill(one, context))
  return {
    schema_version: 1,
    created_at: input.createdAt,
    name: input.name,
    skills_folder: input.skillsFolder,
    ...describeEngine(plan, records),
    options: {
      runs: options.runs,
      until: isAll ? 'all' : 'decided',
      ...theftRule,
      timeout_seconds: options.timeout_seconds,
      max_turns: options.max_turns,
      stop_early: plan.runs.some(({ stop_at }) => stop_at !== undefined),
    },
    skills: matrixSkills,
    queries,
    pairs,
    pairs_tested: tested,
    overlaps: [...overlaps],
    runs,
    summary: summarize({ runs, queries: queries.length, most: options.runs, skills: matrixSkills, pairs }),
    cost: sumTriggerCost(runs),
    set_warnings: plan.warnings,
    complete: unfinished.length === 0,
    stop,
    warnings: [
      ...listingWarnings(records.flatMap(({ skill }) => skill.listing ?? [])),
      ...listMatrixWarnings(runs, queries),
    ],
  }
}

interface Counted extends Pick<TriggerMatrix, 'runs' | 'skills' | 'pairs'> {
  queries: number
  most: number
}

function summarize({ runs, queries, most, skills, pairs }: Counted): TriggerMatrix['summary'] {
  const count = (outcome: MatrixRun['outcome']) => runs.filter((run) => run.outcome === outcome).length
  const recalls = skills.flatMap(({ recall }) => (recall === null ? [] : [recall.value]))
  const grid = queries * most
  return {
    skills: skills.length,
    queries,
    thefts: pairs.filter(({ named }) => named).length,
    lowest_recall: recalls.length === 0 ? null : Math.min(...recalls),
    runs_grid: grid,
    runs_planned: runs.length,
    runs_decided: count('answered'),
    runs_failed: count('error'),
    runs_missing: count('missing'),
    grid_share: grid === 0 ? 0 : Math.min(1, runs.length / grid),
  }
}

function listMatrixWarnings(runs: readonly MatrixRun[], queries: TriggerMatrix['queries']): string[] {
  const drafts = queries.filter(({ draft }) => draft === true).length
  return [
    ...(drafts === 0
      ? []
      : [`${drafts} of ${queries.length} queries were drafted by a model and have not been reviewed: read them first`]),
    ...errorsWarning(runs),
  ]
}

/** `owners`: the skills that should be read. */
export function toMatrixRun(
  { run_id, run_number, record, events }: TriggerRunSource,
  { query_id, owners }: { query_id: number; owners: readonly string[] },
): MatrixRun {
  const place = { query_id, run_number, run_id }
  const nothing = { read: null, error: null, tokens: null, duration_ms: null, cost: null }
  if (record === null) return { ...place, ...nothing, outcome: 'missing' }
  const read = findFirstRead(events, owners)
  const error = findTriggerRunError(record, read !== null)
  return {
    ...place,
    outcome: error === null ? 'answered' : 'error',
    read: error === null ? read : null,
    error,
    tokens: sumRunTokens(record),
    duration_ms: record.duration_ms,
    cost: record.cost,
  }
}

/** Of several skills that one response reads, an owner counts. */
function findFirstRead(events: readonly TranscriptEvent[], owners: readonly string[]): string | null {
  const reads = events.flatMap((event) => (event.type === 'skill_read' ? [event] : []))
  const atOnce = reads.filter(({ step }) => step === reads[0]?.step)
  return (atOnce.find(({ skill }) => owners.includes(skill)) ?? atOnce[0])?.skill ?? null
}

export interface MatrixSkillFacts {
  name: string
  description: string
  sha256: string
  /** null: it has no queries. */
  set: string | null
}

interface MatrixSkillContext {
  queries: readonly MatrixQuery[]
  pairs: readonly SkillTheft[]
  /** Ids of queries that are not decided. */
  open: ReadonlySet<number>
  /** Most runs of a query. */
  most: number
}

function toMatrixSkill(facts: MatrixSkillFacts, { queries, pairs, open, most }: MatrixSkillContext): MatrixSkill {
  const { name } = facts
  const own = queries.filter(({ owners }) => owners.includes(name))
  const negative = queries.filter(({ owners, not_of }) => !owners.includes(name) && not_of.includes(name))
  const asked = selectOwnQueries(queries, name)
  const rounds = Math.max(0, ...own.map(({ runs, errors, missing }) => runs + errors + missing))
  const named = pairs.filter((pair) => pair.named)
  return {
    ...facts,
    queries: own.length,
    runs: sumRuns(own),
    rounds,
    ended: toEnd({ count: own.length, isOpen: asked.some(({ query_id }) => open.has(query_id)), rounds, most }),
    recall: meanRate(own, name),
    precision: computePrecision(queries, name),
    false_trigger_rate: meanRate(negative, name),
    reads: sumReads(own),
    takes_from: named.filter(({ taken_by }) => taken_by === name).map(({ skill }) => skill),
    loses_to: named.filter(({ skill }) => skill === name).map(({ taken_by }) => taken_by),
  }
}

interface EndFacts {
  count: number
  isOpen: boolean
  rounds: number
  most: number
}

function toEnd({ count, isOpen, rounds, most }: EndFacts): MatrixSkill['ended'] {
  if (count === 0) return 'no_queries'
  if (!isOpen) return 'decided'
  return rounds >= most ? 'limit' : 'open'
}

/** null: no query has an answer. */
function meanRate(queries: readonly MatrixQuery[], name: string): TriggerShare | null {
  const decided = queries.filter(({ runs }) => runs > 0)
  return decided.length === 0 ? null : meanShare(decided.map((one) => countReads([one], name) / one.runs))
}

/** Each query weighs by its rate, not by its number of runs, which differs. */
function computePrecision(queries: readonly MatrixQuery[], name: string): TriggerShare | null {
  const read = queries.filter((one) => countReads([one], name) > 0)
  if (read.length === 0) return null
  const rates = read.map((one) => countReads([one], name) / one.runs)
  const isRight = read.map(({ owners }) => (owners.includes(name) ? 1 : 0))
  return meanShare(isRight, rates)
}
