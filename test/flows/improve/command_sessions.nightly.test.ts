/** Whole sessions by the command: the pull request, the branch of --branch, also of an ended session, and what --dry-run says of the rest. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { fresh } from '../../e2e/program.ts'
import { failing, foresee, openSmallSession, type SmallSession } from './small_session.ts'

function gitIn({ skill }: Pick<SmallSession, 'skill'>) {
  return (...args: string[]) =>
    execFileSync('git', args, { cwd: skill, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trimEnd()
}

function commitSkill(world: Pick<SmallSession, 'skill'>) {
  const git = gitIn(world)
  git('init', '--quiet', '--initial-branch=main')
  git('config', 'user.name', 'Ada')
  git('config', 'user.email', 'ada@localhost')
  git('add', '--all')
  git('commit', '--quiet', '-m', 'one')
  return git
}

const runs = ['--total-runs', '40']

test('a win writes the pull request and commits the branch; an ended session makes another without a run', async () => {
  const token = 'tok-4f9a1c77be02d8'
  await using world = await openSmallSession({ env: { MY_TOKEN: token } })
  const script = path.join(world.skill, 'scripts/add.sh')
  writeFileSync(script, `# ${token}\n${readFileSync(script, 'utf8')}`)
  const git = commitSkill(world)
  writeFileSync(path.join(world.skill, 'evals/notes.txt'), 'not committed')
  const before = [git('status', '--porcelain'), git('rev-parse', 'HEAD'), git('symbolic-ref', 'HEAD')]

  const { code, stdout } = await world.improve(...runs, '--branch', 'improve/adder')
  const { certification } = world.history()
  expect([code, certification?.result]).toEqual([0, 'won'])
  const file = path.join(world.workspace, 'pull_request.md')
  expect(stdout).toContain(`wrote ${path.relative(path.dirname(world.skill), file)}`)
  const commit = git('rev-parse', 'improve/adder')
  expect(stdout).toMatch(new RegExp(`^Committed v1 as ${commit.slice(0, 10)} on the new branch improve/adder$`, 'm'))
  expect(git('diff', '--name-status', 'main..improve/adder')).toBe('M\tscripts/add.sh')
  expect(git('show', 'improve/adder:scripts/add.sh')).toContain('a + b')
  expect(git('log', '-1', '--format=%B', 'improve/adder')).toBe(
    `Improve adder: pass rate from 0% to 100%\n\n${certification?.sentence}`,
  )
  expect([git('status', '--porcelain'), git('rev-parse', 'HEAD'), git('symbolic-ref', 'HEAD')]).toEqual(before)

  const text = readFileSync(file, 'utf8')
  expect(text).toMatch(/^### Edit 1\.\d\.1: adds in place of subtracting$/m)
  expect(text).toMatch(/^whetstone improve adder --total-runs 40 --seed 1 --engine anthropic:practice-1$/m)
  expect([text.includes(token), text.includes('[redacted:MY_TOKEN]')]).toEqual([false, true])

  const asked = world.requests()
  const second = await world.improve(...runs, '--resume', '--branch', 'second', '--json')
  expect([second.code, world.requests(), git('rev-parse', 'second^{tree}')]).toEqual([
    0,
    asked,
    git('rev-parse', 'improve/adder^{tree}'),
  ])
  const line = JSON.parse(second.stdout.trimEnd().split('\n').at(-1) ?? '')
  expect(line).toMatchObject({ type: 'result', branch: { name: 'second', commit: git('rev-parse', 'second') } })
  const taken = await world.improve(...runs, '--resume', '--branch', 'second')
  expect([taken.code, taken.stderr]).toEqual([2, expect.stringMatching(/--branch second: this branch exists already/)])

  const version = path.join(world.workspace, 'versions/v1/SKILL.md')
  const tested = readFileSync(version, 'utf8')
  appendFileSync(version, 'more\n')
  const changed = await world.improve(...runs, '--resume', '--branch', 'third')
  expect([changed.code, changed.stderr]).toEqual([2, expect.stringMatching(/changed since it was tested .*v1/)])

  // with --apply the branch comes first
  writeFileSync(version, tested)
  const applied = await world.improve(...runs, '--resume', '--branch', 'fourth', '--apply', '--yes')
  expect([applied.code, applied.stdout]).toEqual([0, expect.stringMatching(/Committed v1[\s\S]*Applied v1/)])
  expect([git('diff', '--name-status', 'fourth'), git('diff', '--name-only')]).toEqual(['', 'scripts/add.sh'])

  // the next session moves the text away with the history that it belongs to
  await world.improve(...runs, '--proposer', 'command:false')
  const [name = ''] = readdirSync(path.join(world.workspace, 'sessions'))
  expect(existsSync(path.join(world.workspace, 'sessions', name, 'pull_request.md'))).toBe(true)
  expect(existsSync(file)).toBe(false)
})

test('without a win there is no text and no branch', async () => {
  await using world = await openSmallSession({ proposers: failing.replace('fault: { status: 400 }', 'text: no idea') })
  const git = commitSkill(world)
  const { code, stdout } = await world.improve(...runs, '--branch', 'b')
  expect([code, stdout]).toEqual([0, expect.stringMatching(/No branch b: v0 is the best\./)])
  expect([git('branch', '--list', 'b'), existsSync(path.join(world.workspace, 'pull_request.md'))]).toEqual(['', false])
})

test('a stopped session is refused without --resume; with it the rest is shown', async () => {
  await using world = await openSmallSession({ engine: 'anthropic:opus', proposers: failing })
  const stopped = await world.improve('--total-runs', '40')
  expect([stopped.code, world.history().stopped?.reason]).toEqual([3, 'proposer'])
  const before = readdirSync(world.workspace, { recursive: true }).sort()

  const again = await world.improve('--dry-run', '--total-runs', '40')
  expect([again.code, again.stderr]).toEqual([
    2,
    expect.stringMatching(/unfinished session .*\nhint: continue it with --resume/),
  ])
  const changed = await world.improve('--dry-run', '--resume', '--total-runs', '60')
  expect([changed.code, changed.stderr]).toEqual([2, expect.stringMatching(/--total-runs/)])

  const asked = world.requests()
  const { left, estimate, resumed } = await foresee(world, '--resume', '--total-runs', '40')
  expect([resumed, left.rounds, left.search_runs, left.certification_runs]).toEqual([true, 1, 20, 20])
  expect([estimate.from_runs, estimate.from_proposals, estimate.proposals_usd]).toEqual([3, 0, null])
  expect(estimate.certification_usd).toBeGreaterThan(0)
  const shown = await world.improve('--dry-run', '--resume', '--total-runs', '40')
  expect(shown.stdout).toMatch(/^runs {6}left of 40 runs: 20 for the search in 1 round, 20 for the certification$/m)
  expect(shown.stdout).toMatch(
    /^estimate {2}(<?\$\d\.\d\d) and the proposals, unknown time with 4 at once \(from 3 earlier runs\)$/m,
  )
  expect([world.requests(), readdirSync(world.workspace, { recursive: true }).sort()]).toEqual([asked, before])

  const suite = path.join(world.skill, 'evals/evals.json')
  writeFileSync(suite, readFileSync(suite, 'utf8').replace('What is', 'Please, what is'))
  const other = await world.improve('--dry-run', '--resume', '--total-runs', '40')
  expect([other.code, other.stderr]).toEqual([2, expect.stringMatching(/changed since the session was started/)])
})

test('runs and proposals of an ended session give the estimate of the next, by the prices of --prices if it is given', async () => {
  await using world = await openSmallSession({ engine: 'anthropic:opus' })
  await world.improve('--total-runs', '40')
  const history = world.history()
  const { estimate, resumed } = await foresee(world, '--total-runs', '40')
  const proposals = (history.rounds ?? []).flatMap((round) => round.proposals)
  const paid = proposals.reduce((sum, { cost_usd: usd }) => sum + (usd ?? 0), 0)
  expect([resumed, estimate.from_proposals]).toEqual([false, 3])
  expect(estimate.proposals_usd).toBeCloseTo(paid, 6)
  expect(((estimate.usd ?? 0) - paid) / (history.benchmarks_usd ?? 0)).toBeCloseTo(1, 0)
  expect(estimate.seconds).toBeGreaterThan(0)
  const file = path.join(fresh(), 'prices.yaml')
  writeFileSync(file, 'anthropic:claude-opus-5-5: { input: 1000, output: 1000 }\n')
  const dear = await foresee(world, '--total-runs', '40', '--prices', file)
  for (const part of ['search_usd', 'certification_usd', 'proposals_usd'] as const) {
    expect(dear.estimate[part]).toBeGreaterThan(30 * (estimate[part] ?? 0))
  }
  const ended = await world.improve('--dry-run', '--resume', '--total-runs', '40')
  expect([ended.code, ended.stdout]).toEqual([
    0,
    expect.stringMatching(/^Nothing is left to run: the session has ended\. /),
  ])

  // as before the certification: what the search has cost counts against the budget
  const { ended_at: _, certification: __, ending: ___, stopped: ____, ...open } = history
  writeFileSync(path.join(world.workspace, 'history.json'), JSON.stringify(open))
  const each = (estimate.certification_usd ?? 0) / 20
  const rest = await foresee(world, '--resume', '--total-runs', '40', '--budget', (24 * each).toFixed(9))
  expect(rest.left).toMatchObject({ rounds: 0, proposals: 0, search_runs: 0, certification_runs: 20 })
  expect(rest.budget?.certification_runs).toBeLessThan(Math.floor(12 / 1.1))
})
