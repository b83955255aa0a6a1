/** grade: grades the runs of a benchmark again without running them; the suite's present criteria, the judge of choice. */
import { existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import path from 'node:path'
import pLimit from 'p-limit'
import type { Grading } from '../../schemas/grading.ts'
import type { Plan } from '../../schemas/plan.ts'
import type { LoadWarning, SuiteCase } from '../../schemas/suite.ts'
import { UserError } from '../base/error.ts'
import { exists } from '../base/files.ts'
import { canonicalJson } from '../base/json.ts'
import { chooseSandbox, noWish, type SandboxWish } from '../base/sandbox/choose.ts'
import { withBaseUrl } from '../engines/base_url.ts'
import { judgeName } from '../engines/judge_choice.ts'
import { loadSuite } from '../phases/1-plan/load.ts'
import { selectCases } from '../phases/1-plan/select.ts'
import { isOfConduct } from '../phases/3-judge/checks/conduct.ts'
import { type OnDamage, readTranscript } from '../store/damage.ts'
import { strayIn } from '../store/own_run.ts'
import { runPaths } from '../store/paths.ts'
import { readPlan, readRun } from '../store/store.ts'
import { openAdoption } from './adopt_judge.ts'
import { autoEngine } from './auto_engine.ts'
import { suiteOf } from './compare_pairs.ts'
import type { FlowContext } from './context.ts'
import { gradeRepeatedly } from './grade_again.ts'
import { type GradeRequest, gradeStored } from './grade_stored.ts'
import { type JudgingWish, withJudging } from './judging.ts'
import { isJudged } from './kept_grading.ts'
import { openPace } from './pace.ts'
import { preflight } from './preflight.ts'
import { holdNamed } from './report_folder.ts'
import { cacheMode, openJudgeCache } from './run_cache.ts'
import { hiddenWith } from './start_sandbox.ts'
import { type BenchResult, type Kept, summarize } from './summarize.ts'

export interface GradeAgainRequest {
  /** The benchmark folder. */
  benchmark: string
  /** engine[:model]; null: the plan's. */
  judge: string | null
  /** Where the judge's server is; null: as planned, or where the environment says. */
  baseUrl?: string | null
  /** Absent, and null in it: as planned. */
  judging?: JudgingWish
  cases: readonly string[]
  concurrency: number
  /** Grade even what was graded with the same criteria and judge; no judge's earlier answer is taken. */
  anew: boolean
  /** Whether what judges answered is taken from the workspace's cache and kept there. */
  cache: boolean
  /** How often each is graded besides, for the noise of grading. */
  again: number
  passEnv: readonly string[]
  sandbox: SandboxWish | null
}

export async function grade(request: GradeAgainRequest, context: FlowContext): Promise<BenchResult> {
  const folder = path.resolve(request.benchmark)
  const before = await readPlan(folder)
  await using held = await holdNamed(folder, context)
  return await gradeHeld(folder, before, { request, context: held.context })
}

async function gradeHeld(folder: string, before: Plan, { request, context }: Asked): Promise<BenchResult> {
  const plan = await withPresentCriteria(before, request, context)
  const probes = await preflight({ '--judge': plan.options.judge }, request.passEnv, context)
  const adoption = await openAdoption(folder, before, plan)
  const wanted = new Set(selectCases(suiteOf(plan), request.cases).cases.map((one) => one.eval_id))
  const limit = pLimit(request.concurrency)
  using pace = openPace(undefined, context)
  const { passEnv, anew, again } = request
  const mode = cacheMode({ cache: request.cache, fresh: anew })
  const cache = await openJudgeCache({ plan, folder, mode, probes, passEnv }, context)
  const sandbox = await chooseSandbox(request.sandbox ?? noWish, context.env.PATH ?? '')
  const hidden = hiddenWith(plan, folder)
  const changed = changedCases(before, plan)
  const kept: Grading[] = []
  const jobs = plan.runs
    .filter((spec) => wanted.has(spec.eval_id))
    .map((spec) =>
      limit(async () => {
        if (context.drain.aborted) return
        const stray = strayIn(folder, spec.run_id)
        if (stray !== null) return context.emit({ type: 'artefact_damaged', ...stray, mended: 'it is not graded' })
        const { grading } = runPaths(folder, spec.run_id)
        const stored = await readRun(folder, spec.run_id, (damage) => {
          if (damage.file !== grading) return // the reports will say so
          context.emit({ type: 'artefact_damaged', ...damage, mended: 'the run is graded again' })
        })
        if (stored === null) return
        const one = { plan, folder, spec, stored, passEnv, hidden, sandbox, again: anew, cache, pace }
        const isOutdated = stored.grading !== null && changed.has(spec.eval_id)
        const mended = isOutdated ? unlike : 'it is not graded'
        const isWhole = async () => {
          const transcript = path.join(runPaths(folder, spec.run_id).folder, 'transcript.jsonl')
          const isIt = await isGradable(transcript, { plan, spec, stored }, ({ file, message }) =>
            context.emit({ type: 'artefact_damaged', file, message, mended }),
          )
          if (!isIt && isOutdated) await rename(grading, path.join(path.dirname(grading), outdatedName))
          return isIt
        }
        const end = await gradeStored({ ...one, keeps: !changed.has(spec.eval_id), isWhole }, context)
        if (end.end === 'nothing') return
        if (end.end === 'kept') {
          kept.push(end.made)
          return
        }
        if (isJudged(end.grading)) await adoption.adopt()
        // a judge that is asked once more must answer itself
        await gradeRepeatedly({ ...one, cache: null, stored: { ...stored, grading: end.grading } }, again, context)
      }),
    )
  const ends = await Promise.allSettled(jobs)
  context.signal.throwIfAborted()
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed) throw failed.reason
  const made = await summarize(folder, adoption.plan, context)
  return kept.length === 0 ? made : { ...made, kept: keptBecause(kept, plan) }
}

