/** 200 planted secrets and personal data do not come out of `mine`; without the redaction all of them do. */
import { expect, test } from 'vitest'
import { createPersonalRedactor } from '../../../src/base/secrets/personal_data.ts'
import { readSessionTask } from '../../../src/flows/mine/read_session_task.ts'
import { redactTasks } from '../../../src/flows/mine/redact_tasks.ts'
import { draftMinedCase } from '../../../src/phases/1-plan/mine/draft_mined_cases.ts'
import { draftMinedQueries } from '../../../src/phases/1-plan/mine/mined_queries.ts'
import { writeMinedReport } from '../../../src/phases/1-plan/mine/mined_report.ts'
import { findMinedTasks } from '../../../src/phases/1-plan/mine/recurring_tasks.ts'
import type { SessionTask } from '../../../src/phases/1-plan/mine/session_task.ts'
import { buildSession } from './generate_sessions.ts'
import { planted } from './planted.ts'

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
    const { tasks } = await findMinedTasks([one], { minCount: 1 })
    const drafted = tasks.map((task, at) => ({ task, case: draftMinedCase(task, at + 1) }))
    const queries = draftMinedQueries(tasks, 'tables')
    const report = writeMinedReport({
      ...{ skill: 'tables', sessions: 1, copies: 0, refused: [], leftOut: {}, removed: {}, warnings: [] },
      ...{ tasks, drafted, queries },
    })
    parts.push(JSON.stringify(drafted.map((each) => each.case)), JSON.stringify(queries.queries), report)
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

test('the planted values need each kind of form', () => {
  const names = new Set(planted.flatMap(({ text }) => findMarks(createPersonalRedactor({}, [text]).text(text))))
  for (const name of [
    'email',
    'phone',
    'iban',
    'ip-address',
    'card-number',
    'secret',
    'name',
    'home',
    'token',
    'web-token',
    'private-key',
    'address',
    'birthday',
    'cookie',
    'mac-address',
    'social-security',
    'id-number',
  ])
    expect([...names]).toContain(name)
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

function findMarks(text: string): string[] {
  return [...text.matchAll(/\[redacted:([^\]]+)\]/g)].map(([, name = '']) => name)
}
