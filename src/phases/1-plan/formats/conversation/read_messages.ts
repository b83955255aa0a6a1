/** Reads a list of messages in any of the shapes that authors use, as messages of the user. */
import { type Turn, turn } from '../../../../../schemas/conversation.ts'
import { didYouMean, findMisspelling } from '../../../../base/text/did_you_mean.ts'
import type { SuiteMistake } from '../../suite/inspected_suite.ts'
import { describeJsonKind } from '../evals_json/document.ts'
import { criteriaNames, type FieldReader, isHarmless, isJsonObject, openFieldReader } from '../evals_json/fields.ts'
import { issueWords } from '../evals_json/issue_words.ts'

export interface ReadMessage {
  turn: Turn
  at: string
  /** Lists of statements about the answer to it, by their names. */
  criteria: Record<string, unknown>
}

export interface ReadMessages {
  messages: ReadMessage[]
  /** Messages of the agent, which answers itself instead. */
  replies: { at: string; text: string }[]
  endsWithReply: boolean
  mistakes: SuiteMistake[]
}

type Reading =
  | { kind: 'message'; message: ReadMessage }
  | { kind: 'reply'; at: string; text: string }
  | { kind: 'mistake'; at: string; message: string }

/** Reads each item; `at` is the place of the list. */
export function readMessageList(list: readonly unknown[], at: string): ReadMessages {
  const read = list.flatMap((item, index) => readItem(item, `${at}[${index}]`))
  return {
    messages: read.flatMap((one) => (one.kind === 'message' ? [one.message] : [])),
    replies: read.flatMap((one) => (one.kind === 'reply' ? [one] : [])),
    endsWithReply: read.at(-1)?.kind === 'reply',
    mistakes: read.flatMap((one) => (one.kind === 'mistake' ? [{ at: one.at, message: one.message }] : [])),
  }
}

/** Whether a value is a list of messages: objects with a role or a text of the user. */
export function isMessageList(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.length > 0 && value.every(isMessage)
}

function isMessage(item: unknown): boolean {
  if (!isJsonObject(item)) return false
  const fields = openFieldReader(item, '')
  return fields.take([...roleNames, ...textNames, ...replyNames]) !== null
}

const roleNames = ['role', 'speaker', 'from', 'author', 'sender']
const userRoles = ['user', 'human', 'customer']
const replyNames = ['assistant', 'agent', 'ai', 'bot', 'model', 'gpt']
/** Roles that a model's answer consists of, next to the assistant's own. */
const replyRoles = [...replyNames, 'tool', 'function']
const textNames = [
  ...['prompt', 'content', 'message', 'text', 'user', 'human', 'input', 'query', 'question', 'value', 'say'],
  ...['user_message', 'user_input', 'user_prompt'],
]
const conditionNames = ['deliver_when', 'agent_response_matches', 'agent_response_meets']
const countNames = ['turn', 'index', 'step', 'order', 'number', 'timestamp', 'time', 'date']

function readItem(item: unknown, at: string): Reading[] {
  if (typeof item === 'string') return [readText(item, { at, fields: openFieldReader({}, at) })]
  if (!isJsonObject(item)) {
    return [
      { kind: 'mistake', at, message: `must be text or an object with a "prompt", not ${describeJsonKind(item)}` },
    ]
  }
  const fields = openFieldReader(item, at)
  const role = fields.take(roleNames)
  const said = fields.take(textNames)
  const reply = role === null ? fields.take(replyNames) : null
  const who = typeof role?.value === 'string' ? role.value.trim().toLowerCase() : null
  if (role !== null && who === null)
    return [{ kind: 'mistake', at: role.at, message: `must be text, not ${describeJsonKind(role.value)}` }]
  if (who !== null && replyRoles.includes(who)) return [{ kind: 'reply', at, text: previewReply(said?.value) }]
  if (who !== null && !userRoles.includes(who)) {
    const message = `a message of the role ${JSON.stringify(role?.value)} cannot be sent; ${didYouMean(who, ['user', 'assistant'], 1) ?? 'only those of the role "user" are'}`
    return [{ kind: 'mistake', at: role?.at ?? at, message }]
  }
  const replied: Reading[] = reply === null ? [] : [{ kind: 'reply', at: reply.at, text: previewReply(reply.value) }]
  if (said === null) {
    if (replied.length > 0) return replied
    return [{ kind: 'mistake', at, message: 'has no message; write { "prompt": "…" }' }]
  }
  const text = joinTextParts(said.value)
  if ('mistake' in text) return [{ kind: 'mistake', at: said.at, message: text.mistake }]
  return [readText(text.text, { at, fields }), ...replied]
}

/** `fields`: what else the message has. */
function readText(prompt: string, { at, fields }: { at: string; fields: FieldReader }): Reading {
  if (!/[^\s\p{Cf}]/u.test(prompt))
    return { kind: 'mistake', at, message: 'the message is empty; write what the user says' }
  const given = conditionNames.flatMap((name) => {
    const taken = fields.take([name])
    return taken === null ? [] : [[name, taken.value] as const]
  })
  const criteria = criteriaNames.flatMap((name) => {
    const taken = fields.take([name])
    return taken === null ? [] : [[taken.key, taken.value] as const]
  })
  const conditions = Object.fromEntries(given)
  const read = turn.safeParse({ prompt, ...conditions })
  if (!read.success) {
    const [issue] = read.error.issues
    const name = String(issue?.path[0] ?? '')
    const message = issue === undefined ? 'is not a message' : issueWords(issue, conditions[name])
    return { kind: 'mistake', at: `${at}.${name}`, message }
  }
  const unknown = findUnknownField(fields)
  if (unknown !== null) return { kind: 'mistake', at, message: unknown }
  return { kind: 'message', message: { turn: read.data, at, criteria: Object.fromEntries(criteria) } }
}

/** A field that might be a condition must not get lost. */
function findUnknownField(fields: FieldReader): string | null {
  const known = ['prompt', ...conditionNames, 'expectations']
  const [first] = fields
    .rest()
    .filter(({ key }) => !isHarmless(key) && !countNames.includes(key) && !/^(x[-_]|_)/.test(key))
  if (first === undefined) return null
  const meant = findMisspelling(first.key, [...known, 'content', 'role'])
  const hint = meant === null ? `expected one of ${known.join(', ')}` : `did you mean "${meant}"?`
  return `has no field "${first.key}"; ${hint}`
}

/** Text, or a list of parts of type text, joined by line breaks. */
function joinTextParts(value: unknown): { text: string } | { mistake: string } {
  if (typeof value === 'string') return { text: value }
  if (!Array.isArray(value)) return { mistake: `must be text, not ${describeJsonKind(value)}` }
  const texts: string[] = []
  for (const part of value as unknown[]) {
    const text = typeof part === 'string' ? part : isJsonObject(part) ? (part.text ?? part.value) : null
    const type = isJsonObject(part) && typeof part.type === 'string' ? part.type : 'text'
    if (typeof text !== 'string' || !/^(input_)?text$/.test(type))
      return { mistake: `a part of type ${JSON.stringify(type)} cannot be sent; only text can. Put files in "files"` }
    texts.push(text)
  }
  return { text: texts.join('\n') }
}

/** The beginning of a message of the agent, for a warning. */
function previewReply(value: unknown): string {
  const text = joinTextParts(value ?? '')
  const line = 'text' in text ? text.text.replaceAll(/\s+/g, ' ').trim() : ''
  return line.length > 40 ? `${line.slice(0, 39)}…` : line
}
