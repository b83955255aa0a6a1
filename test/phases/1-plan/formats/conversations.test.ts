/** Conversations in a suite: every shape in which authors write several messages, and what can never be delivered. */
import { describe, expect, test } from 'vitest'
import { loadCase, loadEvals, userError } from '../folder.ts'

const base = { id: 1, expectations: ['e'] }
const role = (who: string, content: unknown) => ({ role: who, content })
const [ask, more] = ['Make a report', 'Now shorten it']

describe('two messages', () => {
  const reading = { prompt: ask, turns: [{ prompt: more }], cannot_run: null }
  test.each<[string, object]>([
    ['turns: texts', { prompt: ask, turns: [more] }],
    ['turns: role and content', { turns: [role('user', ask), role('user', more)] }],
    ['turns: user objects', { turns: [{ user: ask }, { user: more }] }],
    ['turns: pairs with the expected answer', { turns: [{ user: ask, assistant: 'Here' }, { user: more }] }],
    ['turns: human and value', { turns: [ask, more].map((value) => ({ from: 'human', value })) }],
    ['turns: parts', { turns: [role('User', [{ type: 'text', text: ask }]), role('user', [more])] }],
    [
      'turns: harmless fields',
      { turns: [ask, more].map((prompt, at) => ({ turn: at + 1, id: 'b', prompt, note: 'x' })) },
    ],
    ['prompt: texts', { prompt: [ask, more] }],
    ['messages', { messages: [role('user', ask), role('assistant', 'Here'), role('user', more)] }],
    ['input: messages', { input: [role('user', ask), role('user', more)] }],
    ['input: turns of skill-up', { input: { turns: [role('user', ask), role('user', more)] } }],
    ['conversation: turns', { conversation: { turns: [{ user: ask }, { user: more }] } }],
    ['follow_ups', { prompt: ask, follow_ups: [more] }],
    ['follow_up', { prompt: ask, follow_up: more }],
    ['followUps', { prompt: ask, followUps: [{ prompt: more }] }],
    ['prompt and the whole conversation', { prompt: ask, messages: [role('user', ask), role('user', more)] }],
    ['the last message and the whole', { prompt: more, messages: [role('user', ask), role('user', more)] }],
    ['history', { prompt: more, conversation_history: [role('user', ask), role('assistant', 'Here')] }],
    ['messages that end with an answer', { prompt: more, messages: [role('user', ask), role('assistant', 'Here')] }],
  ])('%s', async (_what, part) => {
    const { case: one } = await loadCase({ ...base, ...part })
    expect(one).toMatchObject(reading)
    expect(one.turns).toHaveLength(1)
  })
  test('without any turns there is one message', async () => {
    expect((await loadCase({ ...base, prompt: ask, turns: [] })).case).not.toHaveProperty('turns')
    const { case: one, warnings } = await loadCase({ ...base, messages: [role('user', ask)] })
    expect(one).toMatchObject({ prompt: ask, cannot_run: null })
    expect(one).not.toHaveProperty('turns')
    expect(warnings).toEqual(['$.evals[0].messages: "messages" is read as "turns"'])
  })
})

test('what a message waits for, and what ends the conversation', async () => {
  const turns = [
    { prompt: 'US time.', deliver_when: 'agent_asks', agent_response_matches: '(?i)time ?zone' },
    { prompt: 'A date.', deliver_when: 'always', agent_response_meets: 'It asks for a type' },
  ]
  const end_when = { agent_response_matches: 'Done' }
  const { case: one, warnings } = await loadCase({ ...base, prompt: 'Fix it', turns, end_when })
  expect(one).toMatchObject({ prompt: 'Fix it', turns, end_when, cannot_run: null })
  expect(warnings).toEqual([])
})

test('answers of the agent are named and not replayed', async () => {
  const messages = [role('user', ask), role('assistant', 'Here it is'), role('tool', '42'), role('user', more)]
  const { warnings } = await loadCase({ ...base, messages })
  expect(warnings).toContain(
    '$.evals[0].messages[1]: the agent\'s "Here it is" is not replayed: the agent answers itself',
  )
  expect(warnings).toContain('$.evals[0].messages[2]: the agent\'s "42" is not replayed: the agent answers itself')
})

test('a prompt beside messages: the warning says the order', async () => {
  const after = await loadCase({ ...base, prompt: 'x', messages: [role('user', 'hello')] })
  expect(after.warnings).toEqual(['$.evals[0].messages: "messages" is read as "turns", after the prompt'])
  const before = await loadCase({ ...base, prompt: more, history: [role('user', ask)] })
  expect(before.warnings).toEqual(['$.evals[0].history: "history" is read as "turns", before the prompt'])
})

test('a field of another use stays what it was', async () => {
  const { case: one, warnings } = await loadCase({ ...base, prompt: 'x', history: ['v1', 'v2'], conversation: 'long' })
  expect(one).toMatchObject({ prompt: 'x', metadata: { history: ['v1', 'v2'], conversation: 'long' } })
  expect(one).not.toHaveProperty('turns')
  expect(warnings).toHaveLength(2)
})

