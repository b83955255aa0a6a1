/** Reads how a case goes on after its first message, from all the fields in which authors write that. */
import {
  type EndCondition,
  endCondition,
  type SimulatedUser,
  simulatedUser,
  type Turn,
} from '../../../../../schemas/conversation.ts'
import { formatJsonPath } from '../../../../base/json/json.ts'
import { findMisspelling } from '../../../../base/text/did_you_mean.ts'
import type { SuiteMistake } from '../../suite/inspected_suite.ts'
import type { Warn } from '../../suite/loader_warnings.ts'
import { describeJsonKind } from '../evals_json/document.ts'
import {
  type FieldReader,
  isJsonObject,
  isText,
  openFieldReader,
  promptNames,
  type TakenField,
} from '../evals_json/fields.ts'
import { issueWords, lookUpValue } from '../evals_json/issue_words.ts'
import { findConversationMistakes } from './conversation_mistakes.ts'
import { isMessageList, type ReadMessage, readMessageList } from './read_messages.ts'

export interface CaseConversation {
  /** The first message, if it is in a list of messages; absent: it is in a field of its own. */
  prompt?: string
  turns?: Turn[]
  end_when?: EndCondition
  user?: SimulatedUser
  /** Statements about the answer to a message, in fields as a case has them. `turn`: 1 is the first message. */
  criteria: { turn: number; object: Record<string, unknown>; at: string }[]
  /** The fields of the case that are read here, as written. */
  fields: string[]
}

/** Lists of messages that follow the prompt, or begin with the first one. */
const listNames = [
  ...['turns', 'messages', 'conversation', 'dialogue', 'dialog', 'user_turns', 'user_messages', 'input_messages'],
  ...['follow_ups', 'followups', 'follow_up', 'followup', 'follow_up_prompts', 'followup_prompts'],
]
/** Lists of messages that come before the prompt. */
const historyNames = ['conversation_history', 'history', 'chat_history', 'message_history']

interface Place {
  fields: FieldReader
  warn: Warn
  mistakes: SuiteMistake[]
}

/** Returns what of a case is a conversation. With a mistake, the case loses it. */
export function readCaseConversation(
  object: Record<string, unknown>,
  at: string,
  warn: Warn,
): { conversation: CaseConversation; mistakes: SuiteMistake[] } {
  const before = openFieldReader(object, at)
  const place: Place = { fields: before, warn, mistakes: [] }
  const messages = readAllMessages(place)
  const end = readEndCondition(place)
  const user = readSimulatedUser(place, messages.all)
  const left = new Set(before.rest().map(({ key }) => key))
  const fields = Object.keys(object).filter((key) => object[key] !== null && !left.has(key) && !messages.kept.has(key))
  const [first, ...later] = messages.all
  if (user !== null && later.length > 0) {
    place.mistakes.push({
      at: later[0]?.at ?? at,
      message: 'the case has a "user" too, who writes its own messages: remove one of the two',
    })
  }
  const placed = later.map(({ turn, at: own }) => ({ turn, at: own }))
  if (place.mistakes.length === 0) place.mistakes.push(...findConversationMistakes(placed, end, user !== null))
  if (place.mistakes.length > 0) return { conversation: { criteria: [], fields }, mistakes: place.mistakes }
  const criteria = messages.all.flatMap(({ criteria: object, at: own }, index) =>
    Object.keys(object).length === 0 ? [] : [{ turn: index + 1, object, at: own }],
  )
  return {
    conversation: {
      ...(first !== undefined && !messages.hasOwnPrompt && { prompt: first.turn.prompt }),
      ...(later.length > 0 && { turns: later.map(({ turn }) => turn) }),
      ...(end && { end_when: end.condition }),
      ...(user && { user }),
      criteria,
      fields,
    },
    mistakes: [],
  }
}

interface AllMessages {
  all: ReadMessage[]
  /** Whether the first message is the text of a prompt's own field. */
  hasOwnPrompt: boolean
  /** Fields that were looked at and stay with the case. */
  kept: Set<string>
}

