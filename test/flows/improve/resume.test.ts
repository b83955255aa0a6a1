/** A demo starts a new session where an unfinished one is; `improve` itself refuses to. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { archiveSession } from '../../../src/flows/improve/session/archive_session.ts'
import { openHistory } from '../../../src/flows/improve/session/session.ts'
import { readSkill } from '../../../src/phases/1-plan/skill/read_skill.ts'
import { fresh } from '../../e2e/program.ts'
import { contextHere, requestHere } from './in_process.ts'

const example = path.join(import.meta.dirname, '../../../workspaces/example-improve/adder')

/** A workspace with the history of an unfinished session. */
function leaveUnfinished(): string {
  const workspace = fresh()
  mkdirSync(path.join(workspace, 'versions/v0'), { recursive: true })
  const split = { seed: 1, train: [1], held_out: [2], strata: [], suite_sha256: 'x', scope: '' }
  const left = { started_at: '2026-01-15T10:30:00Z', skill_name: 'adder', current_best: 'v0', iterations: [], split }
  writeFileSync(path.join(workspace, 'history.json'), JSON.stringify(left))
  return workspace
}

async function open(workspace: string, replaceUnfinished: boolean) {
  const { skill } = await readSkill(example)
  const request = requestHere({ skill: example, workspace, env: {} }, { replaceUnfinished })
  return await openHistory(request, skill, { workspace, now: new Date() })
}

test('an unfinished session is replaced only if that is asked for', async () => {
  const workspace = leaveUnfinished()
  await expect(open(workspace, false)).rejects.toThrow(/unfinished session/)
  expect(await open(workspace, true)).toMatchObject({ isNew: true, history: { iterations: [] } })
})

test('what is replaced is kept in sessions/, and the user reads where', async () => {
  const workspace = leaveUnfinished()
  const said: string[] = []
  await archiveSession({ workspace }, contextHere({ skill: example, workspace, env: {} }, said))
  expect(said).toEqual([expect.stringMatching(/^the unfinished session before this one is now in sessions\/\S+ of/)])
  const [name = ''] = readdirSync(path.join(workspace, 'sessions'))
  const kept = path.join(workspace, 'sessions', name)
  expect(readFileSync(path.join(kept, 'history.json'), 'utf8')).toContain('2026-01-15')
  expect(existsSync(path.join(kept, 'versions/v0'))).toBe(true)
  expect(existsSync(path.join(workspace, 'history.json'))).toBe(false)
})
