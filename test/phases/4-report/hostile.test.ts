/** Text from agents, judges and suites is data: in the page and in Markdown it is read, never obeyed. */
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { aggregate } from '../../../src/phases/4-report/aggregate.ts'
import { toHtml } from '../../../src/phases/4-report/html.ts'
import { toMarkdown } from '../../../src/phases/4-report/markdown.ts'
import { arm, inputOf } from './fixture.ts'

const attacks = [
  '</script><script>alert(1)</script>',
  '</style><style>*{display:none}</style>',
  '<img src=x onerror=alert(1)>',
  '" onmouseover="alert(1)',
  "' autofocus onfocus='alert(1)",
  '{{constructor.constructor "return 1"}}',
  '`<svg/onload=alert(1)>`',
]
const hostile = `${attacks.join(' ')} | a | b |\n| c | [x](javascript:alert(1)) ![y](http://e.example/z) # h @someone \u202Egnp.exe\u2066\u001B[31m`

/** A benchmark with the hostile text in every field that comes from outside. */
function poisoned() {
  const grading = {
    user_notes_summary: { uncertainties: [hostile], needs_review: [hostile], workarounds: [hostile] },
    expectations: [{ text: hostile, passed: true, evidence: hostile, decided_by: hostile }],
    judge_errors: [{ text: hostile, reason: hostile }],
    rubric: {
      dimensions: [{ name: hostile, weight: 1, score: 5, justification: hostile }],
      hard_fails: [{ text: hostile, evidence: hostile }],
      weighted_score: 5,
      threshold: 4,
      passed: false,
    },
  }
  const error = { kind: 'crash', message: hostile }
  const input = inputOf([
    ...arm(1, 'with_skill', ['+'], { grading }),
    ...arm(1, 'without_skill', ['+'], { grading }),
    ...arm(2, 'with_skill', [null], { record: { status: 'failed', error } }),
  ])
  const cases = [
    { eval_id: 1, eval_key: hostile, eval_name: hostile, cannot_run: null },
    { eval_id: 2, eval_key: hostile, eval_name: hostile, cannot_run: null },
    { eval_id: 3, eval_key: hostile, eval_name: hostile, cannot_run: hostile },
  ]
  const metadata = {
    ...input.metadata,
    skillName: hostile,
    skillPath: hostile,
    executorModel: hostile,
    analyzerModel: hostile,
    timestamp: hostile,
    engine: hostile,
    judge: hostile,
  }
  const made = aggregate({
    ...input,
    planned: input.planned.map((run) => ({ ...run, eval_name: hostile })),
    cases,
    metadata,
  })
  return { ...made, notes: [...made.notes, hostile] }
}

const page = toHtml(poisoned())
const markdown = toMarkdown(poisoned())

describe('the page', () => {
  test('shows the text', () => expect(page).toContain('&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;'))
  test('has no script element', () => expect(page).not.toMatch(/<script/i))
  test('has the one style element that is ours', () => expect(page.match(/<style/gi)).toHaveLength(1))
  test('has no element but ours', () => {
    const names = new Set([...page.matchAll(/<([a-z][a-z0-9-]*)/gi)].map(([, name]) => name))
    expect(
      [...names].filter((name) =>
        /^(script|img|iframe|object|embed|form|input|a|link|base|use|image)$/i.test(name ?? ''),
      ),
    ).toEqual([])
  })
  test('has no event handler and no style attribute', () => {
    const tags = [...page.matchAll(/<[a-z][^<>]*>/gi)].map(([tag]) => tag.replaceAll(/"[^"]*"/g, '""'))
    expect(tags.filter((tag) => /\s(on\w+|style)\s*=/i.test(tag))).toEqual([])
  })
  test('shows bidi and control characters as their codes', () => {
    expect(page).not.toMatch(/[\u202A-\u202E\u2066-\u2069]|(?!\n)\p{Cc}/u)
    expect(page).toContain('⟨U+202E⟩gnp.exe⟨U+2066⟩⟨U+001B⟩[31m')
  })
  test('allows by its policy nothing but its own style', () => {
    const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? ''
    const hash = createHash('sha256').update(style).digest('base64')
    expect(page).toContain(
      `content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'"`,
    )
  })
  test('asks for nothing from outside', () => expect(page).not.toMatch(/(?:src|href|srcset)\s*=\s*"|@import|url\(/i))
})

describe('markdown', () => {
  const lines = markdown.split('\n')
  test('has no HTML', () => expect(markdown).not.toMatch(/<[a-z/!]/i))
  test('has no link and no image', () => expect(markdown).not.toMatch(/(?<!\\)\]\(/))
  test('has no row of a table but ours', () => {
    const cells = lines.filter((line) => line.startsWith('|')).map((line) => line.split(/(?<!\\)\|/).length - 2)
    expect(new Set(cells)).toEqual(new Set([4, 5]))
  })
  test('has no heading but ours', () => {
    expect(lines.filter((line) => line.startsWith('## '))).toEqual([
      '## Summary',
      '## Cases',
      '## Rubric',
      '## Notes',
      '## Runs in no rate',
      '## Provenance',
    ])
  })
  test('calls nobody', () => expect(markdown).not.toContain('@someone'))
  test('shows bidi and control characters as their codes', () => {
    expect(markdown).not.toMatch(/[\u202A-\u202E\u2066-\u2069]|(?!\n)\p{Cc}/u)
  })
  test.each([
    ['- item', '- \\- item'],
    ['# heading', '- \\# heading'],
    ['1. one', '- 1\\. one'],
    ['-0.50 less', '- -0.50 less'],
    ['snake_case stays', '- snake_case stays'],
    ['_emphasis_', '- \\_emphasis\\_'],
  ])('a note that begins like a block: %s', (note, line) => {
    expect(toMarkdown({ ...poisoned(), notes: [note] }).split('\n')).toContain(line)
  })
})
