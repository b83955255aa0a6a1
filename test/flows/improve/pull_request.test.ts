/** pull_request.md: its whole text for one session, and that what proposers write stays text. */
import path from 'node:path'
import MarkdownIt from 'markdown-it'
import { describe, expect, test } from 'vitest'
import type { Certification } from '../../../schemas/history/certification.ts'
import type { ProposedEdit } from '../../../schemas/history/round.ts'
import { history as historySchema } from '../../../schemas/history.ts'
import { isCertified, pullRequestHeading, pullRequestText } from '../../../src/flows/improve/pull_request.ts'

const certification: Certification = {
  ...{ benchmark: 'benchmarks/2026-01-15T10-30-00Z', best: 'v2', scope: 'these_cases' },
  v0: { mean: 0.41, ci_low: 0.3, ci_high: 0.5 },
  candidate: { mean: 0.68, ci_low: 0.6, ci_high: 0.8 },
  gain: { mean: 0.27, ci_low: 0.12, ci_high: 0.42, method: 'moderated_t', n_cases: 12, n_runs: 124 },
  cases: [{ eval_id: 4, v0: 0.41, candidate: 0.68 }],
  ...{ result: 'won', reason: '+27 points, p < 0.001', goal: 'better', alpha: 0.05 },
  ...{ p_value: 0.0004, p_over_cases: 0.0121 },
  guards: [
    { name: 'cost_usd', passed: null, ratio: null, ci_high: null, limit: 1.25, message: 'cost: unknown' },
    {
      name: 'time_seconds',
      passed: true,
      ratio: 1.1,
      ci_high: 1.2,
      limit: 1.25,
      message: 'time × 1.10: within × 1.25',
    },
  ],
  judge: {
    ...{ kind: 'second', name: 'openai:gpt-5' },
    disagreement: { name: 'anthropic:haiku', decisions: 240, differ: 9, gain: 0.31 },
  },
  sentence: 'Better: pass rate 68% with v2, 41% with v0: +27 points, 95% CI [12, 42], p < 0.001 (12 cases, 124 runs).',
}

const edit = (id: string, more: Partial<ProposedEdit> = {}): ProposedEdit => ({
  ...{ id, summary: 'checks the units first', why: 'half of the failures mixed feet and metres' },
  files: [{ path: 'SKILL.md', change: 'modified', lines_added: 1, lines_removed: 1 }],
  diff: 'SKILL.md\n Read.\n-Convert.\n+Check the units, then convert.',
  ...{ effect: 0.142, runs_with: 21, runs_without: 19, cases: [], kept: false },
  ...more,
})

function sessionWith(edits: ProposedEdit[], decided: Partial<Certification> = {}, more: object = {}) {
  const proposal = { number: 1, focus: '', engine: 'anthropic', model: 'opus', tokens: 900, cost_usd: 0.4, edits }
  const made = historySchema.parse({
    ...{ started_at: '2026-01-15T10:00:00.000Z', skill_name: 'units', current_best: 'v2', iterations: [] },
    split: { seed: 1, train: [1, 2, 3], held_out: [4], strata: [], suite_sha256: 'a', scope: '3 training cases' },
    rounds: [
      {
        ...{ round: 1, parent: 'v0', version: 'v1', runs: 40, estimate: null, ended_at: '2026-01-15T11:00:00.000Z' },
        ...{ shown: { runs: 3, pass_rate: 0.4 }, benchmarks: { shown: [] } },
        proposals: [proposal, { ...proposal, number: 2, cost_usd: null, edits: [] }],
      },
    ],
    certification: { ...certification, ...decided },
    ...{ benchmarks_usd: 9.5, benchmarks_unknown: 2 },
    ...more,
  })
  if (!isCertified(made)) throw new Error('not certified')
  return made
}

const command = 'whetstone improve skills/units --total-runs 250 --seed 1'

test('the whole text', async () => {
  const { effect: _, ...refused } = edit('1.1.4', { summary: 'quotes a task', runs_with: 0, runs_without: 0 })
  const edits = [
    edit('1.1.1', { kept: true }),
    edit('1.1.2', { kept: true, why: '', summary: 'adds a script', effect: 0.06, diff: 'run.sh\n+can be executed' }),
    edit('1.1.3', { summary: 'shortens the introduction', effect: -0.03 }),
    { ...refused, effect: null, refused: { rule: 'leakage', reason: 'it has text of case 4' } },
    edit('1.1.5', { summary: 'came too late', effect: null }),
  ]
  const confirmations = [{ ...certification, engine: 'codex', sentence: 'The gain transfers with codex: +20 points.' }]
  const text = pullRequestText(sessionWith(edits, {}, { confirmations }), command)
  await expect(text).toMatchFileSnapshot(path.join(import.meta.dirname, 'golden/pull_request.md'))
})

