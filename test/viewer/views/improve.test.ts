/** The Improve tab: what the certification decided, which edits went into which version, how the session ended. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type History, history, type Iteration } from '../../../schemas/history.ts'
import { buildVersionTree } from '../../../viewer/views/improve/version_tree.ts'
import { type Drawn, drawPages } from '../draw.ts'
import { benchmark, files, runs } from '../full_workspace.ts'
import { historyFile } from '../session_history.ts'
import { type Staged, stage } from '../stage.ts'

const whole = history.parse(JSON.parse(historyFile((text) => text)))
const { certification, stopped, ended_at, confirmations, ...unfinished } = whole
type Certified = NonNullable<History['certification']>
function withCertification(more: Partial<Certified>): History {
  if (certification == null) throw new Error('a certification')
  return { ...whole, certification: { ...certification, ...more } }
}

const draw = drawPages()
let staged: Staged
let at: Drawn
beforeAll(async () => {
  staged = await stage({ benchmark, runs, files })
  at = await draw(staged, '#/improve')
})
const drawn = (value: History) =>
  draw(staged, '#/improve', (page) => ({ ...page, extras: { ...page.extras, history: { value } } }))

describe('the headline', () => {
  test('is the sentence of the certification, with its verdict and its scope', () => {
    expect(at.text('h1')).toBe(certification?.sentence)
    expect(at.texts('.lead .chip')).toEqual(['won', 'these cases only'])
    expect(at.all('.banner')).toEqual([])
  })
  test.each([
    ['tie', 'not won'],
    ['lost', 'not won: worse'],
  ] as const)('of a certification that ends as %s, about similar cases', async (result, said) => {
    const other = await drawn(withCertification({ result, scope: 'cases_like_these' }))
    expect(other.texts('.lead .chip')).toEqual([said])
  })

  const { rounds: _rounds, plan: _plan, ...other } = unfinished
  test.each<[string, History, string, string]>([
    [
      'no version to certify: why it ended comes before anything else',
      { ...whole, certification: null },
      'Nothing to certify: no version has a higher estimate than v0',
      'How the session ended',
    ],
    [
      'interrupted',
      { ...unfinished, stopped },
      'Not certified: the session ended first; the best so far is v2',
      'How the session ended',
    ],
    ['after round 3 of 4', unfinished, 'Still running: round 4 of 4; the best so far is v2', 'running'],
    [
      'in its certification',
      { ...unfinished, ending: { reason: 'rounds', message: 'all rounds were played' } },
      'Still running: v2 is being certified against v0',
      'running',
    ],
    ['without a plan', { ...unfinished, plan: undefined }, 'Still running: round 4; the best so far is v2', 'running'],
    ['of another tool', other, '2 versions tried; the best is v2', 'Versions'],
  ])('%s', async (_what, value, headline, first) => {
    const page = await drawn(value)
    expect(page.text('h1')).toBe(headline)
    expect(page.all('.banner.running')).toHaveLength(first === 'running' ? 1 : 0)
    expect(page.all('.lead .chip')).toEqual([])
    if (first !== 'running') expect(page.texts('main h2')[0]).toContain(first)
  })
})

describe('the certification', () => {
  test('both versions with intervals, the gain that is their difference, and the p-value', () => {
    expect(at.texts('.figures .figure')).toEqual([
      '50%95% CI 33% to 67%',
      '70%95% CI 55% to 85%',
      '+2095% CI +8 to +32',
      '0.002',
    ])
  })
  test('the significance level was spent once; only where a case got worse the test over cases counts too', async () => {
    expect(at.text('.figures')).toContain('alpha 0.05: the significance level was spent once, here')
    expect(at.text('.figures')).toContain('over the cases p = 0.008')
    const better = await drawn(withCertification({ cases: [{ eval_id: 3, v0: 0.2, candidate: 0.6 }] }))
    expect(better.text('.figures')).not.toContain('over the cases')
  })
  test('of few cases the interval says what it counts; without a graded pair there is no figure', async () => {
    expect(at.texts('.figures .hint')[0]).toBe('mean pass rate of 12 cases, 0 to 100%')
    const gain = { mean: 0.2, ci_low: 0.1, ci_high: 0.3, method: null, n_cases: 5, n_runs: 30 }
    const few = await drawn(withCertification({ gain }))
    expect(few.texts('.figures .hint')[0]).toMatch(/5 cases.*each run as one observation/)
    const none = { ...gain, mean: 0, ci_low: null, ci_high: null, n_cases: 0, n_runs: 0 }
    expect((await drawn(withCertification({ gain: none, cases: [], p_value: null }))).all('.figure')).toEqual([])
  })
  test('which judge decided, and how far the judge of the search disagrees', () => {
    const text = at.text('section[aria-labelledby="certification"]')
    expect(text).toContain('Decided by a second judge: openai:gpt-5.')
    expect(text).toContain(
      'claude-haiku-4-5, disagrees on 18 of 360 decisions (5%). By its verdicts on the same runs the gain is +23',
    )
  })
  test.each<[Certified['judge'], number, string]>([
    [
      { kind: 'same', name: 'a judge' },
      1,
      'Decided by the judge of the search: a judge. The edits may have learned to please it',
    ],
    [{ kind: 'code', name: null }, 0, 'Decided by checks alone'],
  ])('a warning where it is the judge of the search: %j', async (judge, warnings, said) => {
    const page = await drawn(withCertification({ judge }))
    expect(page.all('.banner')).toHaveLength(warnings)
    expect(page.text('section[aria-labelledby="certification"]')).toContain(said)
  })
  test('each guard with its mark', () => {
    expect(at.texts('.guards li')).toEqual([
      '✓ cost × 1.10, at most × 1.20: within × 1.25',
      '? time: unknown for at least one version',
      '✓ no case got significantly worse',
    ])
  })
  test('held-out cases: the worst change first, rates and points agree', () => {
    const rows = at.texts('section[aria-labelledby="held-out"] tbody tr')
    expect(rows.slice(0, 2)).toEqual(['Case 1340%20%-20', 'Case 1280%80%0'])
    expect(rows).toHaveLength(12)
  })
  test('another engine is a row', () => {
    const [row, ...others] = at.texts('section[aria-labelledby="confirmations"] tbody tr')
    expect(row).toMatch(/^codex:gpt-5Not shown to be better: pass rate 66% with v2, 62% with v0/)
    expect(others).toEqual([])
  })
})

describe('the search', () => {
  test('the picture: kept edits lead into the next version, the others end', () => {
    const [first] = at.all('.version-picture .strands')
    expect(first?.getAttribute('aria-label')).toBe('Round 1: 4 of 8 edits kept')
    const round = '.strands[aria-label^="Round 1:"] .strand'
    expect(at.texts(`${round}:has(a + svg) bdi`)).toEqual(['1.1.1', '1.1.2', '1.2.1', '1.3.1'])
    expect(at.all(round)).toHaveLength(8)
    expect(at.links('.strands[aria-label^="Round 2:"] a:has(.kept)').at(-1)).toEqual([
      '●2.2.2 kept',
      '#/improve?edit=2.2.2',
    ])
  })
  test('a round: estimated rates, what the proposers saw, its runs; without a kept edit it makes no version', () => {
    const parts = at.texts('.round h3, .round dd')
    expect(parts.slice(0, 4)).toEqual(['Round 1: v0 → v1', '48% → 65% +17 points', '6 runs of v0 pass rate 50%', '42'])
    expect(parts.slice(-4)).toEqual(['Round 3: v2 → no new version', '81%', '6 runs of v2 pass rate 83%', '40'])
  })
  test('a proposal says its focus and what it cost; unknown is no zero', () => {
    const all = at.texts('.proposal > h4, .proposal > .hint')
    expect(all.slice(0, 2)).toEqual(['Proposal 1 wrong totals', 'claude-code:claude-opus-4-5 · 13,200 tokens · $0.20'])
    expect(all[5]).toBe('claude-code · tokens not known · cost not known')
  })
  test('an edit in a line: its effect, kept or not; a small effect is no zero', () => {
    expect(at.texts('.edit > summary').filter((line) => /1\.1\.[13]|2\.1\.2|1\.2\.3/.test(line))).toEqual([
      '●1.1.1 Says how to add up+9kept',
      '○1.1.3 Asks before rounding-3not kept',
      '×1.2.3 Lists every pagerefused',
      '●2.1.2 Keeps two decimals+0.4kept',
    ])
  })
  test('its address opens an edit: why, runs, files, and folded its diff and its effect on each case', async () => {
    const page = await draw(staged, '#/improve?edit=1.1.1')
    expect(page.texts('.edit[open] .edit-detail > p, .edit[open] .edit-detail > ul')).toEqual([
      'Runs of cases 1 and 4 failed where the skill says nothing: says how to add up',
      '19 runs with the edit, 17 without',
      'SKILL.md modified, +2 -1',
    ])
    expect(page.texts('.edit-detail details > summary')).toEqual(['Diff', 'Effect on each training case (6)'])
    expect(page.all('.edit[open] .diff, .edit[open] table')).toEqual([])
  })
  test('what was refused says by which rule and why', async () => {
    const page = await draw(staged, '#/improve?edit=1.2.3')
    expect(page.texts('.edit-detail > p:has(.tag), .proposal > p:has(.tag)')).toEqual([
      'leakage it holds the answer of a held-out case',
      'no change no edit changes a file',
    ])
  })
})

test('how it ended, what still fails, which proposer failed', () => {
  expect(at.texts('section[aria-labelledby="session-end"] p, section[aria-labelledby="session-end"] li')).toEqual([
    'no edit No edit of round 3 has an effect above 0.',
    'wrong total 3 runs of cases 1, 2',
    'Round 2: the engine crashed tokens not known · cost not known',
  ])
})
test('where runs and money went; the split and the power', () => {
  expect(at.texts('section[aria-labelledby="spent"] dl > div').slice(2)).toEqual([
    'search124 graded runs of 126 planned',
    'certification120 graded runs of 124 planned',
    'other engines120 graded runs',
    'cost of the proposals$1.00, without 3 proposals of unknown cost',
    'cost of the benchmarks$4.20, without 2 runs and gradings of unknown cost',
  ])
  const fixed = at.text('section[aria-labelledby="fixed"]')
  expect(fixed).toContain('training cases1, 2, 4, 5, 7, 8 (6 cases)')
  expect(fixed).toContain('minimum detectable gain, power 0.8+16 points')
  expect(fixed).toContain('true gain+10: 45%, +20: 92%')
})
test('the diff of the versions in the address; the same twice is no difference', async () => {
  const changes = async (query: string) => {
    const page = await draw(staged, `#/improve?${query}`)
    return [page.texts('.pair h3'), page.texts('.diff .gone'), page.texts('.empty')]
  }
  expect(await changes('')).toEqual([['SKILL.md changed', 'scripts/merge.py added'], ['− Do it.\n'], []])
  expect(await changes('from=v2&to=v0')).toEqual([
    ['SKILL.md changed', 'scripts/merge.py deleted'],
    ['− Do it well.\n', '− print(1)\n'],
    [],
  ])
  expect((await changes('from=v0&to=v0')).flat()).toContain('No difference.')
})

describe('versions alone', () => {
  const version = (name: string, parent: string | null): Iteration => ({
    ...{ version: name, parent, expectation_pass_rate: 0.5, grading_result: 'lost', is_current_best: false },
  })
  /** 14 generations, each of five versions of one name: 5 to the power of 14 lines of descent. */
  const doubled = Array.from({ length: 70 }, (_, index) => {
    const generation = Math.floor(index / 5)
    return version(`v${generation}`, generation === 0 ? null : `v${generation - 1}`)
  })
  const chain = Array.from({ length: 3000 }, (_, index) => version(`v${index}`, index === 0 ? null : `v${index - 1}`))
  const sizeOf = (nodes: ReturnType<typeof buildVersionTree>): number =>
    nodes.reduce((sum, { below }) => sum + 1 + sizeOf(below), 0)
  const { started_at, skill_name, current_best, iterations } = whole

  test('of another tool: a tree', async () => {
    const page = await drawn({ started_at, skill_name, current_best, iterations })
    const above = ['', '.versions ', '.versions .versions ']
    expect(above.map((folders) => page.texts(`${folders}.versions .version .name`).length)).toEqual([3, 2, 1])
  })
  test.each([
    ['names that many bear', doubled, 70],
    ['a long chain', chain, 3000],
    ['its own parent', [version('a', 'a')], 1],
    ['a circle', [version('a', 'b'), version('b', 'a')], 2],
    ['prototypes', [version('__proto__', 'constructor'), version('constructor', '__proto__')], 2],
  ])('%s: each version once', (_what, all, size) => expect(sizeOf(buildVersionTree(all))).toBe(size))
  test('of an older or odd form: shown as it is, and said to be', async () => {
    const page = await draw(staged, '#/improve', (all) => ({
      ...all,
      extras: { ...all.extras, history: { raw: '{"odd":1}' } },
    }))
    expect(page.text()).toMatch(/history\.json is not of a known form.*odd/s)
  })
})
