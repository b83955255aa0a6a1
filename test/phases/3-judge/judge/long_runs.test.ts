/** A run that is too long for the judge's model is shown shortened, and judged: its length is the agent's work. */
import { describe, expect, test } from 'vitest'
import { type Engine, emptyReport } from '../../../../src/engines/engine.ts'
import { record } from '../../../fixtures/record.ts'
import { gradeFiles, quoter } from '../graded.ts'

/** A judge that fails everything, and whose model takes prompts of so many characters. */
function judgeOf(longest: number, refusal = 'prompt is too long: 250000 tokens > 200000 maximum') {
  const { judge, prompts } = quoter('fail: nothing of it')
  const run: Engine['run'] = async (task, context) => {
    if (task.prompt.length <= longest) return await judge.engine.run(task, context)
    prompts.push(task.prompt)
    const error = { kind: 'bad_request', message: refusal, retryable: false, retryAfterMs: null } as const
    return { status: 'failed', error, report: emptyReport }
  }
  return { judge: { ...judge, engine: { ...judge.engine, run } }, prompts }
}

const events = Array.from({ length: 400 }, (_, step) =>
  JSON.stringify({ type: 'assistant', at: '2026-01-15T10:30:00.000Z', step, text: `say ${step} ${'x'.repeat(1000)}` }),
)
const files = { 'transcript.jsonl': `${events.join('\n')}\n`, 'transcript.md': '' }
const expectations = [{ text: 'It adds up' }]

describe('a long transcript', () => {
  test('is cut until the model takes it', async () => {
    const { judge, prompts } = judgeOf(15_000)
    const graded = await gradeFiles({ files, parts: { expectations }, judge })
    expect(graded?.grading.judge_errors).toBeUndefined()
    expect(graded?.grading.expectations).toMatchObject([{ passed: false, decided_by: 'judge' }])
    expect(prompts).toHaveLength(3)
    expect(prompts.at(-1)).toContain('A part of it follows; read the rest in your working folder.')
  })
  test('and so are the answer and the transcript for the judge of an EVAL.md', async () => {
    const { judge, prompts } = judgeOf(30_000)
    const of = record({ final_response: 'y'.repeat(500_000) })
    const parts = { expectations, judging: { kind: 'verdict' } }
    const graded = await gradeFiles({ files, parts, of, judge })
    expect(graded?.grading.judge_errors).toBeUndefined()
    expect(prompts).toHaveLength(3)
    expect(prompts.at(-1)).toContain('… 480000 characters …')
  })
  test.each([
    ['takes nothing', 0, 'prompt is too long'],
    ['refuses it for another reason', 20_000, 'no such model'],
  ])('control: a judge that %s is a judge error', async (_, longest, refusal) => {
    const { judge, prompts } = judgeOf(longest, refusal)
    const graded = await gradeFiles({ files, parts: { expectations }, judge })
    expect(graded?.grading.judge_errors).toMatchObject([{ reason: expect.stringContaining(refusal) }])
    expect(prompts).toHaveLength(longest === 0 ? 3 : 1)
  })
})

test('thousands of files that were not collected do not fill the prompt', async () => {
  const left_out = Array.from({ length: 20_000 }, (_, at) => ({
    path: `out/${at}.txt`,
    reason: 'more than 2000 files',
  }))
  const { judge, prompts } = judgeOf(100_000)
  const of = record({ outputs: { files: [], deleted: [], left_out } })
  const graded = await gradeFiles({ files: { 'transcript.md': 'x' }, parts: { expectations }, of, judge })
  expect(graded?.grading.judge_errors).toBeUndefined()
  expect(prompts).toHaveLength(1)
  expect(prompts[0]).toMatch(/… 19\d{3} more\n/)
})
