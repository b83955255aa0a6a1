/** Finds turns of a conversation that can never be delivered, and patterns that are not valid. */
import type { EndCondition, Turn } from '../../../../../schemas/conversation.ts'
import { errorMessage } from '../../../../base/errors/error.ts'
import { compileAnswerPattern } from '../../../../base/process/find_pattern.ts'
import type { SuiteMistake } from '../../suite/inspected_suite.ts'

export interface PlacedTurn {
  turn: Turn
  at: string
}

interface PlacedEnd {
  condition: EndCondition
  at: string
}

/** `turns`: the messages after the prompt. `end`: null, there is none. `hasUser`: a model writes further messages. */
export function findConversationMistakes(
  turns: readonly PlacedTurn[],
  end: PlacedEnd | null,
  hasUser: boolean,
): SuiteMistake[] {
  const conditions = [
    ...turns.map(({ turn, at }) => ({ condition: turn, at })),
    ...(end === null ? [] : [{ condition: end.condition, at: end.at }]),
  ]
  const invalid = conditions.flatMap(({ condition, at }) => [
    ...findInvalidPattern(condition.agent_response_matches, at),
    ...findBlankStatement(condition.agent_response_meets, at),
  ])
  if (invalid.length > 0) return invalid
  return [...(end === null ? [] : findEndMistakes(end, turns, hasUser)), ...turns.flatMap(findTurnMistakes)]
}

function findInvalidPattern(pattern: string | undefined, at: string): SuiteMistake[] {
  if (pattern === undefined) return []
  const place = `${at}.agent_response_matches`
  try {
    const regex = compileAnswerPattern(pattern)
    if (!neverMatches(regex)) return []
    return [{ at: place, message: `${JSON.stringify(pattern)} matches no answer, so the condition never holds` }]
  } catch (error) {
    return [{ at: place, message: errorMessage(error) }]
  }
}

function findBlankStatement(statement: string | undefined, at: string): SuiteMistake[] {
  if (statement === undefined || statement.trim() !== '') return []
  return [{ at: `${at}.agent_response_meets`, message: 'must not be empty' }]
}

/** Patterns that no text matches: an empty class, a text before its beginning, or one after its end. */
function neverMatches({ source, flags }: RegExp): boolean {
  if (/^(?:\(\?!\)|\[\])/.test(source)) return true
  const isPlain = !/[|*?{]/.test(source) && !flags.includes('m')
  return isPlain && (/(?<!\\)\$\w/.test(source) || /\w\^/.test(source.replaceAll(/\[[^\]]*\]/g, '')))
}

/** Answers that have nothing in common. */
const anyAnswers = ['', 'a', 'Done.', 'Which currency?\n- EUR\n- USD', '漢字', '42\n']
const anyQuestions = ['?', 'Which one?', 'A?\nB', 'Why? Because.']

function findEndMistakes({ condition, at }: PlacedEnd, turns: readonly PlacedTurn[], hasUser: boolean): SuiteMistake[] {
  const { agent_response_matches: pattern, agent_response_meets: statement } = condition
  const [first] = turns
  if (first === undefined && !hasUser)
    return [{ at, message: 'there is no message after the prompt that it could hold back; write "turns" or "user"' }]
  if (pattern === undefined || statement !== undefined) return []
  const ends = compileAnswerPattern(pattern)
  if (anyAnswers.every((answer) => ends.test(answer))) {
    const message = `${JSON.stringify(pattern)} matches every answer, so no message after the prompt is ever sent`
    return [{ at: `${at}.agent_response_matches`, message }]
  }
  const endsAtQuestions = anyQuestions.every((answer) => ends.test(answer))
  return turns.flatMap(({ turn, at: place }) => {
    const isHeldBack =
      turn.agent_response_matches === pattern || (turn.deliver_when === 'agent_asks' && endsAtQuestions)
    const message = 'can never be sent: "end_when" ends the conversation at every answer that it waits for'
    return isHeldBack ? [{ at: place, message }] : []
  })
}

/** An answer cannot both ask and lack a question mark. */
function findTurnMistakes({ turn, at }: PlacedTurn): SuiteMistake[] {
  const { deliver_when, agent_response_matches: pattern } = turn
  const excludes = pattern !== undefined && /^\^\[\^[^\]]*\?[^\]]*\][*+]\$$/.test(pattern)
  if (deliver_when !== 'agent_asks' || !excludes) return []
  const message = `can never be sent: it waits for a question, and ${JSON.stringify(pattern)} allows no question mark`
  return [{ at, message }]
}
