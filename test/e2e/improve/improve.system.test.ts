/** `improve` on the practice model: a planted defect is found, mended, proven and, when asked for, applied. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { broken, evals, mended, mends, openWorld, proposer, type World } from './improving.ts'

vi.setConfig({ testTimeout: 240_000 })

const scriptOf = (folder: string) => readFileSync(path.join(folder, 'scripts/add.sh'), 'utf8')
const benchmarks = ({ workspace }: World) => readdirSync(path.join(workspace, 'benchmarks')).length

describe('a defect in the script', () => {
  test('is mended, wins on unseen cases, and is tested once; the skill changes only with --apply', async () => {
    await using world = await openWorld(mends)
    const end = await world.improve(['--test-runs', '2'])
    expect(end.code, end.stderr + end.stdout).toBe(0)
    const history = world.history()
    expect(history).toMatchObject({
      ...{ current_best: 'v1', skill_name: 'adder', refused: [], stopped: { reason: 'solved' } },
      headroom: { enough: true, pass_rate: 0, room: 1 },
      test: { best: 'v1', v0: { mean: 0 }, candidate: { mean: 1 }, gain: { mean: 1 } },
    })
    expect(history.iterations).toMatchObject([
      { version: 'v0', parent: null, grading_result: 'baseline', is_current_best: false, expectation_pass_rate: 0 },
      {
        ...{ version: 'v1', parent: 'v0', grading_result: 'won', is_current_best: true, expectation_pass_rate: 1 },
        proposal: {
          summary: 'mends the script',
          files: [{ path: 'scripts/add.sh', lines_added: 1, lines_removed: 1 }],
        },
        gate: { stage: 'validation', difference: 1, against: 'v0', n_cases: 8 },
      },
    ])
    const { train = [], validation = [], test: aside = [] } = history.split ?? {}
    expect(new Set([...train, ...validation, ...aside]).size).toBe(18)
    for (const folder of Object.values<string | undefined>(history.iterations[1]?.benchmarks ?? {})) {
      expect(existsSync(path.join(world.workspace, folder ?? '', 'benchmark.json'))).toBe(true)
    }
    expect(end.stdout).toMatch(/v1 is better than v0.*gain on validation \+100, on test \+100 \[\d+, 100\]/)
    expect(scriptOf(world.skill)).toBe(broken)
    expect([
      scriptOf(path.join(world.workspace, 'versions/v0')),
      scriptOf(path.join(world.workspace, 'versions/v1')),
    ]).toEqual([broken, mended])

    const asked = await world.improve(['--test-runs', '2', '--resume', '--apply', '--json'])
    const lines = asked.stdout.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual([expect.objectContaining({ type: 'error', exit_code: 2 })])
    expect([asked.code, scriptOf(world.skill)]).toEqual([2, broken])
    expect(asked.stderr).toContain('cannot ask for confirmation')
    const before = world.requests
    const further = await world.improve(['--test-runs', '2', '--resume', '--iterations', '9'])
    expect([further.code, world.requests, world.history()]).toEqual([0, before, history])
    const applied = await world.improve(['--test-runs', '2', '--resume', '--apply', '--yes'])
    expect(applied.code, applied.stderr).toBe(0)
    expect(applied.stdout).toMatch(/-echo "sum: \$\(\(a - b\)\)"\n\+echo "sum: \$\(\(a \+ b\)\)"/)
    expect([scriptOf(world.skill), world.requests]).toEqual([mended, before])
    const [backup = ''] = readdirSync(path.join(world.workspace, 'backups'))
    expect(scriptOf(path.join(world.workspace, 'backups', backup))).toBe(broken)
    expect(existsSync(path.join(world.skill, 'evals/evals.json'))).toBe(true)
  })

  test('what the proposer sees holds no case that judges, nor their answers', async () => {
    const copies = proposer('looks around', {
      command:
        'cp -r training adder/references; grep -r "" / --include=evals.json 2>/dev/null | head -3 > adder/references/found.txt',
    })
    await using world = await openWorld(copies)
    await world.improve(['--iterations', '1'])
    const seen = path.join(world.workspace, 'proposals/1/outputs/adder/references')
    const { split } = world.history()
    const summary = readFileSync(path.join(seen, 'summary.md'), 'utf8')
    const ids = [...summary.matchAll(/^## case-(\d+)/gm)].map(([, id]) => Number(id))
    expect(ids).toEqual(split?.train)
    expect(summary).toMatch(/run-1: 0 of 1 met; failed/)
    expect(readFileSync(path.join(seen, 'found.txt'), 'utf8')).toBe('')
  })

  test('a skill that was edited meanwhile is not overwritten', async () => {
    await using world = await openWorld(mends, 6)
    await world.improve()
    writeFileSync(path.join(world.skill, 'scripts/add.sh'), '# mine\n')
    const end = await world.improve(['--resume', '--apply', '--yes'])
    expect([end.code, scriptOf(world.skill)]).toEqual([2, '# mine\n'])
    expect(end.stderr).toContain('changed since')
  })
})

describe('a small suite', () => {
  test('has folds that take turns, says what it may claim, and is not refused', async () => {
    await using world = await openWorld(mends, 6)
    const end = await world.improve()
    expect(world.history()).toMatchObject({ current_best: 'v1', split: { kind: 'cross_fitted' } })
    // to its end: what it would take stands there
    expect(end.stderr).toMatch(/reckoned before any run[^\n]*it would take --runs \d+, or as many times more cases\n/)
    expect(end.stdout).toMatch(/what is said holds for these cases, a claim about cases like these needs at least 8/)
  })
})

describe('a version that looked better in training, by too little to be shown', () => {
  test('is validated before the session ends, though the proposals after it came to nothing', async () => {
    // three of its seven checks are met by mending the script
    const seven = evals(6, (sum) => [`: ${sum}`, String(sum), 'by heart', 'gladly', 'of course', 'at once'])
    const files = { 'evals/evals.json': JSON.stringify({ skill_name: 'adder', evals: seven }) }
    await using world = await openWorld(mends, 6, files)
    const end = await world.improve(['--iterations', '3'])
    expect(end.code, end.stderr).toBe(0)
    expect(end.stderr).toMatch(/v1 against v0: tie: \+43 points on its training cases: too small to be detected/)
    const { iterations, refused = [], stopped, current_best, test: tested } = world.history()
    expect(refused.map(({ rule }) => rule)).toEqual(['repeated', 'repeated'])
    expect(iterations[1]).toMatchObject({ grading_result: 'won', gate: { stage: 'validation', alpha: 0.05 } })
    expect([current_best, stopped?.reason, tested?.best]).toEqual(['v1', 'iterations', 'v1'])
  })
})

describe('nothing to find', () => {
  test('a skill that meets all: no proposal is paid for', async () => {
    await using world = await openWorld(mends, 6, { 'scripts/add.sh': mended })
    const end = await world.improve()
    expect([end.code, world.history().stopped?.reason]).toEqual([0, 'solved'])
    expect(existsSync(path.join(world.workspace, 'proposals'))).toBe(false)
  })
  test('an edit that does nothing is no win, and the loop ends', async () => {
    const idle = proposer('says please', { command: 'echo "Please add with care." >> adder/SKILL.md' })
    await using world = await openWorld(idle, 6)
    const end = await world.improve(['--iterations', '2'])
    expect(end.code).toBe(0)
    const { iterations, refused = [], current_best, test: tested, stopped } = world.history()
    expect(iterations[1]).toMatchObject({ grading_result: 'lost', gate: { stage: 'train' } })
    expect([refused.map(({ rule }) => rule), current_best, tested]).toEqual([['repeated'], 'v0', null])
    expect(stopped).toMatchObject({ reason: 'iterations', failures: [{ kind: 'the outcome was wrong' }] })
  })
})

describe('refused before anything runs', () => {
  test.each<[string, readonly string[], RegExp]>([
    ['one case', ['--suite', 'ONE'], /at least 2 cases/],
    ['--resume without a session', ['--resume'], /no session to resume/],
    ['a misspelt flag', ['--iteration', '3'], /did you mean "--iterations/],
    ['no iterations', ['--iterations', '0'], /--iterations: expected a whole number from 1/],
  ])('%s', async (_, flags, said) => {
    await using world = await openWorld(mends, 6)
    const one = path.join(world.skill, 'evals/one.json')
    writeFileSync(
      one,
      JSON.stringify({
        skill_name: 'adder',
        evals: [{ id: 1, prompt: 'x', checks: [{ type: 'contains', value: 'x' }] }],
      }),
    )
    const end = await world.improve(flags.map((flag) => (flag === 'ONE' ? one : flag)))
    expect(end.code).toBe(2)
    expect(end.stderr).toMatch(said)
    expect([world.requests, existsSync(world.workspace)]).toEqual([0, false])
  })
  test('a second session while one has not ended, and other flags on a resume', async () => {
    await using world = await openWorld(mends, 6)
    const first = await world.improve(['--budget-tokens', '500'])
    expect([first.code, world.history().stopped?.reason]).toEqual([3, 'budget'])
    // nothing was tried, so that nothing has lost; what its runs cost is not known on this model
    expect(first.stdout).toMatch(/Nothing was tried yet: v0 has not had all of its own runs\./)
    expect(first.stdout).not.toMatch(/No version was accepted|^version/m)
    expect(first.stdout).toMatch(/cost: benchmarks unknown, proposals \$0\.00/)
    const again = await world.improve()
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('unfinished session')])
    const other = await world.improve(['--resume', '--seed', '2'])
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('seed is different from')])
  })
})

test('a budget ends it with exit 3; --resume with a larger one goes on to the same end', async () => {
  await using world = await openWorld(mends, 6)
  const end = await world.improve(['--budget-tokens', '62000'])
  expect([end.code, world.history().stopped?.reason]).toEqual([3, 'budget'])
  expect(end.stdout).toContain('NOT ENDED')
  const made = benchmarks(world)
  const more = await world.improve(['--resume', '--budget-tokens', '10000000'])
  expect(more.code, more.stderr).toBe(0)
  expect(world.history()).toMatchObject({ current_best: 'v1', stopped: { reason: 'solved' } })
  expect(benchmarks(world)).toBeGreaterThanOrEqual(made)
})
