/** Recurring tasks in 300 generated sessions are found, near-duplicates and resumed sessions count as one, and none of 200 planted secrets and personal data comes out. */
import { expect, test } from 'vitest'
import { readSessionTask, redactTasks } from '../../../../src/features/sessions/draft/init_from_sessions.ts'
import { createPersonalRedactor } from '../../../../src/features/sessions/draft/personal_data.ts'
import { findRecurringTasks, type SessionTask } from '../../../../src/features/sessions/draft/recurring_tasks.ts'
import { draftSessionCase, draftSessionQueries } from '../../../../src/features/sessions/draft/session_cases.ts'
import { buildSession, type GeneratedSession, generateSessions } from './generate_sessions.ts'
import { planted } from './planted.ts'

const findTasks = (generated: readonly GeneratedSession[], least?: number) =>
  findRecurringTasks(
    generated.flatMap(({ session }) => readSessionTask(session) ?? []),
    least === undefined ? {} : { least },
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
  const found = await findTasks(generated, least)
  const taskById = new Map(generated.map((one) => [one.session.id, one.task]))
  const sizes = new Map<number, number>()
  for (const { task, copyOf } of generated)
    if (task !== null && copyOf === null) sizes.set(task, (sizes.get(task) ?? 0) + 1)
  const recurring = [...sizes].filter(([, size]) => size >= 2)
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
  const { tasks, copies } = await findTasks(generated)
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
  const { tasks, copies } = await findTasks(generated)
  const ids = tasks.flatMap(({ sessions }) => sessions.map(({ id }) => id))
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.length + copies).toBe(300)
  const held = tasks.filter(({ recurs, split }) => recurs && split === 'held_out').length
  const recurring = tasks.filter(({ recurs }) => recurs).length
  expect(held / recurring).toBeCloseTo(2 / 3, 1)
})

/** Each value is in a first message, or in a correction, or in the last answer. */
function plantedTasks(): SessionTask[] {
  return planted.flatMap(({ text }, index) => {
    const task = 'Convert the monthly figures to a table'
    const messages =
      index % 3 === 0
        ? [`${task}, ${text}`]
        : index % 3 === 1
          ? [task, `No, that should be different: ${text}`]
          : [task, 'Thanks!']
    const session = buildSession(`s-${index}`, index, messages)
    const read = readSessionTask(session)
    if (read === null) return []
    return [index % 3 === 2 ? { ...read, answer: text } : read]
  })
}

/** All that is written about these sessions, with a case for each of them, so that nothing is left out for its number. */
async function writeAll(given: readonly SessionTask[]): Promise<string> {
  const parts: string[] = []
  for (const one of given) {
    const { tasks } = await findRecurringTasks([{ ...one, skills: ['tables'] }])
    parts.push(JSON.stringify([tasks.map(draftSessionCase), draftSessionQueries(tasks, 'tables')]))
  }
  return parts.join('\n').replaceAll('\\\\', '\\').replaceAll('\\"', '"')
}

const leaked = (text: string) => planted.filter(({ value }) => text.includes(value)).map((one) => one.text)

test('none of 200 planted values comes out', async () => {
  expect(planted).toHaveLength(200)
  expect(new Set(planted.map(({ value }) => value)).size).toBeGreaterThan(190)
  const { tasks, redactor } = redactTasks(plantedTasks(), { env: {}, places: ['/home/mira.oduya/x.jsonl'] })
  const text = await writeAll(tasks)
  expect(leaked(text)).toEqual([])
  expect(text).not.toMatch(/mira|oduya/i)
  const removed = Object.values(redactor.removed()).reduce((sum, count) => sum + count, 0)
  expect(removed).toBeGreaterThanOrEqual(200)
})

test('control: without the redaction all 200 come out', async () => {
  expect(leaked(await writeAll(plantedTasks()))).toHaveLength(200)
})

test.each([
  'Convert q3-report_final.v2.csv to Excel with a chart by 2026-01-31',
  'The token is expired and the password is wrong: fix the login in src/auth/login.ts',
  'Install lodash@4.17.21 and react@latest, version 1.2.3 of the module',
  'Bind the server to 127.0.0.1:8080 at 12:30:45',
  'Sort by columns 1, 2 and 3, keep the top 100 of 25000 rows',
  'Thanks, use the Quarterly Report template for Excel',
])('leaves "%s" as it is', (text) => {
  expect(createPersonalRedactor({}, [text]).text(text)).toBe(text)
})

test('a name in one message is removed from all', () => {
  const texts = ['My name is Quentin Vasquel.', 'Sign it as Quentin']
  const { text } = createPersonalRedactor({ USER: 'qvasquel' }, texts)
  expect(text('Sign it as Quentin, owner qvasquel')).toBe('Sign it as [redacted:name], owner [redacted:user]')
})
