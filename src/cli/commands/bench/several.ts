/** Several benchmarks with one command: of several skills, on several engines, or of several configurations. A feature runs them. */
import type { EngineChoice } from '../../../../schemas/plan.ts'
import { UserError } from '../../../base/errors/error.ts'
import { canonicalJson, sha256 } from '../../../base/json/json.ts'
import { resolveEngineChoice } from '../../../engines/models/resolve_model.ts'
import { isCommandText, isEngineName } from '../../../engines/table.ts'
import type { EstimatedPlan } from '../../../flows/bench/plan_with_estimate.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import type { BenchRequest } from '../../../flows/prepare/prepare_bench.ts'
import { slug } from '../../../phases/1-plan/skill/slug.ts'
import type { Gate } from '../../../phases/4-report/gate/parse_gate.ts'
import type { Reporter } from '../../reporters/reporters.ts'
import type { ResumeWay } from '../../terminal/interrupt.ts'
import type { WaitWish } from '../options/run_flow.ts'
import type { PlanOutcome } from './print_plans.ts'

/** A bench request for several skills. `workspace`: the folder that gets a subfolder for each skill. */
export interface BenchManyRequest extends Omit<BenchRequest, 'skill'> {
  skills: readonly string[]
  /** engine:model,engine:model; null: the request's own engine. */
  matrix: string | null
  /** Compare no skill, the skill alone and its whole plugin; absent: no. */
  wholePlugin?: boolean
  /** Compare no skill, the skill alone and the skill with the neighbours of `among`; absent: no. */
  alone?: boolean
  /** Requests that differ, by the skill's absolute path; workspace and limits are always the shared ones. */
  each?: ReadonlyMap<string, Omit<BenchRequest, 'skill'>>
}

export interface BenchOutput {
  gates: readonly Gate[]
  reporters: readonly Reporter[]
  json: boolean
  goesOn: ResumeWay
  waits: WaitWish
  hasFixedDeadline: boolean
  /** The cases that --last-failed chose, of one skill. */
  lastFailed?: readonly string[]
}

export interface SeveralOutput extends BenchOutput {
  isLastFailed: boolean
}

export type PlanOne = (request: BenchRequest, context: FlowContext) => Promise<EstimatedPlan | null>

export interface SeveralBenches {
  /** Starts and writes nothing. A failed plan does not stop the others. */
  plan(request: BenchManyRequest, planOne: PlanOne, context: FlowContext): Promise<PlanOutcome[]>
  /** Runs all and prints the result; returns the exit code. */
  start(request: BenchManyRequest, how: SeveralOutput): Promise<number>
}

const rows: Record<string, () => Promise<SeveralBenches>> = {}

/** Adds those of a feature; again changes nothing. */
export function addSeveralBenches(more: Readonly<typeof rows>): void {
  Object.assign(rows, more)
}

/** Throws UserError without such a feature. */
export async function loadSeveralBenches(): Promise<SeveralBenches> {
  const [load] = Object.values(rows)
  if (load === undefined)
    throw new UserError('several benchmarks in one command are not supported', 'start one at a time')
  return await load()
}

interface MatrixCell {
  /** As the user wrote it: engine:model. */
  text: string
  /** The cell's workspace folder; the same text has the same folder in every matrix. */
  folder: string
}

/**
 * The cells of `engine:model,engine:model`. A comma inside a command line belongs to it unless an engine name follows. Throws UserError
 * for an unknown engine and for a duplicate cell.
 */
export function parseMatrix(text: string): MatrixCell[] {
  const cells = splitMatrix(text).map((part) => ({
    text: part,
    choice: resolveEngineChoice({ engine: part, model: null }),
  }))
  const seen = new Map<string, string>()
  for (const cell of cells) {
    const key = canonicalJson(cell.choice)
    const other = seen.get(key)
    if (other !== undefined) {
      throw new UserError(`--matrix: ${other} and ${cell.text} are the same`, 'list each engine and model once')
    }
    seen.set(key, cell.text)
  }
  return cells.map(({ text: one, choice }) => ({ text: one, folder: cellFolder(choice) }))
}

function splitMatrix(text: string): string[] {
  const parts: string[] = []
  for (const part of text.split(',')) {
    const last = parts.at(-1)
    const isEngine = isEngineName(part.trim().split(':')[0] ?? '')
    if (last !== undefined && isCommandText(last) && !isEngine) parts[parts.length - 1] = `${last},${part}`
    else parts.push(part.trim())
  }
  if (parts.includes('')) throw new UserError('--matrix: an empty entry', 'expected engine:model,engine:model')
  return parts
}

/** Readable, and unique for each choice. */
function cellFolder(choice: EngineChoice): string {
  const { name, model, command } = choice
  const hash = sha256(canonicalJson(choice)).slice(0, 8)
  return [slug(`${name} ${model ?? ''}`, 60), command === undefined ? '' : slug(command.split('/').at(-1) ?? ''), hash]
    .filter((part) => part !== '')
    .join('-')
}