describe('statements about the answer to a message', () => {
  test('in the message', async () => {
    const turns = [
      { prompt: ask, expectations: ['It asks', { text: 'It is polite', weight: 2, indicator: false }] },
      { prompt: more, assertions: ['It is short', { type: 'contains', value: 'Total' }] },
    ]
    const { case: one } = await loadCase({ id: 1, turns, expectations: ['It is right'] })
    expect(one.expectations).toEqual([
      { text: 'It is right' },
      { text: 'It asks', turn: 1 },
      { text: 'It is polite', weight: 2, indicator: false, turn: 1 },
      { text: 'It is short', turn: 2 },
    ])
    expect(one.checks).toEqual([{ type: 'contains', value: 'Total', turn: 2 }])
  })
  test('in the case, with the number', async () => {
    const expectations = [{ text: 'It asks', turn: 1 }, { text: 'It is short', turn: 2 }, 'All']
    const checks = [{ type: 'regex', pattern: 'EUR', turn: 1 }]
    const { case: one, warnings } = await loadCase({ id: 1, prompt: ask, turns: [more], expectations, checks })
    expect(one).toMatchObject({ expectations: [expectations[0], expectations[1], { text: 'All' }], checks })
    expect(one.cannot_run).toBeNull()
    expect(warnings).toEqual([])
  })
  test('a case with nothing else is judged by them, and a rubric stays the last', async () => {
    const rubric = { dimensions: [{ name: 'tone', weight: 1 }] }
    const turns = [{ prompt: more, expectations: ['It is short'] }]
    const { case: one } = await loadCase({ id: 1, prompt: ask, turns, rubric, expected_output: 'a report' })
    expect(one.expectations).toMatchObject([{ text: 'It is short', turn: 2 }, { rubric }])
  })
  test('the same words about two answers are two statements', async () => {
    const turns = [
      { prompt: ask, expectations: ['It is polite'] },
      { prompt: more, expectations: ['It is polite'] },
    ]
    const { case: one } = await loadCase({ id: 1, turns })
    expect(one.expectations).toEqual([
      { text: 'It is polite (answer to message 1)', turn: 1 },
      { text: 'It is polite (answer to message 2)', turn: 2 },
    ])
  })
  test.each<[object, string]>([
    [
      { prompt: ask, turns: [more], expectations: [{ text: 'a', turn: 3 }] },
      '"a" is about message 3, and the case has',
    ],
    [{ prompt: ask, expectations: [{ text: 'a', turn: 2 }] }, '"a" is about message 2, and the case has only one'],
    [
      { prompt: ask, user: { goal: 'g', max_turns: 2 }, expectations: [{ text: 'a', turn: 4 }] },
      '"a" is about message 4, and the case has only 3',
    ],
    [{ prompt: ask, expectations: [{ text: 'a', turn: 0 }] }, '"turn" holds 0, not the number of a message'],
    [
      { prompt: ask, turns: [more], checks: [{ type: 'contains', value: 'x', turn: 3 }] },
      '"contains" is about message 3',
    ],
    [
      { turns: [ask, { prompt: more, expectations: [{ type: 'file_exists', path: 'a' }] }] },
      'a check of type file_exists is about the end of the run',
    ],
  ])('%j cannot run', async (part, reason) => {
    expect((await loadCase({ id: 1, ...part })).case.cannot_run).toContain(reason)
  })
})

describe('a simulated user', () => {
  const user = { goal: 'book a table', facts: ['four people'], persona: 'brief', stop: 'it is full', max_turns: 4 }
  test('is read', async () => {
    const { case: one, warnings } = await loadCase({ ...base, prompt: ask, user })
    expect(one).toMatchObject({ prompt: ask, user, cannot_run: null })
    expect(warnings).toEqual([])
  })
  test.each<[object, object]>([
    [{ user_simulator: { scenario: 'Book. Do not pay.' } }, { goal: 'Book. Do not pay.' }],
    [
      { simulated_user: { goal: 'book', facts: 'four people', max_turns: 3 } },
      { goal: 'book', facts: ['four people'], max_turns: 3 },
    ],
    [{ responder: { type: 'model', goal: 'book', persona: 'brief' } }, { goal: 'book', persona: 'brief' }],
  ])('of another tool: %j', async (part, read) => {
    expect((await loadCase({ ...base, prompt: ask, ...part })).case.user).toEqual(read)
  })
  test('text in its place is the prompt of a case without one', async () => {
    const { case: one } = await loadCase({ ...base, user: ask })
    expect(one).toMatchObject({ prompt: ask, cannot_run: null })
    expect(one).not.toHaveProperty('user')
  })
})

