/** The note on conversations that ended before all was said, by configuration. */
import { expect, test } from 'vitest'
import type { ConversationEnd } from '../../../../schemas/conversation.ts'
import { aggregate } from '../../../../src/phases/4-report/benchmark/aggregate.ts'
import { arm, inputOf } from '../fixture.ts'

const talk = (ended: ConversationEnd) => ({
  record: { conversation: { turns: [{ prompt: 'p', answer: 'a', step: 1 }], ended } },
})
const notesOf = (withSkill: ConversationEnd, without: ConversationEnd) =>
  aggregate(
    inputOf([
      ...arm(1, 'with_skill', ['+', '+'], talk(withSkill)),
      ...arm(1, 'without_skill', ['-', '-'], talk(without)),
    ]),
  ).notes.filter((note) => note.startsWith('Conversations'))

test('how many ended early, and why', () => {
  expect(notesOf('all_delivered', 'agent_did_not_ask')).toEqual([
    'Conversations ended: 2 runs with skill: 2 × every message was sent; 2 runs without skill: 2 × the agent did not ask.',
  ])
})
test('nothing where every conversation came to its end, or there was none', () => {
  expect(notesOf('all_delivered', 'goal_met')).toEqual([])
  const plain = aggregate(inputOf([...arm(1, 'with_skill', ['+']), ...arm(1, 'without_skill', ['-'])]))
  expect(plain.notes.filter((note) => note.startsWith('Conversations'))).toEqual([])
})
