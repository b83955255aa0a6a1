/** A pass on a quote that is not there is asked about once more, and is then flagged or no verdict; other verdicts are left alone. */
import { describe, expect, test } from 'vitest'
import type { GradeRunRequest } from '../../../../src/phases/3-judge/grade/grade_run.ts'
import { buildJudgeFields } from '../../../../src/phases/3-judge/judge/judge.ts'
import { judgeAnswer } from '../../../../src/phases/3-judge/judge/judge_answer.ts'
import { gradeFiles, quoter } from '../graded.ts'

const real = "outputs/report.md: 'Ocean: 42'"
const invented = "outputs/report.md: 'checked twice by two people'"

async function judged(evidences: string[], changes: Partial<GradeRunRequest> = {}) {
  const { judge, prompts } = quoter(...evidences)
  const files = { 'transcript.md': '## Eval Prompt\n\nAdd up.\n', 'outputs/report.md': 'Ocean: 42\n' }
  const graded = await gradeFiles({
    files: { ...files, 'outputs/chart.png': Buffer.from([137, 80, 0, 0]) },
    parts: { expectations: [{ text: 'The total is right' }, { text: 'It was checked' }] },
    judge,
    ...changes,
  })
  return { grading: graded?.grading, prompts }
}

describe('asked once more', () => {
  test('nobody is, where every quote is there', async () => {
    const { grading, prompts } = await judged([real])
    expect(grading?.expectations.map((one) => one.evidence_verified)).toEqual(['exact', 'exact'])
    expect(grading?.judge).toMatchObject({ calls: 1 })
    expect(grading?.judge).not.toHaveProperty('asked_again')
    expect(prompts).toHaveLength(1)
  })
  test('is for the passes in doubt alone, with the quote that is missing', async () => {
    const { grading, prompts } = await judged([`${real}, '#. thing'`, real])
    expect(prompts).toHaveLength(2)
    expect(grading?.judge).toMatchObject({ calls: 2, asked_again: 2 })
    expect(prompts[1]).toContain('expectation 1: "1. thing"')
    expect(prompts[0]).not.toContain('Once more')
    expect(grading?.expectations).toMatchObject([
      { passed: true, evidence: real, evidence_verified: 'exact', evidence_at: { file: 'outputs/report.md', line: 1 } },
      { passed: true, evidence: real },
    ])
    expect(JSON.stringify(grading)).not.toContain('evidence_flag')
  })
  test('a judge that changes its mind has the last word', async () => {
    const { grading } = await judged([invented, 'fail: nothing is there'])
    expect(grading?.summary).toMatchObject({ passed: 0, failed: 2 })
  })
  test('a fail without a quote that stands there stays a fail, and is not asked about', async () => {
    const { grading, prompts } = await judged(["fail: it says 'nothing at all of that kind'"])
    expect(prompts).toHaveLength(1)
    expect(grading?.expectations[0]).toMatchObject({ passed: false, evidence_verified: 'absent' })
  })
})

describe('a pass whose quote is not there the second time either', () => {
  const flag = expect.stringContaining('"checked twice by two people"')
  test.each([
    ['with another evidence', [invented, `${invented} again`]],
    ['without any answer', [invented, 'prose']],
  ])('is flagged: %s', async (_, evidences) => {
    const { grading } = await judged(evidences)
    expect(grading?.summary).toMatchObject({ passed: 2, total: 2 })
    expect(grading?.expectations).toMatchObject([
      { passed: true, evidence_verified: 'absent', evidence_flag: flag },
      { passed: true, evidence_verified: 'absent', evidence_flag: flag },
    ])
  })
  test('says so where the file that it names is no text: nothing was looked up in it', async () => {
    const { grading } = await judged(["outputs/chart.png: 'Ocean sells the most'"])
    const [first] = grading?.expectations ?? []
    expect(first?.evidence_flag).toContain('; outputs/chart.png cannot be searched: not text')
    expect((await judged([invented])).grading?.expectations[0]?.evidence_flag).not.toContain('searched')
  })
  test('is a judge error where evidence is required; a pass with evidence is none', async () => {
    const { grading } = await judged([invented], { requireEvidence: true })
    expect(grading?.summary.total).toBe(0)
    expect(grading?.judge_errors).toMatchObject([{ reason: flag }, { reason: flag }])
    const fine = await judged([real], { requireEvidence: true })
    expect(fine.grading?.summary).toMatchObject({ passed: 2, total: 2 })
  })
})

describe('what is long is kept in part', () => {
  test('evidence, which is still looked up', async () => {
    const { grading } = await judged([`${real} ${'x'.repeat(20_000)}`])
    expect(grading?.expectations[0]?.evidence).toHaveLength(8001)
    expect(grading?.expectations[0]).toMatchObject({ passed: true, evidence_verified: 'exact' })
  })
  test.each([
    [9000, 8001],
    [8000, 8000],
  ])('90 notes and suggestions of %i characters', (length, kept) => {
    const many = Array.from({ length: 90 }, () => 'x'.repeat(length))
    const answer = judgeAnswer.parse({
      verdicts: [],
      user_notes_summary: { uncertainties: many, needs_review: [], workarounds: [] },
      eval_feedback: { suggestions: many.map((reason) => ({ reason })), overall: many[0] },
    })
    const spent = { calls: 1, tokens: 1, costUsd: null, model: 'm' }
    const made = buildJudgeFields({ verdicts: [], answer, spent }, { name: 'command', model: null })
    expect(made.user_notes_summary?.uncertainties).toHaveLength(50)
    expect(made.user_notes_summary?.uncertainties[0]).toHaveLength(kept)
    expect(made.eval_feedback?.suggestions).toHaveLength(50)
    expect(made.eval_feedback?.overall).toHaveLength(kept)
  })
})
