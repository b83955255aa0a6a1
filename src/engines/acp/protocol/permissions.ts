/** Answers an agent's requests for permission. Pure. */
import path from 'node:path'
import { isSubpath } from '../../../base/sandbox/paths_below.ts'
import type { EngineTask } from '../../engine.ts'
import type { PermissionRequest, ToolCallRecord } from './records.ts'

const allowing = ['allow_once', 'allow_always']
const rejecting = ['reject_once', 'reject_always']

/** The answer in the words of the protocol. */
export interface PermissionAnswer {
  isAllowed: boolean
  outcome: { outcome: 'selected'; optionId: string } | { outcome: 'cancelled' }
}

/** An agent may do everything, because the sandbox confines it; a judge may only read below its folder. */
export function answerPermission(
  { toolCall, options }: PermissionRequest,
  { tools, cwd }: Pick<EngineTask, 'tools' | 'cwd'>,
): PermissionAnswer {
  const isAllowed = tools === 'all' || (tools === 'read_only' && readsBelow(cwd, toolCall))
  const kinds = isAllowed ? allowing : rejecting
  const option = kinds.map((kind) => options.find((one) => one.kind === kind)).find((one) => one !== undefined)
  if (option === undefined) return { isAllowed: false, outcome: { outcome: 'cancelled' } }
  return { isAllowed, outcome: { outcome: 'selected', optionId: option.optionId } }
}

/** Whether the call only reads, and every path that it names is below the folder. A call that names none may read anything. */
function readsBelow(cwd: string, { kind, locations, rawInput }: ToolCallRecord): boolean {
  if (kind !== 'read' && kind !== 'search') return false
  const inputs = rawInput !== null && typeof rawInput === 'object' ? Object.values(rawInput) : []
  const named = inputs.filter((one) => typeof one === 'string').filter((one) => /[/\\~]|^\.\.$/.test(one))
  const paths = [...(locations ?? []).map((one) => one.path), ...named]
  return paths.length > 0 && paths.every((one) => !one.startsWith('~') && isSubpath(path.resolve(cwd, one), cwd))
}
