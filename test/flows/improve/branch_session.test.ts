/** Whole sessions with a certified win: the pull request, and the branch of --branch, also of an ended session. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { failing, openSmallSession, type SmallSession } from './small_session.ts'

vi.setConfig({ testTimeout: 120_000 })

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
  writeFileSync(version, `${readFileSync(version, 'utf8')}more\n`)
  const changed = await world.improve(...runs, '--resume', '--branch', 'third')
  expect([changed.code, changed.stderr]).toEqual([2, expect.stringMatching(/changed since it was tested .*v1/)])

  // the next session moves the text away with the history that it belongs to
  await world.improve(...runs, '--proposer', 'command:false')
  const [name = ''] = readdirSync(path.join(world.workspace, 'sessions'))
  expect(existsSync(path.join(world.workspace, 'sessions', name, 'pull_request.md'))).toBe(true)
  expect(existsSync(file)).toBe(false)
})

test('a changed skill is refused before anything is paid; with --apply the branch comes first', async () => {
  await using world = await openSmallSession()
  const git = commitSkill(world)
  const skillFile = path.join(world.skill, 'SKILL.md')
  const written = readFileSync(skillFile, 'utf8')
  writeFileSync(skillFile, `${written}Changed.\n`)
  const refused = await world.improve(...runs, '--branch', 'b')
  expect([refused.code, refused.stderr, world.requests(), existsSync(world.workspace)]).toEqual([
    2,
    expect.stringMatching(/SKILL\.md is not as in the last commit.*\nhint: commit or undo that change first/),
    0,
    false,
  ])
  writeFileSync(skillFile, written)
  const { code, stdout } = await world.improve(...runs, '--branch', 'b', '--apply', '--yes')
  expect([code, stdout]).toEqual([0, expect.stringMatching(/Committed v1[\s\S]*Applied v1/)])
  expect(git('diff', '--name-status', 'b')).toBe('')
  expect(git('diff', '--name-only')).toBe('scripts/add.sh')
})

test('without a win there is no text and no branch', async () => {
  await using world = await openSmallSession({ proposers: failing.replace('fault: { status: 400 }', 'text: no idea') })
  const git = commitSkill(world)
  const { code, stdout } = await world.improve(...runs, '--branch', 'b')
  expect([code, stdout]).toEqual([0, expect.stringMatching(/No branch b: v0 is the best\./)])
  expect([git('branch', '--list', 'b'), existsSync(path.join(world.workspace, 'pull_request.md'))]).toEqual(['', false])
})
