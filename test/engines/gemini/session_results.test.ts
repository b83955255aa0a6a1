/** Gemini CLI's session file before a resume: repeated results go, all else stays; a link is never followed. */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { dropRepeatedResults } from '../../../src/engines/gemini/session_results.ts'

const result = { functionResponse: { id: 'call-1', response: { output: 'seven' } } }
/** As it records a call after a resume. */
const bareCall = { id: '2', type: 'gemini', content: [{ functionCall: { id: 'call-1', name: 'run', args: {} } }] }
const user = { id: '1', type: 'user', content: [{ text: 'run it' }] }
const answer = { id: '2', type: 'gemini', content: '', toolCalls: [{ id: 'call-1', result: [result] }] }
const repeated = { id: '3', type: 'user', content: [result] }
const setTo = (messages: object[]) => ({ $set: { messages, lastUpdated: 'now' } })
const toLines = (records: object[]) => `${records.map((one) => JSON.stringify(one)).join('\n')}\nnot JSON\n`

let home: string
let file: string
const drop = () => dropRepeatedResults(home, path.join(home, '.gemini/tmp'))
beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'gemini-home-'))
  file = path.join(home, '.gemini/tmp/work/chats/session-1.jsonl')
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, toLines([user, answer, repeated, setTo([user, answer, repeated])]))
  return () => rm(home, { recursive: true, force: true })
})
const outside = async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'outside-'))
  cleanUp.push(folder)
  return folder
}
const cleanUp: string[] = []
afterEach(async () => {
  for (const folder of cleanUp.splice(0)) await rm(folder, { recursive: true, force: true })
})

test('the repeated results go, all else stays as it is', async () => {
  expect(drop()).toBeNull()
  expect(await readFile(file, 'utf8')).toBe(toLines([user, answer, setTo([user, answer])]))
})

test('the result of a call that is recorded without it stays', async () => {
  const resumed = toLines([setTo([user, bareCall, repeated]), user])
  await writeFile(file, resumed)
  expect(drop()).toBeNull()
  expect(await readFile(file, 'utf8')).toBe(resumed)
})

test('the file that a start in a later minute left is removed', async () => {
  const later = path.join(path.dirname(file), 'session-2.jsonl')
  await writeFile(later, toLines([user, repeated]))
  expect(drop()).toBeNull()
  expect(existsSync(later)).toBe(false)
  expect(existsSync(file)).toBe(true)
})

test('a session that is gone, or is a link, is not prepared', async () => {
  const target = path.join(await outside(), 'own.txt')
  await writeFile(target, 'mine')
  await rm(file)
  expect(drop()).toMatch(/removed the file of its session/)
  await symlink(target, file)
  expect(drop()).toMatch(/removed the file of its session/)
  expect(await readFile(target, 'utf8')).toBe('mine')
  await rm(path.join(home, '.gemini'), { recursive: true })
  expect(drop()).toMatch(/removed the file of its session/)
})

test('nothing is written through a folder that has become a link', async () => {
  const folder = await outside()
  const text = toLines([user, repeated])
  await mkdir(path.join(folder, 'work/chats'), { recursive: true })
  await writeFile(path.join(folder, 'work/chats/session-1.jsonl'), text)
  await rm(path.join(home, '.gemini/tmp'), { recursive: true })
  await symlink(folder, path.join(home, '.gemini/tmp'))
  expect(drop()).toMatch(/has replaced a folder of its settings/)
  expect(await readFile(path.join(folder, 'work/chats/session-1.jsonl'), 'utf8')).toBe(text)
})