/** Joins the lists of a case and its prompt in the order of the conversation. */
function readAllMessages(place: Place): AllMessages {
  const { fields, mistakes, warn } = place
  const own = fields.take(promptNames, isText)
  const listed = own === null ? takeList(fields, promptNames, (value) => Array.isArray(value)) : null
  const history = takeList(fields, historyNames, isMessageList)
  const lists = listNames.flatMap((name) => takeList(fields, [name], (value) => isListField(name, value)) ?? [])
  const [list, second] = lists
  if (list !== undefined && second !== undefined) {
    const message = `the case has "${list.key}" too: write all messages in one list`
    mistakes.push({ at: second.at, message })
  }
  const kept = new Set(own === null ? [] : [own.key])
  const prompt: ReadMessage[] =
    typeof own?.value === 'string' ? [{ turn: { prompt: own.value }, at: own.at, criteria: {} }] : []
  const earlier = readList(history, place)
  const started = readList(listed, place)
  const further = readList(list ?? null, place)
  const isWhole = prompt.length > 0 && isSameMessage(further.messages, prompt)
  const isEarlier = list !== undefined && list.key !== 'turns' && further.endsWithReply && !isWhole
  const all = [
    ...earlier.messages,
    ...(isEarlier ? further.messages : []),
    ...(isWhole ? [] : [...prompt, ...started.messages]),
    ...(isEarlier ? [] : further.messages),
  ]
  warnOrder(history, all.length > earlier.messages.length ? ', before the prompt' : '', warn)
  warnOrder(
    list ?? null,
    isWhole || prompt.length === 0 ? '' : isEarlier ? ', before the prompt' : ', after the prompt',
    warn,
  )
  if (listed !== null) warn(listed.at, 'a list of messages; the first is the prompt, the others are its "turns"')
  const [first] = all
  const isConditional =
    first?.turn.agent_response_matches ??
    first?.turn.agent_response_meets ??
    (first?.turn.deliver_when === 'agent_asks' || undefined)
  if (first !== undefined && isConditional !== undefined)
    mistakes.push({ at: first.at, message: 'the first message cannot have a condition: there is no answer before it' })
  const isPromptFirst = prompt.length > 0 && first?.turn.prompt === prompt[0]?.turn.prompt
  return { all, hasOwnPrompt: isPromptFirst, kept: isPromptFirst ? kept : new Set() }
}

/** `turns` is Whetstone's own: any value counts. The others only where they have the form of messages. */
function isListField(name: string, value: unknown): boolean {
  if (name === 'turns') return true
  if (name.startsWith('follow') && isText(value)) return true
  return Array.isArray(value) && value.length > 0 && (value.every(isText) || isMessageList(value))
}

function takeList(fields: FieldReader, names: readonly string[], fits: (value: unknown) => boolean): TakenField | null {
  const unpack = (value: unknown) => (isJsonObject(value) ? (value.turns ?? value.messages ?? value) : value)
  const taken = fields.take(names, (value) => fits(unpack(value)))
  if (taken === null || !isJsonObject(taken.value)) return taken
  const inner = taken.value.turns === undefined ? 'messages' : 'turns'
  const list = unpack(taken.value)
  return Array.isArray(list) ? { ...taken, value: list, at: `${taken.at}.${inner}` } : taken
}

function readList(
  taken: TakenField | null,
  { mistakes, warn }: Place,
): { messages: ReadMessage[]; endsWithReply: boolean } {
  if (taken === null) return { messages: [], endsWithReply: false }
  const isOne = typeof taken.value === 'string' && taken.key !== 'turns'
  const list: unknown = isOne ? [taken.value] : taken.value
  if (!Array.isArray(list)) {
    mistakes.push({ at: taken.at, message: `must be a list of messages, not ${describeJsonKind(list)}` })
    return { messages: [], endsWithReply: false }
  }
  const read = readMessageList(list, taken.at)
  mistakes.push(...read.mistakes)
  for (const { at, text } of read.replies) {
    const what = text === '' ? 'a message of the agent' : `the agent's ${JSON.stringify(text)}`
    warn(at, `${what} is not replayed: the agent answers itself`)
  }
  return read
}

/** Whether a list has the prompt as its first or last message, so that it is the whole conversation. */
function isSameMessage(list: readonly ReadMessage[], [prompt]: readonly ReadMessage[]): boolean {
  const text = prompt?.turn.prompt.trim()
  return list.length > 0 && [list[0], list.at(-1)].some((one) => one?.turn.prompt.trim() === text)
}

