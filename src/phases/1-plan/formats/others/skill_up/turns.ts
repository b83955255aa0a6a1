/** Reads the messages of a skill-up case: a prompt, or turns, some of which a model may write. */
import { type FieldReader, isJsonObject, openFieldReader } from '../../evals_json/fields.ts'
import { answerHas, answerLacks } from '../other_criteria.ts'
import { dropEmpty } from '../other_suite.ts'
import {
  type FieldNotes,
  nameUnread,
  takeOtherList,
  takeOtherObject,
  takeOtherText,
  takeOtherTexts,
} from '../read_fields.ts'

interface Messages {
  /** prompt, turns and user, as in evals.json. */
  input: Record<string, unknown>
  /** Criteria of the answers to messages. */
  said: unknown[]
}

/** `most`: messages of the case, at most; null: not limited. */
export function readTurns(fields: FieldReader, most: number | null, notes: FieldNotes): Messages {
  const simulator = takeOtherObject(fields, ['user_simulator'], notes)
  const goal = simulator === null ? null : takeOtherText(simulator.fields, ['scenario'], notes)
  if (simulator !== null) nameUnread(simulator.fields, { what: 'the user', known: ['scenario'], losses: {} }, notes)
  const input = takeOtherObject(fields, ['input'], notes)
  if (input === null) return { input: {}, said: [] }
  const prompt = takeOtherText(input.fields, ['prompt'], notes)
  const turns = takeOtherList(input.fields, ['turns']).map(({ value, at }, index) =>
    readTurn(openFieldReader(isJsonObject(value) ? value : { content: value }, at), index + 1, notes),
  )
  nameUnread(input.fields, { what: '"input"', known: ['prompt', 'turns'], losses: {} }, notes)
  const said = turns.flatMap((one) => one.criteria)
  const [first, ...later] =
    prompt === null ? turns.map(({ content }) => content) : [prompt, ...turns.map(({ content }) => content)]
  const asked = turns.flatMap(({ respond }) => respond ?? [])
  if (asked.length === 0 && goal === null) return { input: { prompt: first ?? null, turns: later }, said }
  if (goal === null) notes.refuse('a turn is written by a model, and no "user_simulator" says what the user wants')
  if (later.some((content) => content !== null))
    notes.refuse('it has turns that a model writes and fixed ones after the first: here it is one or the other')
  const user = dropEmpty({ goal, facts: asked, max_turns: later.length || (most === null ? null : most - 1) || null })
  return { input: { prompt: first ?? null, ...(goal !== null && { user }) }, said }
}

interface ReadTurn {
  content: string | null
  /** What a model should answer; null: the content is fixed. */
  respond: string | null
  criteria: unknown[]
}

function readTurn(fields: FieldReader, turn: number, notes: FieldNotes): ReadTurn {
  fields.take(['role'], (value) => value === 'user')
  const content = takeOtherText(fields, ['content'], notes)
  const respond = takeOtherText(fields, ['respond'], notes)
  if (content === null && respond === null) notes.refuse(`${fields.at} has no "content"`)
  if (content !== null && /\{\{.*\}\}/.test(content)) notes.refuse(`${fields.at} has a variable, which no answer fills`)
  const gate = takeOtherObject(fields, ['post_condition'], notes)
  const criteria = gate === null ? [] : readGate(gate.fields, turn, notes)
  const losses = { capture: 'no answer fills a variable' }
  nameUnread(fields, { what: 'a turn', known: ['role', 'content', 'respond', 'post_condition'], losses }, notes)
  return { content, respond, criteria }
}

function readGate(fields: FieldReader, turn: number, notes: FieldNotes): unknown[] {
  const found = [
    ...answerHas.texts(takeOtherTexts(fields, ['must_contain_all', 'must_contain'], notes), { turn }),
    ...answerHas.anyText(takeOtherTexts(fields, ['must_contain_any'], notes), { turn }),
    ...answerLacks.texts(takeOtherTexts(fields, ['must_not_contain'], notes), { turn }),
  ]
  const losses = { on_fail: 'the conversation continues, and the check fails' }
  nameUnread(fields, { what: 'a condition', known: [], losses }, notes)
  return found
}
