/** What is particular to Gemini CLI: it can't be told to leave out files of a folder that it judges, and its session file repeats results. */
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { gemini } from '../../../src/features/gemini/gemini.ts'
import { dropRepeatedResults } from '../../../src/features/gemini/session_file.ts'
import { openStage, perform } from '../../engines/stage.ts'

test.each([
  ['GEMINI.md', false],
  ['deep/.gemini/settings.json', false],
  ['notes.md', true],
])('with %s in the folder that it judges, the program starts: %s', async (name, starts) => {
  await using stage = await openStage()
  await mkdir(path.dirname(path.join(stage.cwd, name)), { recursive: true })
  await writeFile(path.join(stage.cwd, name), '{}')
  const program = path.join(stage.home, 'gemini')
  await writeFile(program, '#!/bin/sh\ntouch "$HOME/started"\n')
  await chmod(program, 0o755)
  const credentials = { WHETSTONE_GEMINI: program }
  const { outcome } = await perform(gemini, stage.task({ credentials, tools: 'read_only' }))
  expect(outcome.status).toBe('failed')
  expect(existsSync(path.join(stage.home, 'started'))).toBe(starts)
  if (!starts)
    expect(outcome).toMatchObject({ error: { kind: 'bad_request', message: expect.stringContaining('judge') } })
})

describe('the session file before a resume: repeated results go, all else stays; a link is never followed', () => {
  const result = { functionResponse: { id: 'call-1', response: { output: 'seven' } } }
  /** As it records a call after a resume. */
  const bareCall = { id: '2', type: 'gemini', content: [{ functionCall: { id: 'call-1', name: 'run', args: {} } }] }
  const user = { id: '1', type: 'user', content: [{ text: 'run it' }] }
  const answer = { id: '2', type: 'gemini', content: '', toolCalls: [{ id: 'call-1', result: [result] }] }
  const repeated = { id: '3', type: 'user', content: [result] }
  const setTo = (messages: object[]) => ({ $set: { messages, lastUpdated: 'now' } })
  const toLines = (records: object[]) => `${records.map((one) => JSON.stringify(one)).join('\n')}\nnot JSON\n`
  const temporary = async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'gemini-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    return folder
  }

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
    const target = path.join(await temporary(), 'own.txt')
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
    const folder = await temporary()
    const text = toLines([user, repeated])
    await mkdir(path.join(folder, 'work/chats'), { recursive: true })
    await writeFile(path.join(folder, 'work/chats/session-1.jsonl'), text)
    await rm(path.join(home, '.gemini/tmp'), { recursive: true })
    await symlink(folder, path.join(home, '.gemini/tmp'))
    expect(drop()).toMatch(/has replaced a folder of its settings/)
    expect(await readFile(path.join(folder, 'work/chats/session-1.jsonl'), 'utf8')).toBe(text)
  })
})
