/** The pairs of a comparison: which run of one side meets which of the other, and where the verdict is written. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { EngineChoice, Plan } from '../../schemas/plan.ts'
import type { InputFile, Suite, SuiteCase } from '../../schemas/suite.ts'
import { UserError } from '../base/error.ts'
import { exists } from '../base/files.ts'
import { sha256 } from '../base/json.ts'
import { selectCases } from '../phases/1-plan/select.ts'
import type { Names } from '../phases/3-judge/compare/blind.ts'
import type { Delivery } from '../phases/3-judge/compare/sides.ts'
import { runOutputs } from '../phases/3-judge/judge_room.ts'
import { runPaths } from '../store/paths.ts'
import { readRun } from '../store/store.ts'
import { caseFolder } from './case_folder.ts'
import { hiddenFrom, hiddenWith } from './start_sandbox.ts'

/** One side of a pair. `configuration` and `run` are for the file; the judge sees the delivery alone. */
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
  /** Where it is written, absolute. */
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
  /** The folder that is held while the verdicts are written. */
  output: string
  /** The sides as a person knows them. */
  a: string
  b: string
  pairs: ComparePair[]
  skipped: SkippedPair[]
  names: Omit<Names, 'task'>
  /** What the judge must not see on this machine. */
  hidden: string[]
  judge: EngineChoice | null
  /** Of the runs; auto where nobody knows. */
  engine: EngineChoice
  /** The benchmark whose reports the comparison belongs to; null: two folders, with a summary of their own. */
  plan: Plan | null
}

export interface PairsRequest {
  a: string | null
  b: string | null
  /** At most so many a case; null: all. */
  pairs: number | null
  cases: readonly string[]
  seed: number
}

/** Two arms of one benchmark: run k meets run k. */
export async function pairsOfBenchmark(folder: string, plan: Plan, request: PairsRequest): Promise<Pairing> {
  const [a, b] = [request.a ?? plan.candidate_configuration, request.b ?? plan.baseline_configuration]
  for (const [flag, name] of Object.entries({ a, b })) checkArm(plan, name, flag)
  if (a === b) throw new UserError(`--a and --b are both ${a}`, 'name two arms')
  const made = await pairsOf(
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
    names: namesIn([plan], [folder]),
    hidden: hiddenWith(plan, folder),
    judge: plan.options.judge,
    engine: plan.options.engine,
    plan,
  }
}

/** A side of two benchmarks, or of one. */
export interface Bench {
  folder: string
  plan: Plan
  arm: string
}

export function checkArm(plan: Plan, arm: string, flag: string): void {
  const arms = [...new Set(plan.runs.map((run) => run.configuration))]
  if (!arms.some((one) => one === arm)) {
    throw new UserError(`--${flag}: the benchmark has no arm ${arm}`, `it has ${arms.join(' and ')}`)
  }
}

/** What may not be told of these benchmarks. */
export function namesIn(plans: readonly Plan[], folders: readonly string[]): Pairing['names'] {
  return {
    configurations: [...new Set(plans.flatMap((plan) => plan.runs.map((run) => run.configuration)))],
    skills: [...new Set(plans.map((plan) => plan.skill.name))],
    paths: [
      ...new Set([
        ...plans.flatMap((plan) => hiddenFrom(plan, path.dirname(plan.skill.path))),
        ...folders.map((folder) => path.dirname(path.dirname(folder))),
        ...folders,
      ]),
    ],
  }
}

/** The runs of each case of the first side with those of the same case of the second, by run number. */
export async function pairsOf(
  [A, B]: readonly [Bench, Bench],
  request: PairsRequest,
  folderOf: (one: SuiteCase) => string,
): Promise<Pick<Pairing, 'pairs' | 'skipped'>> {
  const pairs: ComparePair[] = []
  const skipped: SkippedPair[] = []
  for (const one of selectCases(suiteOf(A.plan), request.cases).cases) {
    const other = sameCase(one, B.plan)
    const numbers = [...new Set([...numbersOf(A, one.eval_id), ...(other ? numbersOf(B, other.eval_id) : [])])]
    const chosen: ComparePair[] = []
    for (const number of numbers.sort((x, y) => rank(request.seed, one, x).localeCompare(rank(request.seed, one, y)))) {
      if (chosen.length === (request.pairs ?? Number.POSITIVE_INFINITY)) break
      const base = { eval_id: one.eval_id, eval_name: one.eval_name, number }
      const left = await sideOf(A, one.eval_id, number)
      const right =
        other === null ? 'the other benchmark has no case with this prompt' : await sideOf(B, other.eval_id, number)
      if (typeof left === 'string' || typeof right === 'string') {
        skipped.push({ ...base, reason: [left, right].filter((side) => typeof side === 'string').join('; ') })
      } else chosen.push({ ...base, folder: folderOf(one), task: taskOf(one), A: left, B: right })
    }
    pairs.push(...chosen.sort((x, y) => x.number - y.number))
  }
  return { pairs, skipped }
}

export function suiteOf(plan: Plan): Suite {
  const { format, path: file } = plan.suite
  return { format, path: file, skill_name: plan.skill.name, cases: plan.cases, warnings: plan.warnings }
}

/** Drawn by the seed, and the same for a case and a number whatever else is compared. */
function rank(seed: number, one: { eval_id: number }, number: number): string {
  return sha256(`${seed}/${one.eval_id}/${number}`)
}

/** Which side is shown first in the first judgement. */
export function firstShown(seed: number, pair: Pick<ComparePair, 'eval_id' | 'number'>): 'A' | 'B' {
  return Number.parseInt(rank(seed, pair, pair.number).slice(0, 8), 16) % 2 === 0 ? 'A' : 'B'
}

function sameCase(one: SuiteCase, plan: Plan): SuiteCase | null {
  const alike = plan.cases.filter((each) => each.prompt === one.prompt)
  return alike.find((each) => each.eval_id === one.eval_id) ?? alike[0] ?? null
}

function numbersOf({ plan, arm }: Bench, evalId: number): number[] {
  return plan.runs.flatMap((run) => (run.eval_id === evalId && run.configuration === arm ? [run.run_number] : []))
}

/** What a run delivered, or why it is compared with nothing. */
async function sideOf({ folder, plan, arm }: Bench, evalId: number, number: number): Promise<PairSide | string> {
  const spec = plan.runs.find((run) => run.eval_id === evalId && run.configuration === arm && run.run_number === number)
  if (spec === undefined) return `${arm} has no run ${number}`
  const stored = await readRun(folder, spec.run_id)
  if (stored === null) return `${arm}: the run is missing`
  if (stored.record.status !== 'completed') return `${arm}: the run ${stored.record.status.replaceAll('_', ' ')}`
  const outputs = await runOutputs(runPaths(folder, spec.run_id).folder)
  return { configuration: arm, run: spec.run_id, delivery: { response: stored.record.final_response, outputs } }
}

/** What both sides of a case were to do, as the judge is told. */
export function taskOf(one: SuiteCase): ComparePair['task'] {
  // the statement on a rubric is its weights, which no judge is shown
  const asked = one.expectations.filter(({ indicator, rubric }) => indicator !== true && rubric === undefined)
  const expectations = asked.map(({ text }) => text)
  return { prompt: one.prompt, expectedOutput: one.expected_output, expectations, inputs: one.files }
}

/** The text of the first of these files that is there. */
export async function firstText(files: readonly string[]): Promise<string | null> {
  for (const file of files) if (await exists(file)) return await readFile(file, 'utf8')
  return null
}
