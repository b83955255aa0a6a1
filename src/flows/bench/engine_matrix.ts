/** --matrix: the cells that run the same suite, and the one judge for all of them. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import { UserError } from '../../base/errors/error.ts'
import { canonicalJson, sha256 } from '../../base/json/json.ts'
import { isJudgeList } from '../../engines/models/judge_choice.ts'
import { resolveEngineChoice } from '../../engines/models/resolve_model.ts'
import { isCommandText, isEngineName } from '../../engines/table.ts'
import { slug } from '../../phases/1-plan/skill/slug.ts'
import type { FlowContext } from '../flow_context.ts'
import type { BenchRequest } from '../prepare/prepare_bench.ts'
import { planBench } from './bench.ts'

export interface MatrixCell {
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

/**
 * The judge of every cell: the named one, else the default of the first plan that needs a judge; null where none needs one. Skips
 * `requests` that fail to plan: their own benchmark reports why.
 */
export async function chooseMatrixJudge(
  requests: readonly BenchRequest[],
  context: FlowContext,
): Promise<string | null> {
  for (const request of requests) {
    // each cell might choose a different judge from a list
    if (request.judge !== null && !isJudgeList(request.judge)) return request.judge
    const prepared = await planBench(request, context).catch((error: unknown) => {
      if (error instanceof UserError) return null
      throw error
    })
    const judge = prepared?.plan.options.judge
    if (judge) return [judge.name, judge.model].filter(Boolean).join(':')
  }
  return null
}