describe('is a mistake, with its place', () => {
  test.each<[object, string]>([
    [{ turns: 'and now?' }, '.turns: must be a list of messages, not text'],
    [{ turns: [''] }, '.turns[0]: the message is empty'],
    [{ turns: [null] }, '.turns[0]: must be text or an object with a "prompt", not null'],
    [{ turns: [{ deliver_when: 'always' }] }, '.turns[0]: has no message'],
    [{ turns: [{ prompt: 5 }] }, '.turns[0].prompt: must be text, not a number'],
    [
      { turns: [role('user', [{ type: 'image', source: 'a.png' }])] },
      '.turns[0].content: a part of type "image" cannot be sent',
    ],
    [{ turns: [role('system', 'Be brief')] }, '.turns[0].role: a message of the role "system" cannot be sent'],
    [{ turns: [role('usr', 'x')] }, 'did you mean "user"?'],
    [
      { turns: [{ prompt: 'x', deliver_when: 'asked' }] },
      '.turns[0].deliver_when: must be one of "always", "agent_asks"',
    ],
    [
      { turns: [{ prompt: 'x', deliver_wen: 'always' }] },
      '.turns[0]: has no field "deliver_wen"; did you mean "deliver_when"?',
    ],
    [
      { turns: [{ prompt: 'x', agent_response_matches: '(' }] },
      '.turns[0].agent_response_matches: Invalid regular expression',
    ],
    [{ turns: [{ prompt: 'x', agent_response_matches: '(?!)' }] }, 'matches no answer'],
    [{ turns: [{ prompt: 'x', agent_response_matches: 'a^b' }] }, 'matches no answer'],
    [
      { turns: [{ prompt: 'x', deliver_when: 'agent_asks', agent_response_matches: '^[^?]*$' }] },
      'allows no question mark',
    ],
    [
      { turns: ['x'], end_when: { agent_response_matches: '.*' } },
      '.end_when.agent_response_matches: ".*" matches every answer',
    ],
    [{ turns: ['x'], end_when: { agent_response_matches: '(?s)^' } }, 'matches every answer'],
    [{ turns: ['x'], end_when: {} }, '.end_when: must have a condition'],
    [{ end_when: { agent_response_matches: 'a' } }, '.end_when: there is no message after the prompt'],
    [
      { turns: [{ prompt: 'x', deliver_when: 'agent_asks' }], end_when: { agent_response_matches: '\\?' } },
      '.turns[0]: can never be sent',
    ],
    [
      { turns: [{ prompt: 'x', agent_response_matches: 'EUR' }], end_when: { agent_response_matches: 'EUR' } },
      '.turns[0]: can never be sent',
    ],
    [{ user: { goal: ' ' } }, '.user.goal: must not be empty'],
    [{ user: { facts: ['x'] } }, '.user.goal: is missing'],
    [{ user: { goal: 'g', fact: ['x'] } }, '.user: has no field "fact"; did you mean "facts"?'],
    [{ user: { goal: 'g', facts: ['x', 1] } }, '.user.facts[1]: must be text, not 1'],
    [{ turns: ['\u200b'] }, '.turns[0]: the message is empty'],
    [{ turns: [{ prompt: 'x', agent_response_meets: ' ' }] }, '.turns[0].agent_response_meets: must not be empty'],
    [{ user: 'a shy customer' }, '.user: must be an object with a "goal", not text'],
    [{ turns: ['x'], user: { goal: 'g' } }, '.turns[0]: the case has a "user" too'],
    [
      { responder: { type: 'heuristic', max_turns: 8 } },
      '.responder: "responder" has no goal that a model could follow',
    ],
    [{ turns: ['x'], follow_ups: ['y'] }, '.follow_ups: the case has "turns" too'],
  ])('%j', async (part, message) => {
    const error = await userError(loadEvals({ skill_name: 's', evals: [{ ...base, prompt: 'p', ...part }] }))
    expect(error.message).toContain(`evals.json: $.evals[0]`)
    expect(error.message).toContain(message)
  })
  test('the first message has nothing to wait for', async () => {
    const turns = [{ prompt: 'x', deliver_when: 'agent_asks' }]
    const { message } = await userError(loadEvals({ skill_name: 's', evals: [{ ...base, turns }] }))
    expect(message).toContain('$.evals[0].turns[0]: the first message cannot have a condition')
  })
})

describe('is none', () => {
  test.each<[object]>([
    [{ turns: [{ prompt: 'x', deliver_when: 'always' }] }],
    [{ turns: [{ prompt: 'x', agent_response_matches: '\\$5|a^2|x$' }] }],
    [{ turns: [{ prompt: 'x', agent_response_matches: '^(?!.*done)' }] }],
    [{ turns: [{ prompt: 'x', deliver_when: 'agent_asks' }], end_when: { agent_response_matches: 'EUR\\?' } }],
    [{ turns: ['x'], end_when: { agent_response_matches: '\\?' } }],
    [{ turns: ['x'], end_when: { agent_response_meets: 'it is done', agent_response_matches: '.*' } }],
    [{ turns: [{ prompt: 'x', agent_response_matches: '\\?$' }], end_when: { agent_response_matches: 'EUR' } }],
    [{ user: { goal: 'g' }, end_when: { agent_response_meets: 'it says goodbye' } }],
  ])('%j', async (part) => {
    expect((await loadCase({ ...base, prompt: 'p', ...part })).case.cannot_run).toBeNull()
  })
})
