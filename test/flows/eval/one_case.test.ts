/** One case for a test runner: without an engine or a judge it is skipped with what is missing, however they were to be chosen. */
import { describe, expect, test } from 'vitest'
import { createCaseCollection } from '../../../src/flows/eval/gather_cases.ts'
import { evaluateCase, listEvals } from '../../../src/runners/vitest.ts'
import { folderOf, skillText } from '../../phases/1-plan/folder.ts'
import { contextAt, requestFor } from './evaluate.ts'

const none = { PATH: '/nowhere', ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '' }

async function skipOf(front: string, wish: object): Promise<string | null> {
  const evalMd = `---\n${front}\n---\n## a\n### Prompt\nx\n### Expect\ny\n`
  const request = requestFor(folderOf({ 'SKILL.md': skillText, 'EVAL.md': evalMd }), wish)
  const [listed] = await listEvals(request)
  if (listed === undefined || !('suite' in listed)) throw new Error('no suite')
  const [one] = listed.suite.cases
  if (one === undefined) throw new Error('no case')
  const end = await evaluateCase(
    { suite: listed.suite, one, gathering: createCaseCollection() },
    request,
    contextAt(undefined, none),
  )
  return 'skip' in end ? end.skip : null
}

describe('without credentials', () => {
  test.each([
    ['system: x', { engine: null, judge: null }, /no engine available \(/],
    ['model: "anthropic:claude-x"', { engine: null, judge: null }, /ANTHROPIC_API_KEY/],
    ['system: x', { engine: 'anthropic', judge: null }, /^anthropic.* can't be asked: ANTHROPIC_API_KEY/],
    [
      'system: x',
      { engine: 'command:/bin/echo yes', judge: 'openai:gpt-5' },
      /openai:gpt-5 can't be asked: OPENAI_API_KEY/,
    ],
    ['system: x', { engine: 'command:/bin/echo yes', judge: 'gpt-5,claude-x' }, /no judge available: .*OPENAI_API_KEY/],
  ])('%s, %j', async (front, wish, said) => expect(await skipOf(front, wish)).toMatch(said))
})

/** What its judge says, where it has one: well, and badly. */
const verdict = (passed: boolean) => JSON.stringify({ verdicts: [{ n: 1, evidence: 'yes', passed }] })
const answers: Record<string, [good: string, bad: string]> = {
  'eval.md': ['VERDICT: PASS', 'VERDICT: FAIL'],
  'eval-comment': ['VERDICT: PASS', 'VERDICT: FAIL'],
  golden: ['{"care": {"score": 5}}', '{"care": {"score": 1}}'],
  aam: [verdict(true), verdict(false)],
}

describe('any format', () => {
  const evalMd = '## one\n### Prompt\nHi\n### Expect\nIt says yes.\n'
  test.each<[string, Record<string, string>]>([
    [
      'evals.json',
      {
        'SKILL.md': skillText,
        'evals/evals.json': '[{"id":1,"prompt":"Hi","checks":[{"type":"contains","value":"yes"}]}]',
      },
    ],
    [
      'plugin-eval',
      {
        'SKILL.md': skillText,
        'evals/a/prompt.md': 'Hi',
        'evals/a/graders/g.md': '---\ntype: regex\npattern: yes\n---\n',
      },
    ],
    ['eval.md', { 'SKILL.md': skillText, 'EVAL.md': evalMd }],
    ['eval-comment', { 'a.ts': `/**\n * @eval\n${evalMd.replaceAll(/^/gm, ' * ')}\n */\n` }],
    [
      'golden',
      {
        'a/evals/rubric.md': '---\nweights: { care: 100 }\n---\nBe exact.\n',
        'a/evals/judge.md': '---\nstrict_mode: true\n---\n{agent_response}\n',
        'a/evals/golden/happy/001.md': '---\ntest_id: x\ncategory: happy\n---\n## Input\nHi\n',
      },
    ],
    [
      'aam',
      {
        'package.agent.json': '{"name":"p","version":"1.0.0"}',
        'evals/eval-config.json': '{"version":1,"engine":"claude-code"}',
        'evals/cases/a.yaml':
          'name: a\ninput: { prompt: Hi }\nexpected: { contains: ["yes"] }\njudge: { criteria: It says yes. }\n',
      },
    ],
  ])('%s: a case passes, and fails where it is not met', async (format, files) => {
    const run = async ([answer, engine]: readonly [string, string]) => {
      const folder = folderOf({ ...files, 'answer.txt': answer })
      const request = requestFor(folder, { engine, judge: `command:cat ${folder}/answer.txt`, cache: false })
      const [listed] = await listEvals(request)
      if (listed === undefined || !('suite' in listed)) throw new Error(`no suite: ${JSON.stringify(listed)}`)
      const [one] = listed.suite.cases
      if (one === undefined) throw new Error('no case')
      expect([listed.format, one.cannot_run]).toEqual([format, null])
      const end = await evaluateCase(
        { suite: listed.suite, one, gathering: createCaseCollection() },
        request,
        contextAt(),
      )
      return 'skip' in end ? end.skip : end.result.verdict
    }
    const [good, bad] = answers[format] ?? ['', '']
    expect(await run([good, 'command:echo yes'])).toBe('pass')
    expect(await run([bad, 'command:echo no'])).toBe('fail')
  })
})
