/** An eval that is killed or interrupted goes on with the same command. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { whetstone } from '../program.ts'
import { resumeStage } from './resume_stage.ts'

/** The program with a model that needs 150 ms, ended by the signal after so many runs. */
const endedAfter = (runs: number, signal: NodeJS.Signals) => ({
  scenario: { latency: 150 },
  start: (args: readonly string[], { env }: { env: Record<string, string> }) =>
    whetstone(args, {
      env,
      started: (child) => {
        let seen = 0
        child.stdout?.on('data', (text: string) => {
          seen += text.split('"run_finished"').length - 1
          if (seen >= runs && !child.killed) child.kill(signal)
        })
      },
    }),
})

test('killed in the middle: the same command makes what is missing, in the same folder', async () => {
  const { ran, folders } = resumeStage()
  await ran(endedAfter(3, 'SIGKILL'))
  const [folder = ''] = folders()
  expect(existsSync(path.join(folder, 'eval.json'))).toBe(false)
  const { created_at } = JSON.parse(readFileSync(path.join(folder, 'plan.json'), 'utf8'))
  const again = await ran()
  expect(again.end.code, again.end.stderr).toBe(0)
  expect(folders()).toEqual([folder])
  expect(again.planned.done).toBeGreaterThanOrEqual(3)
  expect(again.asked).toBe(6 - again.planned.done)
  expect(again.result.summary).toMatchObject({ total: 6, passed: 6 })
  expect(again.result.started_at).toBe(created_at)
  // it is whole: the next one starts again
  const next = await ran()
  expect([next.asked, folders().length]).toEqual([6, 2])
})

test('Ctrl-C keeps what ended, and continue with the same command', async () => {
  const { ran, folders } = resumeStage()
  const cut = await ran(endedAfter(2, 'SIGINT'))
  expect(cut.end.code, cut.end.stderr).toBe(130)
  expect(cut.result.summary.skipped).toBeGreaterThan(0)
  const again = await ran()
  expect(again.end.code, again.end.stderr).toBe(0)
  expect(cut.asked + again.asked).toBe(6)
  expect(again.result.started_at).toBe(cut.result.started_at)
  expect(again.result.duration_seconds).toBeGreaterThan(cut.result.duration_seconds)
  expect(folders()).toHaveLength(1)
})

test('two at once: the second is told who is at work, and may start beside with --fresh', async () => {
  const { ran, folders } = resumeStage()
  const first = ran({ scenario: { latency: 2000 }, start: whetstone })
  await expect.poll(() => folders().some((folder) => existsSync(path.join(folder, 'plan.json')))).toBe(true)
  const second = await ran()
  expect(second.end).toMatchObject({ code: 2, stderr: expect.stringMatching(/has been at work there[\s\S]*--fresh/) })
  const beside = await ran({ args: ['--fresh'] })
  expect(beside.end.code, beside.end.stderr).toBe(0)
  expect((await first).result.summary.passed).toBe(6)
})