test.each([
  [
    { kind: 'same', name: 'anthropic:haiku' },
    /^- \*\*Warning\*\*: anthropic:haiku judged both the search and this result/m,
  ],
  [{ kind: 'code', name: null }, /^- Judge: checks alone$/m],
  [{ kind: 'second', name: 'openai:gpt-5' }, /^- Judge: openai:gpt-5, not the judge of the search$/m],
] as const)('who decided: %j', (judge, line) => {
  expect(pullRequestText(sessionWith([edit('1.1.1', { kept: true })], { judge }), command)).toMatch(line)
})

test('the heading of --goal cheaper', () => {
  const made = sessionWith([], { goal: 'cheaper', sentence: 'As good and cheaper: tokens × 0.70.' })
  expect(pullRequestHeading(made)).toEqual({
    title: 'Use fewer tokens in units, as good as before',
    sentence: 'As good and cheaper: tokens × 0.70.',
  })
})

describe('what proposers write stays text', () => {
  const parser = new MarkdownIt({ html: true, linkify: true })
  const tokensOf = (text: string) => parser.parse(text, {}).flatMap((token) => [token, ...(token.children ?? [])])

  const hostile = [
    '# A heading',
    '<img src=x onerror=alert(1)> <!-- ',
    '[click](https://evil.example) ![](https://evil.example/p.png)',
    '| cell | cell |\n| --- | --- |\n| more | rows |',
    '```\nout of the fence\n```',
    '**bold** _it_ ~~gone~~ `code`',
    '- item\n1. item\n\n---\n> quote',
    '\u001B[31mred\u001B[0m \u202Eevil \u200Bhidden',
    '&lt;script&gt; \\`',
  ]
  /** Kinds of block and inline markup with their number. */
  const shape = (text: string) => {
    const counts = new Map<string, number>()
    for (const { type } of tokensOf(text)) counts.set(type, (counts.get(type) ?? 0) + 1)
    for (const type of ['text', 'text_special']) counts.delete(type)
    return counts
  }
  const session = (words: string) =>
    sessionWith([
      edit('1.1.1', { kept: true, summary: words, why: words }),
      edit('1.1.2', { summary: words, refused: { rule: 'leakage', reason: words } }),
    ])

  test.each(hostile)('%j changes no markup', (words) => {
    const plain = shape(pullRequestText(session('plain words'), command))
    expect(shape(pullRequestText(session(words), command))).toEqual(plain)
  })

  test('control: unescaped, all but the last two do', () => {
    const raw = (words: string) => shape(`Why: plain words\n\n${words}\n`)
    const plain = [...raw('plain words')].join()
    expect(hostile.filter((words) => [...raw(words)].join() === plain)).toEqual(hostile.slice(-2))
  })

  test.each([
    ['@everyone', /@everyone/],
    ['fixes #12', /#12/],
    ['org/repo#7', /#7/],
    ['GH-12', /GH-12/],
    ['https://evil.example', /https:\/\/evil/],
    ['www.evil.example', /www\.evil/],
  ])('%s is not a mention, reference or link', (words, live) => {
    expect(pullRequestText(session(words), command)).not.toMatch(live)
  })

  test.each(['```', '~~~', '</code>', '```diff\n```'])('a diff with %s stays in its fence', (words) => {
    const diff = `SKILL.md\n+${words}\n${words}\n# not a heading`
    const fences = tokensOf(pullRequestText(sessionWith([edit('1.1.1', { kept: true, diff })]), command)).filter(
      ({ type }) => type === 'fence',
    )
    expect(fences.map(({ info, content }) => [info, content])).toEqual([
      ['diff', `${diff}\n`],
      ['sh', `${command}\n`],
    ])
  })

  test('names of files and control characters in diffs', () => {
    const name = 'a`b``c\n# d.md'
    const files = [{ path: name, change: 'added' as const, lines_added: 1, lines_removed: 0 }]
    const made = sessionWith([edit('1.1.1', { kept: true, files, diff: 'x\n+\u001B]8;;evil\u0007' })])
    const text = pullRequestText(made, command)
    expect(
      tokensOf(text)
        .filter(({ type }) => type === 'code_inline')
        .map(({ content }) => content),
    ).toContain('a`b``c # d.md')
    expect([text.includes('\u001B'), text.includes('⟨U+001B⟩')]).toEqual([false, true])
  })
})

test('a text that no forge would take has shorter diffs, and says so', () => {
  const many = Array.from({ length: 8 }, (_, at) => edit(`1.1.${at}`, { kept: true, diff: 'x'.repeat(20_000) }))
  const text = pullRequestText(sessionWith(many), command)
  expect(text.length).toBeLessThan(60_000)
  expect(text.match(/… cut at 4,000 characters/g)).toHaveLength(8)
  const one = pullRequestText(sessionWith(many.slice(0, 1)), command)
  expect(one).toMatch(/… cut at 20,000 characters/)
})