/** The grading of a run by other criteria than those of now, which can't be graded by these. */
const outdatedName = 'grading-outdated.json'
const unlike = `it is not graded; its grading by the criteria of before counts no more, and is in ${outdatedName}`

/** Whether its transcript can be graded: of a part of it less would be met than was. Says why not. */
async function isGradable(
  transcript: string,
  { plan, spec, stored: { record } }: Pick<GradeRequest, 'plan' | 'spec' | 'stored'>,
  onDamage: OnDamage,
): Promise<boolean> {
  if (record.status !== 'completed') return true // nothing of it is read
  const one = plan.cases.find(({ eval_id }) => eval_id === spec.eval_id)
  const isRead = one === undefined || one.expectations.length > 0 || one.checks.some(isOfConduct)
  if (!isRead && !existsSync(transcript)) return true
  return (await readTranscript(transcript, record, onDamage)) !== null
}

/** Why the judge that was asked decided nothing. */
function keptBecause(failed: readonly Grading[], { options: { judge } }: Plan): Kept {
  const reason = failed.flatMap(({ judge_errors: errors }) => errors ?? [])[0]?.reason ?? 'the judge gave no verdict'
  return { runs: failed.length, judge: judge === null ? 'none' : judgeName(judge), reason }
}

/** The cases whose criteria are not those of before. */
function changedCases(before: Plan, now: Plan): ReadonlySet<number> {
  const criteriaOf = ({ expectations, checks, expected_output, reference }: SuiteCase) =>
    canonicalJson({ expectations, checks, expected_output, reference })
  const old = new Map(before.cases.map((one) => [one.eval_id, criteriaOf(one)]))
  return new Set(now.cases.flatMap((one) => (old.get(one.eval_id) === criteriaOf(one) ? [] : one.eval_id)))
}

interface Asked {
  request: GradeAgainRequest
  context: FlowContext
}

/** The plan with the criteria that the suite has now, case by case; what shaped the runs stays as it was. */
async function withPresentCriteria(plan: Plan, request: GradeAgainRequest, context: FlowContext): Promise<Plan> {
  const suite = (await exists(plan.suite.path)) ? await loadSuite(plan.suite.path, plan.skill.path) : null
  const warnings: LoadWarning[] = [...plan.warnings]
  const cases = plan.cases.map((old) => {
    const now = suite?.cases.find((one) => one.eval_id === old.eval_id)
    if (now === undefined) return old
    if (now.prompt !== old.prompt) {
      const message = 'the prompt has changed since the runs; they are graded as they were run'
      warnings.push({ file: plan.suite.path, at: `eval ${old.eval_id}`, message })
    }
    return withCriteria(old, now)
  })
  const { judge: planned, engine } = plan.options
  const choices: string[] = []
  const named = request.judge === null ? planned : await autoEngine(context).judge(request.judge, engine, choices)
  const known = new Set(plan.warnings.map(({ message }) => message))
  for (const message of choices) if (!known.has(message)) warnings.push({ file: '--judge', at: '', message })
  const judge = named && withBaseUrl(named, request.baseUrl ?? null)
  if (judge === null && cases.some((one) => one.expectations.length > 0)) {
    throw new UserError('the suite now has expectations, and the plan has no judge', 'name one with --judge')
  }
  return {
    ...plan,
    cases,
    warnings,
    options: { ...plan.options, judge, ...withJudging(request.judging, plan.options) },
  }
}

function withCriteria(old: SuiteCase, now: SuiteCase): SuiteCase {
  const { expectations, checks, expected_output, reference } = now
  return { ...old, expectations, checks, expected_output, reference }
}
