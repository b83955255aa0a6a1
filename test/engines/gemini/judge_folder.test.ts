/** Files that an agent left keep Gemini CLI from judging their folder: it can't be told to leave them out. */
import { existsSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { gemini } from '../../../src/engines/gemini/gemini.ts'
import { openStage, perform } from '../stage.ts'

test.each([
  ['GEMINI.md', false],
  ['deep/.gemini/settings.json', false],
  ['notes.md', true],
])('with %s in the folder, the program starts: %s', async (name, starts) => {
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
