/** Reads the user that a model plays, in Whetstone's form and in those of other tools. */
import { type SimulatedUser, simulatedUser } from '../../../../../schemas/conversation.ts'
import { formatJsonPath } from '../../../../base/json/json.ts'
import { findMisspelling } from '../../../../base/text/did_you_mean.ts'
import type { SuiteMistake } from '../../suite/inspected_suite.ts'
import type { Warn } from '../../suite/loader_warnings.ts'
import { describeJsonKind } from '../evals_json/document.ts'
import { isJsonObject, openFieldReader, type TakenField } from '../evals_json/fields.ts'
import { issueWords, lookUpValue } from '../evals_json/issue_words.ts'

/** Names that other tools give to it. */
export const otherUserNames = ['user_simulator', 'simulated_user', 'user_simulation', 'responder']

type ReadUser = { user: SimulatedUser } | { mistakes: SuiteMistake[] }

/** Reads Whetstone's own field `user`. */
export function readUser({ value, at }: Pick<TakenField, 'value' | 'at'>): ReadUser {
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
export function readOtherUser({ key, value, at }: TakenField, warn: Warn): ReadUser {
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
