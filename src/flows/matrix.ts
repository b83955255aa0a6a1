/** --matrix: the cells in which the same suite is benched, and the one judge over all of them. */
import type { EngineChoice } from '../../schemas/plan.ts'
import { UserError } from '../base/error.ts'
import { canonicalJson, sha256 } from '../base/json.ts'
import { isJudgeList } from '../engines/judge_choice.ts'
import { resolveEngineChoice } from '../engines/models.ts'
import { isEngineName } from '../engines/table.ts'
import { slug } from '../phases/1-plan/slug.ts'
import { planBench } from './bench.ts'
import type { FlowContext } from './context.ts'
import type { BenchRequest } from './prepare.ts'

export interface MatrixCell {
  /** As the user wrote it: engine:model. */
  text: string
  /** The folder of its workspace; the same text has the same folder in every matrix. */
  folder: string
}

/**
 * The cells of `engine:model,engine:model`. A comma inside a command line is part of it unless the name of an engine
 * follows. Throws UserError for an unknown engine, and for a cell that is there twice.
 */
export function matrixCells(text: string): MatrixCell[] {
  const cells = partsOf(text).map((part) => ({
    text: part,
    choice: resolveEngineChoice({ engine: part, model: null }),
  }))
  const seen = new Map<string, string>()
  for (const cell of cells) {
    const key = canonicalJson(cell.choice)
    const other = seen.get(key)
    if (other !== undefined) {
      throw new UserError(`--matrix: ${other} and ${cell.text} are the same`, 'name each engine and model once')
    }
    seen.set(key, cell.text)
  }
  return cells.map(({ text: one, choice }) => ({ text: one, folder: folderOf(choice) }))
}

function partsOf(text: string): string[] {
  const parts: string[] = []
  for (const part of text.split(',')) {
    const last = parts.at(-1)
    const isEngine = isEngineName(part.trim().split(':')[0] ?? '')
    if (last?.startsWith('command:') && !isEngine) parts[parts.length - 1] = `${last},${part}`
    else parts.push(part.trim())
  }
  if (parts.includes('')) throw new UserError('--matrix: an empty cell', 'write engine:model,engine:model')
  return parts
}

/** Readable, and another one for every other choice. */
function folderOf(choice: EngineChoice): string {
  const { name, model, command } = choice
  const hash = sha256(canonicalJson(choice)).slice(0, 8)
  return [slug(`${name} ${model ?? ''}`, 60), command === undefined ? '' : slug(command.split('/').at(-1) ?? ''), hash]
    .filter((part) => part !== '')
    .join('-')
}

/**
 * The judge of every cell: the one that is named, else the one that the first plan that needs a judge would take; null
 * where none needs one. `requests` that can't be planned are passed over: their own bench says why.
 */
export async function oneJudge(requests: readonly BenchRequest[], context: FlowContext): Promise<string | null> {
  for (const request of requests) {
    // of a list each cell might take another
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
