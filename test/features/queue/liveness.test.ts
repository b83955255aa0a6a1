/** Who keeps up a note lives, whatever the clocks say, and who does not is silent after a while; who asks for a beat waits for the pass after that one. */
import { expect, test } from 'vitest'
import type { WorkerNote } from '../../../schemas/queue_job.ts'
import { type LimitNote, LiveNotes } from '../../../src/features/queue/liveness.ts'

const hour = 3_600_000

/** Looks one second after the other, `at` of the note in each; which of them found it silent. */
function silentAt(ats: readonly (number | null)[], secondsOf = (look: number) => look): number[] {
  let look = 0
  const kept = new LiveNotes<LimitNote>('limit', 4000, () => secondsOf(look) * 1000)
  return ats.flatMap((at, index) => {
    look = index
    const note = {
      kind: 'limit' as const,
      benchmark: 'a',
      account: 'key',
      limit: 2,
      at: new Date(at ?? 0).toISOString(),
    }
    return kept.look(at === null ? [] : [note]).silent.length > 0 ? [index] : []
  })
}

test.each([
  ['as it was for longer than that', [5, 5, 5, 5, 5, 5, 5], [5, 6]],
  ['with another word in time', [5, 5, 5, 5, 6, 6, 6, 6], []],
  ['an hour ahead, and kept up', [hour, hour + 1, hour + 2, hour + 3, hour + 4, hour + 5], []],
  ['years behind, and kept up', [1, 2, 3, 4, 5, 6], []],
  ['of a clock that was put back', [9, 9, 9, 3, 3, 3, 3], []],
  ['taken down, and there once more', [5, 5, 5, 5, null, 5, 5, 5], []],
  ['silent, and heard of again', [5, 5, 5, 5, 5, 5, 7, 7], [5]],
] as const)('a note %s', (_name, ats, silent) => {
  expect(silentAt(ats)).toEqual(silent)
})

test('who was away itself judges nobody by that time', () => {
  const away = (look: number) => (look < 3 ? look : look + 100)
  expect(silentAt([5, 5, 5, 5, 5, 5, 5, 5, 5], away)).toEqual([8])
})

test('a worker lives as long as it changes its note, by whatever clock; one that was killed is silent after a while', () => {
  let look = 0
  const workers = new LiveNotes<WorkerNote>('worker', 4000, () => look * 1000)
  const note = (worker: string, at: number): WorkerNote => ({
    ...{ kind: 'worker', worker, host: 'h', pid: 1, version: '1', engines: ['command'], tags: [], queues: [] },
    ...{ lacks: [], places: 1, busy: 0, done: 0, failed: 0, refusals: 0 },
    ...{ started_at: new Date(0).toISOString(), at: new Date(at).toISOString() },
  })
  const living: string[][] = []
  for (; look < 7; look += 1) {
    const notes = [note('behind', look * 1000), note('killed, its clock ahead', 9e12)]
    living.push(workers.look(notes).kept.map(({ worker }) => worker))
  }
  expect(living[4]).toEqual(['behind', 'killed, its clock ahead'])
  expect(living.slice(5)).toEqual([['behind'], ['behind']])
})
