/** Text from agents, judges and suites is data: in the page and in Markdown it is read, never obeyed. */
import { describe, expect, test } from 'vitest'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { toMarkdown } from '../../../src/phases/4-report/text/markdown.ts'
import { pageIn } from '../../viewer/unpack.ts'
import { arm, inputOf } from './fixture.ts'
import { toHtml } from './page_html.ts'

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
  const cases = [null, null, hostile].map((cannot_run, at) => {
    return { eval_id: at + 1, eval_key: hostile, eval_name: hostile, cannot_run }
  })
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
  const start = page.indexOf('<body>')
  const [head, body] = [page.slice(0, start), page.slice(start)]
  const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(head)?.[1] ?? ''
  const data = body.replace(/<script nonce="[^"]+">[\s\S]*<\/script>\n<\/body>/, '')
  test('carries the text', () => expect(pageIn(page).benchmark.metadata.skill_name).toContain('</script><script>'))
  test('has no script but its own and data that cannot be run', () => {
    const scripts = data.match(/<script[^>]*>/gi) ?? []
    expect(scripts.filter((one) => !/^<script type="text\/plain" data-key="[a-z0-9-]+">$/.test(one))).toEqual([])
    expect(body.match(/<script nonce=/g)).toHaveLength(1)
  })
  test('its data is of letters that no text can break out of', () => {
    for (const [, text] of data.matchAll(/<script type[^>]*>([^<]*)</g)) expect(text).toMatch(/^[A-Za-z0-9+/=]+$/)
  })
  test('has no element but ours', () => {
    const names = new Set([...data.matchAll(/<([a-z][a-z0-9-]*)/gi)].map(([, name]) => name))
    const ours = 'body div h1 li noscript p script strong table tbody td th thead tr ul'.split(' ')
    expect([...names].filter((name) => !ours.includes(name ?? ''))).toEqual([])
  })
  test('what a reader without JavaScript sees has bidi and control characters as their codes', () => {
    expect(data).not.toMatch(/[\u202A-\u202E\u2066-\u2069]|(?!\n)\p{Cc}/u)
    expect(data).toContain('⟨U+202E⟩gnp.exe⟨U+2066⟩⟨U+001B⟩[31m')
  })
  test('its policy lets nothing else run, load or be sent', () => {
    const nonce = /<script nonce="([^"]+)">/.exec(body)?.[1]
    expect(policy).toContain(`default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'`)
    expect(policy).toContain(
      "connect-src 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'",
    )
    expect(policy).not.toMatch(/unsafe|https?:/)
  })
  test('the nonce changes with what the page holds', () => {
    const of = (text: string) => /<script nonce="([^"]+)">/.exec(text)?.[1]
    expect(of(toHtml({ ...poisoned(), notes: ['another'] }))).not.toBe(of(page))
  })
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
      '## Runs left out of the rates',
      '## Provenance',
    ])
  })
  test('calls nobody', () => expect(markdown).not.toContain('@someone'))
  test('shows bidi and control characters as their codes', () => {
    expect(markdown).not.toMatch(/[\u202A-\u202E\u2066-\u2069]|(?!\n)\p{Cc}/u)
  })
  test.each([
    ['- item', '- \\- item'],
    ['1. one', '- 1\\. one'],
    ['-0.50 less', '- -0.50 less'],
    ['snake_case stays', '- snake_case stays'],
  ])('a note that begins like a block: %s', (note, line) => {
    expect(toMarkdown({ ...poisoned(), notes: [note] }).split('\n')).toContain(line)
  })
})