function warnOrder(taken: TakenField | null, where: string, warn: Warn): void {
  if (taken === null || taken.key === 'turns') return
  warn(taken.at, `"${taken.key}" is read as "turns"${where}`)
}

function readEndCondition({ fields, mistakes }: Place): { condition: EndCondition; at: string } | null {
  const taken = fields.take(['end_when'])
  if (taken === null) return null
  const read = endCondition.safeParse(taken.value)
  if (read.success) return { condition: read.data, at: taken.at }
  const values = isJsonObject(taken.value) ? taken.value : {}
  for (const issue of read.error.issues) {
    const value = issue.path.length === 0 ? taken.value : values[String(issue.path[0])]
    mistakes.push({ at: `${taken.at}${formatJsonPath(issue.path).slice(1)}`, message: issueWords(issue, value) })
  }
  return null
}

/** `user` as text is the prompt of a case that has no other. */
function readSimulatedUser({ fields, mistakes, warn }: Place, messages: ReadMessage[]): SimulatedUser | null {
  const own = fields.take(['user'])
  const other = fields.take(otherUserNames)
  if (own !== null && isText(own.value) && typeof own.value === 'string' && messages.length === 0) {
    warn(own.at, '"user" is text; it is read as "prompt"')
    messages.push({ turn: { prompt: own.value }, at: own.at, criteria: {} })
    return null
  }
  const read = own !== null ? readUser(own) : other !== null ? readOtherUser(other, warn) : null
  if (read === null) return null
  if ('user' in read) return read.user
  mistakes.push(...read.mistakes)
  return null
}

/** Names that other tools give to it. */
const otherUserNames = ['user_simulator', 'simulated_user', 'user_simulation', 'responder']

type ReadUser = { user: SimulatedUser } | { mistakes: SuiteMistake[] }

/** Reads Whetstone's own field `user`. */
function readUser({ value, at }: Pick<TakenField, 'value' | 'at'>): ReadUser {
  if (!isJsonObject(value)) {
    return { mistakes: [{ at, message: `must be an object with a "goal", not ${describeJsonKind(value)}` }] }
  }
  const own = Object.fromEntries(Object.entries(value).filter(([, part]) => part !== null))
  const read = simulatedUser.safeParse(own)
  if (!read.success) {
    const mistakes = read.error.issues.map((issue) => {
      const place = `${at}${formatJsonPath(issue.path).slice(1)}`
      const hint = issue.code === 'unrecognized_keys' ? suggestField(issue.keys[0] ?? '') : ''
      return { at: place, message: `${issueWords(issue, lookUpValue(own, issue.path))}${hint}` }
    })
    return { mistakes }
  }
  const [name] = Object.entries(read.data).find(([, text]) => typeof text === 'string' && text.trim() === '') ?? []
  if (name !== undefined) return { mistakes: [{ at: `${at}.${name}`, message: 'must not be empty' }] }
  return { user: read.data }
}

function suggestField(key: string): string {
  const meant = findMisspelling(key, Object.keys(simulatedUser.shape))
  return meant === null
    ? `; expected one of ${Object.keys(simulatedUser.shape).join(', ')}`
    : `; did you mean "${meant}"?`
}

/** Reads it under another tool's name: its goal or scenario. One that answers by rules cannot be played. */
function readOtherUser({ key, value, at }: TakenField, warn: Warn): ReadUser {
  const object = isJsonObject(value) ? value : typeof value === 'string' ? { goal: value } : {}
  const fields = openFieldReader(object, at)
  const goal = fields.take(['goal', 'scenario'])
  if (goal === null) {
    const message = `"${key}" has no goal that a model could follow; write "user" with a "goal", or the messages in "turns"`
    return { mistakes: [{ at, message }] }
  }
  const facts = fields.take(['facts', 'known_facts'])
  const persona = fields.take(['persona'])
  const stop = fields.take(['stop', 'stop_when', 'stop_condition'])
  const most = fields.take(['max_turns'])
  for (const { at: place, key: name } of fields.rest()) warn(place, `"${name}" of the user is not read`)
  warn(at, `"${key}" is read as "user"`)
  return readUser({
    at,
    value: {
      goal: goal.value,
      facts: typeof facts?.value === 'string' ? [facts.value] : (facts?.value ?? null),
      persona: persona?.value ?? null,
      stop: stop?.value ?? null,
      max_turns: most?.value ?? null,
    },
  })
}
