/** A session that is resumed has the settings of its start; a demo starts a new session where an unfinished one is, and improve itself refuses to. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { openHistory } from '../../../src/flows/improve/session/session.ts'
import { refuseChangedSettings } from '../../../src/flows/workspace/changed_settings.ts'
import { readSkill } from '../../../src/phases/1-plan/skill/read_skill.ts'
import { listSignedParts } from '../../../src/store/signing/signer.ts'
import { fresh } from '../../e2e/program.ts'
import { signerOf, testSigner } from '../../fixtures/signed_cache.ts'
import { requestHere } from './in_process.ts'

const example = path.join(import.meta.dirname, '../../../workspaces/example-improve/adder')

/** A workspace with the history of an unfinished session. */
function leaveUnfinished(): string {
  const workspace = fresh()
  mkdirSync(path.join(workspace, 'versions/v0'), { recursive: true })
  const split = { seed: 1, train: [1], held_out: [2], strata: [], suite_sha256: 'x', scope: '' }
  const left = { started_at: '2026-01-15T10:30:00Z', skill_name: 'adder', current_best: 'v0', iterations: [], split }
  const file = path.join(workspace, 'history.json')
  for (const [name, text] of listSignedParts({ file }, JSON.stringify(left), testSigner))
    writeFileSync(path.join(workspace, name), text)
  return workspace
}

async function open(workspace: string, replaceUnfinished: boolean, signer = testSigner) {
  const { skill } = await readSkill(example)
  const request = requestHere({ skill: example, workspace, env: {} }, { replaceUnfinished })
  return await openHistory(request, skill, { workspace, now: new Date(), signer })
}

test('an unfinished session is replaced only if that is asked for', async () => {
  const workspace = leaveUnfinished()
  await expect(open(workspace, false)).rejects.toThrow(/unfinished session/)
  expect(await open(workspace, true)).toMatchObject({ isNew: true, history: { iterations: [] } })
})

test('a session of somebody else is not resumed, and a new one may take its place', async () => {
  const theirs = signerOf('the key of somebody else')
  expect(await open(leaveUnfinished(), false, theirs)).toMatchObject({ isNew: true })
  const { skill } = await readSkill(example)
  const workspace = leaveUnfinished()
  const request = requestHere({ skill: example, workspace, env: {} }, { resume: true })
  const how = { workspace, now: new Date() }
  await expect(openHistory(request, skill, { ...how, signer: theirs })).rejects.toThrow(/no signature of yours/)
  await expect(openHistory(request, skill, { ...how, signer: testSigner })).rejects.not.toThrow(/signature/)
})

const start = {
  engine: 'anthropic',
  seed: 1,
  timeoutSeconds: 300,
  totalRuns: 250,
  certifyJudge: null,
  margins: { cost: 1 },
}

test.each([
  [{ seed: 2 }, '--resume: --seed is different from the start of the session'],
  [{ timeoutSeconds: 9 }, '--resume: --timeout is different'],
  [{ totalRuns: 9, certifyJudge: 'openai' }, '--resume: --total-runs, --certify-judge are different'],
  [{ margins: { cost: 2 } }, '--resume: --max-cost-increase, --max-time-increase or --max-loss is different'],
  [{ engine: undefined }, '--resume: --engine is different'],
])('%j', (changes, message) => {
  expect(() => refuseChangedSettings('session', start, { ...start, ...changes })).toThrow(message)
})

test('negative control: the same settings pass, also where the start had more', () => {
  refuseChangedSettings('session', { ...start, old: true }, { ...start, proposer: null })
})
