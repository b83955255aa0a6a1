/** Pairs the runs of a comparison: which run of one side meets which of the other, and where the verdict is written. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { EngineChoice, Plan } from '../../../schemas/plan.ts'
import type { InputFile, SuiteCase } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import { sha256 } from '../../base/json/json.ts'
import { suggestChoice } from '../../base/text/did_you_mean.ts'
import { listBenchmarkHiddenPaths, listHiddenPaths } from '../../flows/sandbox/start_sandbox.ts'
import { rebuildSuite, selectCases } from '../../phases/1-plan/suite/select_cases.ts'
import { listRunOutputs } from '../../phases/3-judge/judge/judge_folder.ts'
import { readRemoved } from '../../store/artefacts/removed_parts.ts'
import { runPaths } from '../../store/paths.ts'
import { readRun } from '../../store/store.ts'
import type { Delivery, HiddenNames } from './judge/blind.ts'
import { caseFolder } from './summarize.ts'

/** One side of a pair. `configuration` and `run` go into the file; the judge sees only the output. */
export interface PairSide {
  configuration: string
  run: string
  delivery: Delivery
}

export interface ComparePair {
  eval_id: number
  eval_name: string
  /** The N of comparison-N.json. */
  number: number
  /** Where the verdict is written, absolute. */
  folder: string
  task: { prompt: string; expectedOutput: string | null; expectations: string[]; inputs: readonly InputFile[] }
  A: PairSide
  B: PairSide
}

/** A pair that can't be compared, and why. */
export interface SkippedPair {
  eval_id: number
  eval_name: string
  number: number
  reason: string
}

export interface Pairing {
  /** The folder to lock while the verdicts are written. */
  output: string
  /** The sides' display names. */
  a: string
  b: string
  pairs: ComparePair[]
  skipped: SkippedPair[]
  names: Omit<HiddenNames, 'task'>
  /** Paths on this machine that the judge must not see. */
  hidden: string[]
  judge: EngineChoice | null
  /** The engine of the runs; auto if not known. */
  engine: EngineChoice
  /** The benchmark whose reports include the comparison; null: two folders with a separate summary. */
  plan: Plan | null
}

export interface PairsRequest {
  /** Configurations; null: the candidate, and the baseline (for a second benchmark, its candidate). */
  a: string | null
  b: string | null
  /** Most pairs per case; null: all. */
  pairs: number | null
  cases: readonly string[]
  seed: number
}

/** Two configurations of one benchmark: run k meets run k. */
export async function pairBenchmarkArms(folder: string, plan: Plan, request: PairsRequest): Promise<Pairing> {
  const [a, b] = [request.a ?? plan.candidate_configuration, request.b ?? plan.baseline_configuration]
  for (const [flag, name] of Object.entries({ a, b })) checkArm(plan, name, flag)
  if (a === b) throw new UserError(`--a and --b are both "${a}"`, 'choose two different configurations')
  const made = await pairRuns(
    [
      { folder, plan, arm: a },
      { folder, plan, arm: b },
    ],
    request,
    (one) => caseFolder(folder, plan, one.eval_id),
  )
  return {
    ...made,
    output: folder,
    a,
    b,
    names: collectBlindedNames([plan], [folder]),
    hidden: listBenchmarkHiddenPaths(plan, folder),
    judge: plan.options.judge,
    engine: plan.options.engine,
    plan,
  }
}

export interface BenchmarkArm {
  folder: string
  plan: Plan
  arm: string
}

export function checkArm(plan: Plan, arm: string, flag: string): void {
  const arms = [...new Set(plan.runs.map((run) => run.configuration))]
  if (!arms.some((one) => one === arm)) {
    throw new UserError(`--${flag}: unknown configuration "${arm}"`, suggestChoice(arm, arms))
  }
}

/** Names from these benchmarks that would unblind the judge. */
export function collectBlindedNames(plans: readonly Plan[], folders: readonly string[]): Pairing['names'] {
  return {
    configurations: [...new Set(plans.flatMap((plan) => plan.runs.map((run) => run.configuration)))],
    skills: [...new Set(plans.map((plan) => plan.skill.name))],
    paths: [
      ...new Set([
        ...plans.flatMap((plan) => listHiddenPaths(plan, path.dirname(plan.skill.path))),
        ...folders.map((folder) => path.dirname(path.dirname(folder))),
        ...folders,
      ]),
    ],
  }
}

