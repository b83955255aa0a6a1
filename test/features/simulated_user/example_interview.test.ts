/** workspaces/example-interview: with the skill the agent asks and the user answers; the same seed gives the same dialogue. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { simulatedUser } from '../../../schemas/conversation.ts'
import type { RunRecord } from '../../../schemas/run.ts'
import { walk } from '../../../src/base/fs/files.ts'
import { loadScenario } from '../../../src/features/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/features/practice/server.ts'
import { keysFor } from '../../engines/stage.ts'
import { specOf } from '../../fixtures/run_spec.ts'
import { performIn } from '../../phases/2-run/surroundings.ts'

const example = path.join(import.meta.dirname, '../../../workspaces/example-interview')
const skillFolder = path.join(example, 'project-brief')
const text = z.string()
const suiteEval = z.object({ prompt: text, expected_output: text, expectations: z.array(text), user: simulatedUser })
const suite = z.object({ evals: z.array(suiteEval) })

async function play(number: number): Promise<{ record: RunRecord; brief: string }> {
  const { evals } = suite.parse(JSON.parse(await readFile(path.join(skillFolder, 'evals/evals.json'), 'utf8')))
  const { prompt, user, expected_output, expectations } = evals[number] ?? expect.fail()
  const folder = await mkdtemp(path.join(tmpdir(), 'interview-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await using server = await startPractice({ scenario: await loadScenario(path.join(example, 'practice.yaml')) })
  const engine = { name: 'anthropic', model: 'practice-1' }
  const skill = { name: 'project-brief', description: 'Writes a project brief.', path: skillFolder, sha256: 'x' }
  const answer_key = [expected_output, ...expectations]
  const spec = specOf({ engine, prompt, user, user_engine: engine, skill, answer_key })
  const record = await performIn(folder, spec, { skillFiles: (await walk(skillFolder)).files }, keysFor(server))
  return { record, brief: await readFile(path.join(folder, 'outputs/brief.md'), 'utf8') }
}

function said({ conversation }: RunRecord): string[] {
  return conversation?.turns.slice(1).map(({ prompt }) => prompt) ?? []
}

test('with the skill the agent asks what it needs, and the user tells it', async () => {
  const { record, brief } = await play(0)
  expect(record.status).toBe('completed')
  expect(said(record)).toEqual([
    'It is for the bakery Crumb & Co, and Maria Keller decides.',
    'It must be done by 1 October 2026.',
    'It may cost 18,000 dollars.',
  ])
  expect(record.conversation).toMatchObject({ ended: 'goal_met', user: { calls: 7, asked_again: 0 } })
  for (const fact of ['Maria Keller', '1 October 2026', '18,000 dollars']) expect(brief).toContain(fact)
})

test('what the user does not know stays open', async () => {
  const { record, brief } = await play(1)
  expect(said(record).at(-1)).toBe("I don't know that yet, sorry.")
  expect(record.conversation?.ended).toBe('goal_met')
  expect(brief).toContain('open')
})

test('the same seed and scenario give the same dialogue', async () => {
  const [first, second] = [await play(0), await play(0)]
  expect(second.record.conversation?.turns).toEqual(first.record.conversation?.turns)
  expect(second.brief).toBe(first.brief)
})
