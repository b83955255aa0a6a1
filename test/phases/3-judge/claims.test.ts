/** What an agent says of its own work never counts as verified evidence; what it found, made or had a program print does. */
import { describe, expect, test } from 'vitest'
import { isSelfAssessment } from '../../../src/base/text/self_assessment.ts'
import { record } from '../../fixtures/record.ts'
import { gradeFiles, quoter, toLines } from './graded.ts'

interface Scene {
  quote: string
  statement?: string
  answer?: string
  outputs?: Record<string, string>
  /** Calls of tools: what the agent gave them, and what came back. */
  calls?: [input: string, output: string][]
  requireEvidence?: boolean
}

async function grade({
  quote,
  statement = 'The total is right',
  answer = '',
  outputs = {},
  calls = [],
  requireEvidence,
}: Scene) {
  const at = { at: '2026-01-15T10:30:00.000Z', step: 1, id: '1', name: 'Bash' }
  const events = calls.flatMap(([input, output]) => [
    { ...at, type: 'tool_call', input: { command: input } },
    { ...at, type: 'tool_result', output, is_error: false },
  ])
  const said = calls.map(([input, output]) => `${input}\n${output}\n`).join('\n')
  const graded = await gradeFiles({
    files: {
      'transcript.md': `## Eval Prompt\n\nAdd up.\n\n${said}## Final response\n\n${answer}\n`,
      'transcript.jsonl': toLines(events),
      ...Object.fromEntries(Object.entries(outputs).map(([name, text]) => [`outputs/${name}`, text])),
    },
    parts: { expectations: [{ text: statement }] },
    of: record({ final_response: answer }),
    judge: quoter(`it says '${quote}'`).judge,
    requireEvidence,
  })
  if (graded === null) throw new Error('not graded')
  return graded.grading
}

const verified = 'VERIFIED: all requirements are met'
const passed = 'All 12 tests passed'
const total = 'the total is 42'

describe('a claim is not evidence', () => {
  test.each<[string, Scene]>([
    ['in the answer', { quote: verified, answer: verified }],
    ['in a report', { quote: verified, outputs: { 'REPORT.md': `# Report\n\n${verified}\n` } }],
    [
      'that it has checked something',
      { quote: `I have checked that ${total}`, answer: `I have checked that ${total}.` },
    ],
    ['behind VERIFIED', { quote: 'total is 42', outputs: { 'SUMMARY.md': 'VERIFIED: total is 42\n' } }],
    ['of tests that nobody ran', { quote: passed, answer: `${passed}.` }],
    ['that it had a shell print', { quote: passed, calls: [[`echo "${passed}"`, passed]] }],
    [
      'that it wrote into a script',
      {
        quote: passed,
        calls: [
          [`cat > t.sh <<E\necho ${passed}\nE`, ''],
          ['sh t.sh', passed],
        ],
      },
    ],
  ])('%s', async (_, scene) => {
    const { expectations, summary } = await grade(scene)
    expect(summary.passed).toBe(1)
    const flag = expect.stringContaining('claim about its own work')
    expect(expectations).toMatchObject([{ evidence_verified: 'claim', evidence_flag: flag, evidence_at: {} }])
    const strict = await grade({ ...scene, requireEvidence: true })
    expect(strict.judge_errors).toMatchObject([{ reason: flag }])
  })
})

describe('evidence stays evidence', () => {
  test.each<[string, Scene]>([
    [
      'a fact beside a claim',
      { quote: `Total: 42. ${verified}`, outputs: { 'report.md': `Total: 42. ${verified}\n` } },
    ],
    [
      'a fact that a file holds too',
      { quote: total, answer: `I have verified that ${total}.`, outputs: { 'a.md': `So ${total}.\n` } },
    ],
    ['what a program printed', { quote: passed, calls: [['npm test', passed]], answer: `${passed}.` }],
    [
      'what a program wrote',
      { quote: passed, calls: [['npm test > log.txt', '']], outputs: { 'log.txt': `${passed}\n` } },
    ],
    [
      'an answer where the answer is asked for',
      { quote: total, statement: 'The answer gives the total, 42', answer: `I have verified that ${total}.` },
    ],
    [
      'a claim where a claim is asked for',
      { quote: passed, statement: 'The agent says that the tests pass', answer: `${passed}.` },
    ],
  ])('%s', async (_, scene) => {
    const { expectations } = await grade(scene)
    expect(expectations).toMatchObject([{ passed: true, evidence_verified: 'exact' }])
    expect(expectations[0]).not.toHaveProperty('evidence_flag')
  })
})

test.each([
  'VERIFIED: all requirements are met',
  '\u2705 All expectations have been satisfied.',
  '- [x] Every acceptance criterion is met',
  'Status: complete',
  'I have verified that the totals are right',
  "I've double-checked the results",
  'We carefully checked everything.',
  'The report was successfully created.',
  'The task has been completed.',
  'Everything was done as required.',
  'The output meets all of the requirements.',
  'All tests pass. No errors were found.',
  'The script works as expected',
  '5/5 checks passed',
  'The totals are correct and complete.',
])('%s: of its own work', (text) => expect(isSelfAssessment(text)).toBe(true))

test.each([
  'The total is 42.',
  'Two of the tests fail on Windows.',
  'The user must complete all steps before the deadline set by law.',
  'Validation: Zod',
  'The name is validated at load, so a typo is an error.',
  'A check of the ledger found 3 duplicates.',
  'const verified = await verify(token)',
  'Requirements: Python 3.12',
  'Refunds are made within 14 days as required by law.',
  'Desert is missing from the ledger.',
])('%s: a fact', (text) => expect(isSelfAssessment(text)).toBe(false))
