/** What a worker with a key takes for a job: signed, of this id, and not expired. */
import { describe, expect, test } from 'vitest'
import type { QueueJob } from '../../../../schemas/queue_job.ts'
import { parseTrustedJob } from '../../../../src/flows/queue/worker/trusted_job.ts'
import { createSigner } from '../../../../src/jobs/queue/sign.ts'
import { fresh, makeSkill } from '../../../e2e/program.ts'
import { planHere } from '../here.ts'

const signer = createSigner(Buffer.from('k'.repeat(40)))
const engines = ['command']
const now = new Date('2026-01-15T10:30:00Z')
const skill = makeSkill([{ id: 1, prompt: 'task', checks: [{ type: 'contains', value: 'TIDY' }] }])
const [run] = (await planHere({ skill, engine: 'command:true', workspace: fresh() })).plan.runs
if (run === undefined) throw new Error('no run is planned')
const job: QueueJob = {
  ...{
    schema_version: 4,
    benchmark: '0123456789abcdef',
    attempt: 1,
    run,
    inputs: null,
    prompt: null,
    skills: {},
    pass_env: [],
  },
  ...{ sandbox: { mode: 'auto', network: null }, idle_ms: null, keep_work: false, signature: null },
  expires_at: '2026-01-15T10:31:00.000Z',
}
const signed = (one: QueueJob, id = 'a') => ({ ...one, signature: signer.sign({ id, ...one }) })

describe('a worker with a key', () => {
  const refusals = (data: unknown, id = 'a') => {
    const told: string[] = []
    try {
      parseTrustedJob({ id, data }, { signer, now, engines, refused: (reason) => void told.push(reason) })
    } catch (error) {
      expect(told).toEqual([error instanceof Error ? error.message : ''])
    }
    return told
  }
  const late = { ...job, expires_at: '2026-01-15T10:29:59.000Z' }
  test.each([
    ['takes a job that is signed', signed(job), 'a', []],
    [
      'refuses it when it has expired',
      signed(late),
      'a',
      [expect.stringContaining('is signed until 2026-01-15T10:29:59')],
    ],
    [
      'and when somebody gave it more time',
      { ...signed(late), expires_at: job.expires_at },
      'a',
      [expect.stringContaining('not signed')],
    ],
    ['and under another id', signed(job), 'b', [expect.stringContaining('not signed')]],
    ['and unsigned', job, 'a', [expect.stringContaining('not signed')]],
    [
      'and one of an engine that it does not offer, whatever queue it lies in',
      signed({ ...job, run: { ...run, engine: { ...run.engine, name: 'codex' } } }),
      'a',
      [expect.stringContaining('of the engine codex, which this worker does not offer')],
    ],
  ])('%s', (_what, data, id, told) => expect(refusals(data, id)).toEqual(told))
  test('control: one without a key takes it expired and unsigned', () => {
    expect(parseTrustedJob({ id: 'b', data: late }, { signer: null, now, engines, refused: () => {} })).toEqual(late)
  })
})