/** Pairs runs of the same case from both sides, by run number. */
export async function pairRuns(
  [A, B]: readonly [BenchmarkArm, BenchmarkArm],
  request: PairsRequest,
  folderOf: (one: SuiteCase) => string,
): Promise<Pick<Pairing, 'pairs' | 'skipped'>> {
  const pairs: ComparePair[] = []
  const skipped: SkippedPair[] = []
  const { cases } = selectCases(rebuildSuite(A.plan), request.cases)
  for (const one of cases.filter(({ quarantine }) => quarantine === undefined)) {
    const other = sameCase(one, B.plan)
    const numbers = [
      ...new Set([...listRunNumbers(A, one.eval_id), ...(other ? listRunNumbers(B, other.eval_id) : [])]),
    ]
    const chosen: ComparePair[] = []
    for (const number of numbers.sort((x, y) =>
      randomRank(request.seed, one, x).localeCompare(randomRank(request.seed, one, y)),
    )) {
      if (chosen.length === (request.pairs ?? Number.POSITIVE_INFINITY)) break
      const base = { eval_id: one.eval_id, eval_name: one.eval_name, number }
      const left = await readRunSide(A, one.eval_id, number)
      const right =
        other === null
          ? 'the other benchmark has no case with this prompt'
          : await readRunSide(B, other.eval_id, number)
      if (typeof left === 'string' || typeof right === 'string') {
        skipped.push({ ...base, reason: [left, right].filter((side) => typeof side === 'string').join('; ') })
      } else chosen.push({ ...base, folder: folderOf(one), task: buildComparisonTask(one), A: left, B: right })
    }
    pairs.push(...chosen.sort((x, y) => x.number - y.number))
  }
  return { pairs, skipped }
}

function sameCase(one: SuiteCase, plan: Plan): SuiteCase | null {
  const alike = plan.cases.filter((each) => each.prompt === one.prompt)
  return alike.find((each) => each.eval_id === one.eval_id) ?? alike[0] ?? null
}

function listRunNumbers({ plan, arm }: BenchmarkArm, evalId: number): number[] {
  return plan.runs.flatMap((run) => (run.eval_id === evalId && run.configuration === arm ? [run.run_number] : []))
}

/** A run's output, or why it can't be compared. */
async function readRunSide(
  { folder, plan, arm }: BenchmarkArm,
  evalId: number,
  number: number,
): Promise<PairSide | string> {
  const spec = plan.runs.find((run) => run.eval_id === evalId && run.configuration === arm && run.run_number === number)
  if (spec === undefined) return `${arm} has no run ${number}`
  const stored = await readRun(folder, spec.run_id)
  if (stored === null) return `${arm}: the run is missing`
  if (stored.record.status !== 'completed') return `${arm}: the run ${stored.record.status.replaceAll('_', ' ')}`
  if (readRemoved(runPaths(folder, spec.run_id).folder) !== null) return `${arm}: the outputs were removed`
  const outputs = await listRunOutputs(runPaths(folder, spec.run_id).folder)
  return { configuration: arm, run: spec.run_id, delivery: { response: stored.record.final_response, outputs } }
}

/** The task of both sides, as the judge sees it. */
export function buildComparisonTask(one: SuiteCase): ComparePair['task'] {
  // a rubric's statement contains its weights, which no judge sees
  const asked = one.expectations.filter(({ indicator, rubric }) => indicator !== true && rubric === undefined)
  const expectations = asked.map(({ text }) => text)
  return { prompt: one.prompt, expectedOutput: one.expected_output, expectations, inputs: one.files }
}

/** The text of the first of these files that exists. */
export async function readFirstText(files: readonly string[]): Promise<string | null> {
  for (const file of files) if (await pathExists(file)) return await readFile(file, 'utf8')
  return null
}

/** A rank among the pairs of a case: the same for a case and number, whatever else is compared. */
function randomRank(seed: number, one: { eval_id: number }, number: number): string {
  return sha256(`${seed}/${one.eval_id}/${number}`)
}

/** The side that is shown first in the first judgement of a pair. */
export function chooseFirstSide(seed: number, pair: { eval_id: number; number: number }): 'A' | 'B' {
  return Number.parseInt(randomRank(seed, pair, pair.number).slice(0, 8), 16) % 2 === 0 ? 'A' : 'B'
}
