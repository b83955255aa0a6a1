/** program_called: the agent's calls count, by program and arguments; a run without a record of calls is undecided. */
import { describe, expect, test } from 'vitest'
import { check as checkSchema } from '../../../schemas/check.ts'
import type { ProgramCall } from '../../../schemas/program.ts'
import { decideCheck } from '../../../src/phases/3-judge/checks/decide_check.ts'
import { sceneWith } from './scene.ts'

const calls: ProgramCall[] = [
  { phase: 'setup', program: 'gh', args: ['auth', 'status'] },
  { phase: 'agent', program: 'gh', args: ['pr', 'list', '--state', 'open'] },
  { phase: 'agent', program: 'gh', args: ['pr', 'view', '7'] },
  { phase: 'agent', program: 'kubectl', args: [] },
]
const decide = async (more: object, programCalls = async (): Promise<readonly ProgramCall[] | null> => calls) =>
  await decideCheck(checkSchema.parse({ type: 'program_called', ...more }), await sceneWith({}, { programCalls }))

describe('program_called', () => {
  test.each<[object, boolean, string]>([
    [{ program: 'gh' }, true, '2 such calls; gh pr list --state open'],
    [{ program: 'gh', args: '^pr view \\d+$' }, true, '1 such call; gh pr view 7'],
    [
      { program: 'gh', args: 'auth' },
      false,
      'no such call; calls: gh pr list --state open; gh pr view 7; wanted: at least 1',
    ],
    [{ program: 'helm' }, false, 'helm was not called; wanted: at least 1'],
    [{ program: 'gh', times: { max: 1 } }, false, 'wanted: at most 1'],
    [{ program: 'gh', args: 'delete', times: { equals: 0 } }, true, 'no such call'],
  ])('%j: %s', async (more, passed, evidence) => {
    expect(await decide(more)).toEqual({ passed, evidence: expect.stringContaining(evidence) })
  })
  test('is undecided without a record', async () => {
    const verdict = await decide({ program: 'gh', times: { equals: 0 } }, async () => null)
    expect(verdict).toEqual({ error: expect.stringContaining('no record of calls') })
  })
})
