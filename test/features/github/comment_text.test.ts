/** The comment on a pull request: what it says for each outcome, that nothing in it can be injected, and that it always fits. */
import markdownIt from 'markdown-it'
import { describe, expect, test } from 'vitest'
import type { Benchmark } from '../../../schemas/benchmark.ts'
import { fitPieces } from '../../../src/features/github/comment_markdown.ts'
import {
  type CommentedSkill,
  type CommentFacts,
  commentText,
  jobCost,
  worstVerdict,
} from '../../../src/features/github/comment_text.ts'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'

const versions = { candidate: 'new_skill', baseline: 'old_skill' } as const

function benched(changes: Parameters<typeof inputOf>[1] = {}): Benchmark {
  const lines = [...arm(1, 'new_skill', ['+', '+']), ...arm(1, 'old_skill', ['-', '-'])]
  return aggregate(inputOf(lines, { ...versions, ...changes }))
}

const gate = { gate: 'verdict != hurts', passed: false, value: 'hurts', message: 'is hurts' }

function skill(name: string, changes: Partial<CommentedSkill> = {}): CommentedSkill {
  return { name, benchmark: benched(), error: null, gates: [], ...changes }
}

function facts(skills: readonly CommentedSkill[], changes: Partial<CommentFacts> = {}): CommentFacts {
  const site = 'https://github.example'
  const links = { report: `${site}/artifact/1`, job: `${site}/run/2`, commit: 'abcdef0123456' }
  return { id: 'whetstone', status: 'benched', problem: null, skills, ...links, ...changes }
}

describe('the text', () => {
  test('one skill: verdict first, rates, interval, gate, changes, links', () => {
    const text = commentText(facts([skill('pdf', { gates: [gate] })]))
    expect(text.split('\n').slice(0, 2)).toEqual(['<!-- whetstone-comment: whetstone -->', '## pdf: inconclusive'])
    expect(text).toMatch(
      /^\| inconclusive \| pdf \| 100% \| 0% \| \+100.* \| 1 of 1 failed \| \$0\.\d+ \| 10\.0 s \|$/m,
    )
    expect(text).toContain('- Gate **failed**: verdict != hurts (is hurts)')
    expect(text).toMatch(/^\| case-1 \| 0% \| 100% \| \+100 .*\|$/m)
  })
  test('several skills: the worst first in the title, a failed one with what to do', () => {
    const error = { message: 'no key: X_API_KEY is unset', fix: 'add a secret' }
    const skills = [skill('pdf'), skill('docx', { benchmark: null, error })]
    const text = commentText(facts(skills))
    expect(text).toContain('## Skills: 1 failed, 1 inconclusive')
    expect(text).toContain('### docx\n\nno key: X_API_KEY is unset\n\nWhat to do: add a secret')
    expect(worstVerdict(facts(skills))).toBe('failed')
  })
  test('an incomplete benchmark says so', () => {
    const cut = skill('pdf', { benchmark: { ...benched(), complete: false } })
    expect(commentText(facts([cut]))).toContain('inconclusive (incomplete)')
  })
  test.each([
    ['nothing', 'Skills: nothing to compare'],
    ['skipped', 'Skills: not benchmarked'],
    ['failed', 'Skills: the benchmark did not start'],
  ] as const)('%s: the reason and no table', (status, title) => {
    const text = commentText(facts([], { status, problem: { message: 'Because.', fix: 'do this' } }))
    expect(text).toContain(`## ${title}\n\nBecause.\n\nWhat to do: do this`)
    expect(text).not.toContain('|')
    expect(worstVerdict({ status, skills: [] })).toBe(status)
  })
  test('the cost is what this job paid: agents and judges without reused runs; unknown is not 0', () => {
    const cost = { agent_usd: 0.5, judge_usd: 0.3, unknown_runs: 0 }
    const reused = { runs: 1, oldest: '2026-01-15T10:30:00Z', by_configuration: {}, agent_usd: 0.2, judge_usd: 0.1 }
    const of = (changes: Partial<Benchmark>) => jobCost([{ benchmark: { ...benched(), ...changes } }])
    expect(of({ cost })).toBe(0.8)
    expect(of({ cost, reused })).toBe(0.5)
    expect(of({ cost: { ...cost, judge_usd: null } })).toBeNull()
    expect(jobCost([])).toBe(0)
  })
})

