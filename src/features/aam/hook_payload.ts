/** Builds a hook's stdin: a fixture with overrides, in the package's dialect or in Claude Code's. Pure. */

export type HookDialect = 'package' | 'claude-code'

type Payload = Readonly<Record<string, unknown>>

/** Sets each value at its dot path; a key that contains dots wins over such a path; numbers are list indexes. */
export function applyOverrides(payload: Payload, overrides: Payload): Payload {
  return Object.entries(overrides).reduce<Payload>((made, [path, value]) => asPayload(set(made, path, value)), payload)
}

function set(target: unknown, path: string, value: unknown): unknown {
  const [first = '', ...rest] = path.split('.')
  if (Array.isArray(target) && /^\d+$/.test(first)) {
    const at = Number(first)
    const inner = rest.length === 0 ? value : set(target[at], rest.join('.'), value)
    return replaceItem(target, at, inner)
  }
  const fields = asPayload(target)
  if (rest.length === 0 || Object.hasOwn(fields, path)) return withField(fields, path, value)
  return withField(fields, first, set(fields[first], rest.join('.'), value))
}

function replaceItem(list: readonly unknown[], at: number, value: unknown): unknown[] {
  return [...list.slice(0, at), value, ...list.slice(at + 1)]
}

/** Sets an own field, even for names such as `__proto__`. */
function withField(fields: Payload, name: string, value: unknown): Payload {
  return Object.fromEntries([...Object.entries(fields).filter(([key]) => key !== name), [name, value]])
}

function asPayload(value: unknown): Payload {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

/** Recognised by the names of its fields. */
export function detectDialect(payload: Payload): HookDialect {
  return Object.keys(payload).some((key) =>
    /^(hook_event_name|tool_name|tool_input|tool_response|session_id)$/.test(key),
  )
    ? 'claude-code'
    : 'package'
}

export interface EventNames {
  package: string
  claudeCode: string
}

/** Renames the fields for the dialect; a tool's input stays unchanged. */
export function toDialect(payload: Payload, dialect: HookDialect, event: EventNames): Payload {
  const rename = dialect === 'claude-code' ? snake : camel
  const fields = Object.entries(payload).map(([key, value]) => [rename(key), value] as const)
  const name = dialect === 'claude-code' ? { hook_event_name: event.claudeCode } : { hookEventName: event.package }
  return { ...Object.fromEntries(fields), ...name }
}

function snake(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function camel(key: string): string {
  return key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

export function readToolName(payload: Payload): string | null {
  const name = payload.toolName ?? payload.tool_name
  return typeof name === 'string' ? name : null
}
