/** What holds Gemini CLI: background processes of its commands. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { findMarkedProcesses } from '../../src/base/process/marked_processes.ts'
import { needs } from '../require.ts'
import { contenders } from './contenders.ts'
import { ofType, openStage, perform, practice, type Stage } from './stage.ts'

vi.setConfig({ testTimeout: 240_000 })

let stage: Stage
beforeEach(async () => {
  stage = await openStage()
})
afterEach(() => stage[Symbol.asyncDispose]())

const { engine, cli, needs: needed, shell } = contenders.gemini ?? {}
needs(
  'the CLI of gemini',
  Boolean(cli),
  'npm run agents',
)('gemini', () => {
  if (engine === undefined || needed === undefined || shell === undefined) throw new Error('no such contender')
  const run = engine

  // the CLI itself would wait for 300 s, longer than this test may take
  test('a process in the background of a command does not hold the run, and is gone after it', async () => {
    const rules = [
      {
        name: 'begin',
        when: { turn: 1 },
        answer: { tool_calls: [shell('sleep 600 & echo $! > pid.txt; echo begun')] },
      },
      { name: 'end', answer: { text: 'all done {{results}}' } },
    ]
    await using server = await practice(JSON.stringify({ rules }))
    const { outcome, events } = await perform(run, stage.task(needed(server)))
    expect(outcome).toMatchObject({ status: 'completed', report: { stopReason: 'end_turn' } })
    expect(outcome.report.finalResponse).toMatch(/all done[\s\S]*begun/)
    expect(ofType(events, 'tool_result')).toMatchObject([{ output: expect.stringContaining('begun') }])
    expect(await findMarkedProcesses(stage.mark)).toEqual([])
  })
})
