/** tool_order: the agent's tool calls are these, in this order or in any. */
import type { CheckOf } from '../../../../schemas/check.ts'
import type { ToolStep } from '../../../../schemas/checks/tool_calls.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'
import { capText, unseenTools } from './inputs/check_input.ts'
import { listCalls, type PlacedCall, selectCalls } from './inputs/tool_calls/calls.ts'

/** What the visible calls say. `sure`: it holds even if the engine hides further calls. */
interface Finding {
  passed: boolean
  sure: boolean
  /** What is missing or too much, for evidence. */
  why: string
}

export async function decideToolOrder(check: CheckOf<'tool_order'>, context: CheckContext): Promise<CheckVerdict> {
  const calls = await listCalls(context)
  const table = await matchEntries(check.tools, calls, context)
  if ('error' in table) return table
  const { passed, sure, why } = compareCalls(check, calls, table)
  if (!context.showsTools && !sure) return unseenTools
  return { passed, evidence: capText(`${why}; calls: ${formatSequence(calls)}`) }
}

function compareCalls({ mode = 'in_order', tools }: CheckOf<'tool_order'>, calls: PlacedCall[], table: MatchTable) {
  switch (mode) {
    case 'exact':
      return compareExactly(tools, table)
    case 'in_order':
      return compareInOrder(tools, table)
    case 'first_in_order':
      return compareFirstCalls(tools, calls, table)
    case 'superset':
      return compareSuperset(tools, table)
    case 'subset':
      return compareSubset(calls, table)
  }
}

function compareExactly(tools: readonly ToolStep[], table: MatchTable): Finding {
  const passed = isWholeList(table, tools.length)
  const sure = !isPartOfList(table, tools.length)
  if (passed) return { passed, sure, why: 'exactly the calls of the list' }
  const at = tools.findIndex((_, index) => table[index]?.[index] !== true)
  const tool = tools[at]
  const why =
    tool === undefined
      ? `${table.length} calls, not ${tools.length}`
      : `call ${at + 1} is not ${nameStep(tool)}${table.length < tools.length ? ` (${table.length} calls, not ${tools.length})` : ''}`
  return { passed, sure, why }
}

function compareInOrder(tools: readonly ToolStep[], table: MatchTable): Finding {
  const missing = tools[countInOrder(table, tools.length)]
  if (missing === undefined) return { passed: true, sure: true, why: 'the calls of the list occur in this order' }
  return { passed: false, sure: false, why: `no call of ${nameStep(missing)} in its place of the order` }
}

function compareFirstCalls(tools: readonly ToolStep[], calls: readonly PlacedCall[], table: MatchTable): Finding {
  const firsts = findFirstCalls(table, tools.length)
  for (const [index, tool] of tools.entries()) {
    const [before, first] = [firsts[index - 1] ?? -1, firsts[index] ?? -1]
    if (first < 0) return { passed: false, sure: false, why: `no call of ${nameStep(tool)}` }
    if (first <= before) {
      const line = calls[first]?.line
      const why = `the first call of ${nameStep(tool)} (transcript.jsonl:${line}) does not come after the one before it`
      return { passed: false, sure: false, why }
    }
  }
  return { passed: true, sure: false, why: 'the first calls are in this order' }
}

function compareSuperset(tools: readonly ToolStep[], table: MatchTable): Finding {
  const unmet = findUnmetEntries(table, tools.length).flatMap((index) => tools[index] ?? [])
  const passed = unmet.length === 0
  const why = passed ? 'every entry has a call' : `no call of its own for ${unmet.map(nameStep).join(', ')}`
  return { passed, sure: passed, why }
}

function compareSubset(calls: readonly PlacedCall[], table: MatchTable): Finding {
  const other = calls.find((_, index) => !(table[index] ?? []).includes(true))
  if (other === undefined) return { passed: true, sure: false, why: 'every call is one of the list' }
  return { passed: false, sure: true, why: `transcript.jsonl:${other.line}: ${other.call.name} is not of the list` }
}

async function matchEntries(
  tools: readonly ToolStep[],
  calls: readonly PlacedCall[],
  context: CheckContext,
): Promise<MatchTable | { error: string }> {
  const columns: ReadonlySet<PlacedCall>[] = []
  for (const tool of tools) {
    const found = await selectCalls(typeof tool === 'string' ? { name: tool } : tool, calls, context)
    if ('error' in found) return found
    columns.push(new Set(found))
  }
  return calls.map((call) => columns.map((column) => column.has(call)))
}

function nameStep(tool: ToolStep): string {
  return typeof tool === 'string' ? tool : tool.name
}

/** For example: Read, Bash ×2, Write. */
function formatSequence(calls: readonly PlacedCall[]): string {
  const parts: { name: string; times: number }[] = []
  for (const { call } of calls) {
    const last = parts.at(-1)
    if (last?.name === call.name) last.times += 1
    else parts.push({ name: call.name, times: 1 })
  }
  const words = parts.slice(0, 12).map(({ name, times }) => `${capText(name, 60)}${times > 1 ? ` ×${times}` : ''}`)
  if (words.length === 0) return 'none'
  return parts.length > 12 ? `${words.join(', ')} and ${parts.length - 12} more` : words.join(', ')
}

/** One row per call: whether each entry of the check matches it. */
type MatchTable = readonly (readonly boolean[])[]

/** The number of leading entries that occur in this order, other calls between them. */
function countInOrder(table: MatchTable, entries: number): number {
  let next = 0
  for (const row of table) {
    if (next < entries && row[next] === true) next += 1
  }
  return next
}

/** Whether every call matches an entry after that of the call before it: the calls can be a part of the whole list. */
function isPartOfList(table: MatchTable, entries: number): boolean {
  let next = 0
  for (const row of table) {
    while (next < entries && row[next] !== true) next += 1
    if (next >= entries) return false
    next += 1
  }
  return true
}

function isWholeList(table: MatchTable, entries: number): boolean {
  return table.length === entries && table.every((row, index) => row[index] === true)
}

/** The position of each entry's first call; -1: none. */
function findFirstCalls(table: MatchTable, entries: number): number[] {
  return Array.from({ length: entries }, (_, entry) => table.findIndex((row) => row[entry] === true))
}

/**
 * Entries that get no call of their own (a maximum matching): entries may overlap, such as * and Bash,
 * so an entry may have to pass its call on to another.
 */
function findUnmetEntries(table: MatchTable, entries: number): number[] {
  const owners = new Map<number, number>()
  const claim = (entry: number, asked: Set<number>): boolean => {
    for (const [call, row] of table.entries()) {
      if (row[entry] !== true || asked.has(call)) continue
      asked.add(call)
      const owner = owners.get(call)
      if (owner !== undefined && !claim(owner, asked)) continue
      owners.set(call, entry)
      return true
    }
    return false
  }
  return Array.from({ length: entries }, (_, entry) => entry).filter((entry) => !claim(entry, new Set()))
}
