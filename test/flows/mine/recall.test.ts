/** Recurring tasks in 300 generated sessions are found; near-duplicates and resumed sessions count as one. */
import { expect, test } from 'vitest'
import { readSessionTask } from '../../../src/flows/mine/read_session_task.ts'
import { findMinedTasks } from '../../../src/phases/1-plan/mine/recurring_tasks.ts'
import { type GeneratedSession, generateSessions } from './generate_sessions.ts'

const minCount = 2

const mineTasks = (generated: readonly GeneratedSession[], least?: number) =>
  findMinedTasks(
    generated.flatMap(({ session }) => readSessionTask(session) ?? []),
    { minCount, ...(least !== undefined && { least }) },
  )

/** The task that most sessions of a group have, and how many. */
function findMainTask(group: readonly (number | null)[]): [task: number | null, count: number] {
  const counts = new Map<number, number>()
  for (const task of group) if (task !== null) counts.set(task, (counts.get(task) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1])[0] ?? [null, 0]
}

const isPure = (group: readonly (number | null)[]) => findMainTask(group)[1] >= 0.8 * group.length

/** Shares from 0 to 1. `recall`: of recurring tasks that have a pure group with more than half of their sessions; `precision`: of groups that are pure. */
async function measure(generated: readonly GeneratedSession[], least?: number) {
  const found = await mineTasks(generated, least)
  const taskById = new Map(generated.map((one) => [one.session.id, one.task]))
  const sizes = new Map<number, number>()
  for (const { task, copyOf } of generated)
    if (task !== null && copyOf === null) sizes.set(task, (sizes.get(task) ?? 0) + 1)
  const recurring = [...sizes].filter(([, size]) => size >= minCount)
  const groups = found.tasks
    .filter(({ recurs }) => recurs)
    .map(({ sessions }) => sessions.map(({ id }) => taskById.get(id) ?? null))
  const pure = groups.filter(isPure)
  const recalled = recurring.filter(([task, size]) =>
    pure.some((group) => findMainTask(group)[0] === task && findMainTask(group)[1] > size / 2),
  )
  return { recall: recalled.length / recurring.length, precision: pure.length / groups.length, groups: groups.length }
}

const seeds = [1, 2, 3]

async function measureSeeds(half: 'tuning' | 'held_out', least?: number) {
  const all: Awaited<ReturnType<typeof measure>>[] = []
  for (const seed of seeds) all.push(await measure(generateSessions(half, { seed }), least))
  const mean = (key: 'recall' | 'precision') => all.reduce((sum, one) => sum + one[key], 0) / all.length
  return { recall: mean('recall'), precision: mean('precision'), worst: Math.min(...all.map(({ recall }) => recall)) }
}

for (const half of ['tuning', 'held_out'] as const)
  test(`${half} wordings: of the recurring tasks at least 90% are found, and at least 90% of the groups are one task`, async () => {
    expect(generateSessions(half)).toHaveLength(300)
    const { recall, precision, worst } = await measureSeeds(half)
    const share = (value: number) => value.toFixed(3)
    console.log(`${half}: recall ${share(recall)} (lowest ${share(worst)}), precision ${share(precision)}`)
    expect(recall).toBeGreaterThanOrEqual(0.9)
    expect(precision).toBeGreaterThanOrEqual(0.9)
  })

test('the figures depend on the similarity: too strict and paraphrases are lost, too lax and tasks are mixed', async () => {
  const generated = generateSessions('held_out')
  expect((await measure(generated, 0.75)).recall).toBeLessThan(0.9)
  expect((await measure(generated, 0.1)).precision).toBeLessThan(0.9)
})

test('a near-duplicate is in the group of its original; a resumed session is the same session, and its task does not recur for that', async () => {
  const generated = generateSessions('held_out')
  const { tasks, copies } = await mineTasks(generated)
  const resumed = generated.filter(({ copyOf }) => copyOf !== null)
  expect(resumed.length).toBeGreaterThan(5)
  expect(copies).toBe(resumed.length)
  const groupOf = (id: string) => tasks.findIndex(({ sessions }) => sessions.some((one) => one.id === id))
  const duplicates = generated.filter(({ duplicateOf }) => duplicateOf !== null)
  expect(duplicates.length).toBeGreaterThan(5)
  const original = (id: string): string =>
    generated.find(({ session, copyOf }) => session.id === id && copyOf !== null)?.copyOf ?? id
  const split = duplicates.filter(({ session, duplicateOf }) => {
    const [own, other] = [groupOf(session.id), groupOf(original(duplicateOf ?? ''))]
    return own !== -1 && other !== -1 && own !== other
  })
  expect(split).toEqual([])
})

test('every session is in one task, and so on one side of the split, whatever the order of the records', async () => {
  const generated = generateSessions('tuning')
  const { tasks, copies } = await mineTasks(generated)
  const ids = tasks.flatMap(({ sessions }) => sessions.map(({ id }) => id))
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.length + copies).toBe(300)
  const held = tasks.filter(({ recurs, split }) => recurs && split === 'held_out').length
  const recurring = tasks.filter(({ recurs }) => recurs).length
  expect(held / recurring).toBeCloseTo(2 / 3, 1)
})
