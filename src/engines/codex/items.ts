/** Reads tool calls from the items of Codex's stream: their names, inputs and results. Pure. */
import type { CodexItem } from './stream_records.ts'

export interface ItemEnd {
  /** The name that the model uses. */
  name: string
  input: unknown
  output: string
  isError: boolean
  /** True if the call was not allowed, and so not performed. */
  isDenied: boolean
}

type Reader = (item: CodexItem) => Omit<ItemEnd, 'isDenied' | 'isError'>

/** By type of item; an item of another type is not a tool call. */
const readers: Readonly<Record<string, Reader>> = {
  command_execution: (item) => ({
    name: 'exec_command',
    input: { command: shellCommand(itemText(item.command)) },
    output: itemText(item.aggregated_output),
  }),
  file_change: (item) => ({ name: 'apply_patch', input: { changes: item.changes }, output: itemText(item.status) }),
  mcp_tool_call: (item) => ({
    name: `mcp__${itemText(item.server)}__${itemText(item.tool)}`,
    input: item.arguments ?? {},
    output: resultText(item.error ?? item.result),
  }),
  web_search: (item) => ({ name: 'web_search', input: { query: item.query }, output: '' }),
  collab_tool_call: (item) => ({
    name: itemText(item.tool) || 'sub_agent',
    input: { prompt: item.prompt ?? null },
    output: resultText(item.agents_states ?? item.status),
  }),
}

/** The tool call that an item describes, begun or ended; null: it is not a tool call. */
export function readToolItem(item: CodexItem): ItemEnd | null {
  const reader = Object.hasOwn(readers, item.type) ? readers[item.type] : undefined
  if (reader === undefined) return null
  const isDenied = item.status === 'declined'
  return { ...reader(item), isDenied, isError: isDenied || item.status === 'failed' }
}

function itemText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function resultText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The command that the shell got: `/bin/bash -lc 'echo hi'` becomes `echo hi`; any other line is unchanged. */
function shellCommand(line: string): string {
  const script = /^\S*sh -l?c ([\s\S]+)$/.exec(line)?.[1]
  return script === undefined ? line : (unquoteWord(script) ?? line)
}

/** One word as a shell reads it; null if the text is more than one word, or a quote never closes. */
function unquoteWord(text: string): string | null {
  let word = ''
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (/\s/.test(character)) return null
    if (character === "'") {
      const end = text.indexOf("'", at + 1)
      if (end < 0) return null
      word += text.slice(at + 1, end)
      at = end
    } else if (character === '"') {
      const inside = /^"((?:[^"\\]|\\[\s\S])*)"/.exec(text.slice(at))
      if (inside === null) return null
      word += (inside[1] ?? '').replace(/\\([$`"\\])/g, '$1')
      at += inside[0].length - 1
    } else if (character === '\\') {
      word += text[at + 1] ?? ''
      at += 1
    } else word += character
  }
  return word
}
