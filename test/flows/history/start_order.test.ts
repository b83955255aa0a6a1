/** The longest expected runs start first; what is not known changes nothing. */
import { describe, expect, test } from 'vitest'
import { createStartQueue, type StartQueue } from '../../../src/flows/history/start_order.ts'

const run = (eval_id: number, configuration: string, timeout_seconds = 300) => ({
  eval_id,
  configuration,
  timeout_seconds,
})
const pairs = [1, 2, 3].flatMap((id) => [run(id, 'with_skill'), run(id, 'without_skill')])
type Run = ReturnType<typeof run>

/** The cases in the order in which they start, with nothing learned on the way. */
function order(queue: StartQueue<Run>): number[] {
  const ids: number[] = []
  for (let next = queue.next(); next !== null; next = queue.next()) ids.push(next.eval_id)
  return ids
}

describe('runs start', () => {
  test.each<[string, [number, number][], number[]]>([
    ['nothing known: as planned', [], [1, 1, 2, 2, 3, 3]],
    [
      'longest first, the arms side by side',
      [
        [1, 5],
        [2, 1],
        [3, 9],
      ],
      [3, 3, 1, 1, 2, 2],
    ],
    [
      'a new case may be the longest',
      [
        [1, 5],
        [2, 7],
      ],
      [3, 3, 2, 2, 1, 1],
    ],
    ['what another suite took says nothing', [[8, 5]], [1, 1, 2, 2, 3, 3]],
  ])('%s', (_what, known, wanted) => expect(order(createStartQueue(pairs, new Map(known)))).toEqual(wanted))
  test('without history one pair of each case shows what it takes, then the longest go first', () => {
    const queue = createStartQueue(
      [...pairs, ...pairs.map((one) => ({ ...one })), ...pairs.map((one) => ({ ...one }))],
      new Map(),
    )
    const first = Array.from({ length: 6 }, () => queue.next()?.eval_id)
    expect(first).toEqual([1, 1, 2, 2, 3, 3])
    queue.learn(1, 2)
    queue.learn(2, 5)
    queue.learn(2, 9)
    expect(queue.next()?.eval_id, 'still lasts, and may be the longest').toBe(3)
    queue.learn(3, 4)
    expect(order(queue)).toEqual([2, 2, 2, 2, 3, 3, 3, 1, 1, 1, 1])
  })
  test('what this benchmark took moves what an earlier one took', () => {
    const queue = createStartQueue(
      [...pairs],
      new Map([
        [1, 9],
        [2, 5],
        [3, 1],
      ]),
    )
    queue.learn(1, 1)
    queue.learn(1, 1)
    queue.learn(4, 100)
    expect(order(queue)).toEqual([2, 2, 1, 1, 3, 3])
  })
})
