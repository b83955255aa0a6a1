/** A beat that is asked for while it works: each who asks waits for the pass after that one, and for no later one. */
import { expect, test } from 'vitest'
import { startIntervalTask } from '../../../src/flows/queue/interval_task.ts'

const settled = () => new Promise((resolve) => setImmediate(resolve))

/** A beat whose passes end one by one, when they are let. */
function heldBeat() {
  const ends: ((isWell: boolean) => void)[] = []
  const state = { begun: 0, atOnce: 0, most: 0 }
  const beat = startIntervalTask(async () => {
    state.begun += 1
    state.atOnce += 1
    state.most = Math.max(state.most, state.atOnce)
    const isWell = await new Promise<boolean>((resolve) => ends.push(resolve))
    state.atOnce -= 1
    if (!isWell) throw new Error('this pass has failed')
  }, 1_000_000)
  const end = async (isWell = true) => {
    ends.shift()?.(isWell)
    await settled()
  }
  return { beat, state, end, [Symbol.dispose]: () => beat.stop() }
}

test('in a burst each resolves when its own pass is over, and those that came during one share the next', async () => {
  using held = heldBeat()
  const over: string[] = []
  const ask = async (who: string) => {
    void held.beat.soon().then(() => over.push(who))
    await settled()
  }
  await ask('first')
  for (const who of ['second', 'with the second']) await ask(who)
  expect([held.state.begun, over]).toEqual([1, []])
  await held.end()
  expect([held.state.begun, over]).toEqual([2, ['first']])
  await ask('third')
  expect(held.state.begun).toBe(2)
  await held.end(false)
  expect([held.state.begun, over]).toEqual([3, ['first', 'second', 'with the second']])
  await held.end()
  expect([held.state.begun, over]).toEqual([3, ['first', 'second', 'with the second', 'third']])
  expect(held.state.most).toBe(1)
  await ask('much later')
  expect(held.state.begun).toBe(4)
  await held.end()
  expect(over.at(-1)).toBe('much later')
})