const attacks = [
  '| a | b |\n| --- | --- |',
  '@ada @ada/team please look',
  '<img src=x> <script>alert(1)</script> </details>',
  '[click](https://evil.example) ![x](https://evil.example/p.png)',
  'https://evil.example www.evil.example ada@evil.example',
  '#1 GH-2 other/project#3',
  '<!-- whetstone-comment: whetstone -->',
  '`code` **bold** ~~gone~~ # heading',
]

describe('text from suites and skills', () => {
  const hostile = attacks.join(' ')
  const cases = [{ eval_id: 1, eval_key: null, eval_name: hostile, cannot_run: null, expectations: ['x'], checks: [] }]
  const benchmark = {
    ...benched({ cases }),
    baseline_note: hostile,
    complete: false,
    excluded_runs: [],
    injection_attempts: { runs: 1, by_configuration: { [hostile]: 1 }, run_ids: [hostile] },
  }
  const poisoned = skill(hostile, { benchmark, gates: [{ ...gate, gate: hostile, message: hostile }] })
  const failed = skill(hostile, { benchmark: null, error: { message: hostile, fix: hostile } })
  const text = commentText(facts([poisoned, failed], { problem: { message: hostile, fix: hostile } }))
  const markdown = markdownIt({ html: true, linkify: true })
  markdown.linkify.set({ fuzzyEmail: false }) // unlike GitHub, it takes the invisible space for a part of the address
  const render = (source: string) => markdown.render(source)

  test('is there, and makes no link, image, tag, mention, reference or marker', () => {
    expect(text).toContain('please look')
    const links = [...render(text).matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href)
    expect(links).toEqual(['https://github.example/artifact/1', 'https://github.example/run/2'])
    expect(render(text)).not.toMatch(/<img|<script|<code|<del|<h1/)
    expect(text.match(/<\/?details>/g)).toEqual(['<details>', '</details>'])
    expect(text).not.toMatch(/@ada|#1|GH-2|#3/)
    expect(text.match(/<!-- whetstone-comment/g)).toHaveLength(1)
  })
  test('keeps every row of a table at its number of cells', () => {
    const rows = [...render(text).matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = '']) => row.match(/<t[hd]/g)?.length)
    expect(new Set(rows)).toEqual(new Set([8, 5]))
  })
  test('negative control: written as it is, it makes links, images and mentions', () => {
    expect(render(hostile)).toMatch(/<a href="https:\/\/evil.example[\s\S]*<img/)
    expect(hostile).toMatch(/@ada/)
  })
})

describe('at most 65,536 characters', () => {
  test('many skills: rows and sections are left out whole, with a note, and the links stay', () => {
    const benchmark = benched()
    const many = Array.from({ length: 150 }, (_, at) => skill(`skill-${at}-${'é'.repeat(60)}`, { benchmark }))
    const text = commentText(facts(many))
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(65_536)
    expect(Buffer.byteLength(text)).toBeGreaterThan(50_000)
    expect(text).toContain('**Shortened to 65,536 characters. The report has the rest.**')
    expect(text.trimEnd()).toMatch(/commit abcdef0123$/)
    expect(text.match(/<details>/g)?.length ?? 0).toBe(text.match(/<\/details>/g)?.length ?? 0)
    for (const row of text.split('\n').filter((line) => line.startsWith('|'))) expect(row).toMatch(/\|$/)
  })
  test('exactly at the limit nothing is cut; one more byte and a piece goes', () => {
    const pieces = ['a'.repeat(50), 'b'.repeat(49)]
    expect(fitPieces(pieces, 'end', 104)).toBe(`${pieces.join('\n')}\nend`)
    expect(fitPieces(pieces, 'end', 103)).not.toContain('bbb')
  })
})
