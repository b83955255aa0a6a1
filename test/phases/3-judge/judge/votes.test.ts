/** Several votes: the majority counts, a tie is a fail, agreement and cost are kept, and each vote is remembered by itself. */
import { describe, expect, test } from 'vitest'
import { countVotes } from '../../../../src/phases/3-judge/judge/judge.ts'
import type { JudgeVerdict } from '../../../../src/phases/3-judge/judge/judge_answer.ts'
import type { JudgeMemory, JudgeResult } from '../../../../src/phases/3-judge/judge_request.ts'
import { gradeFiles, quoter } from '../graded.ts'

const pass: JudgeVerdict = { passed: true, evidence: 'weak', evidence_verified: 'not_a_quote' }
const shown: JudgeVerdict = { passed: true, evidence: 'strong', evidence_verified: 'exact' }
const fail: JudgeVerdict = { passed: false, evidence: 'no', evidence_verified: 'not_a_quote' }
const none: JudgeVerdict = { error: 'the judge gave no verdict' }
const spent = { calls: 1, tokens: 10, costUsd: 0.5, model: 'm' }
const lostOf = (given: string, count: number) => ({
  error: `${given}, ${count} missing: the judge gave no verdict`,
})
const vote = (...verdicts: JudgeVerdict[]): JudgeResult => ({ verdicts, answer: null, spent })

describe('the majority', () => {
  test.each<[string, JudgeVerdict[], object]>([
    [
      'of passes passes, with the best evidence of them',
      [pass, fail, shown],
      { ...shown, votes: { passed: 2, failed: 1, agreement: 2 / 3 } },
    ],
    ['of fails fails', [fail, pass, fail], { passed: false, votes: { passed: 1, failed: 2, agreement: 2 / 3 } }],
    [
      'of a tie is a fail',
      [shown, fail],
      { passed: false, evidence: 'no', votes: { passed: 1, failed: 1, agreement: 0.5 } },
    ],
    ['is of those who voted, where it stands', [pass, pass, none], { passed: true, votes: { passed: 2, failed: 0 } }],
    ['is a fail where one more pass makes a tie', [fail, none], { passed: false, votes: { passed: 0, failed: 1 } }],
    ['is none where those that were lost could turn it', [pass, fail, none], lostOf('votes: 1 passed, 1 failed', 1)],
    ['of nobody is no verdict', [none, none], none],
  ])('%s', (_, verdicts, expected) => {
    const [first = none, ...others] = verdicts
    const counted = countVotes([vote(first), ...others.map((one) => vote(one))])
    expect(counted.verdicts).toMatchObject([expected])
  })
  test('one vote stays as it is', () => expect(countVotes([vote(pass)])).toEqual(vote(pass)))
  test('costs what all votes cost; what one does not say is not known', () => {
    expect(countVotes([vote(pass), vote(pass)]).spent).toEqual({ ...spent, calls: 2, tokens: 20, costUsd: 1 })
    const silent = { ...vote(pass), spent: { ...spent, costUsd: null } }
    expect(countVotes([vote(pass), silent]).spent.costUsd).toBeNull()
  })
  test('agrees overall as its expectations do on average', () => {
    expect(countVotes([vote(pass, pass), vote(pass, fail)])).toMatchObject({ samples: 2, agreement: 0.75 })
  })
})

test('a run is judged k times, each vote remembered by itself', async () => {
  const { judge } = quoter("'Ocean: 42'", 'fail: no', "'Ocean: 42'")
  const kept = new Map<string, Parameters<JudgeMemory['keep']>[1]>()
  const from = { benchmark: 'b', at: '2026-01-15T10:30:00Z' }
  const memory: JudgeMemory = {
    recall: async (prompt) => {
      const known = kept.get(prompt)
      return known === undefined ? null : { ...known, from }
    },
    keep: async (prompt, made) => void kept.set(prompt, made),
  }
  const grade = async () => {
    const graded = await gradeFiles({
      files: { 'transcript.md': '## Eval Prompt\n\nAdd up.\n', 'outputs/report.md': 'Ocean: 42\n' },
      parts: { expectations: [{ text: 'The total is right' }] },
      judge,
      samples: 3,
      memory,
    })
    return graded?.grading
  }
  const first = await grade()
  expect(first?.expectations).toMatchObject([{ passed: true, votes: { passed: 2, failed: 1, agreement: 2 / 3 } }])
  expect(first?.judge).toMatchObject({ calls: 3, samples: 3, agreement: 2 / 3 })
  expect(kept.size).toBe(3)
  const second = await grade()
  expect(second?.expectations).toEqual(first?.expectations)
  expect(second?.judge).toMatchObject({ calls: 3, cached_from: from })
  kept.delete([...kept.keys()][1] ?? '')
  expect((await grade())?.judge).toMatchObject({ calls: 1, samples: 3 })
})
