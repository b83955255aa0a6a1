/** `improve` with a person at a terminal: what they say between two rounds reaches the next proposer, and nothing is applied that they have not confirmed. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { atTerminal, needsTerminal } from '../terminal.ts'
import { broken, mended, mends, openWorld, proposer, type World } from './improving.ts'

const scriptOf = (folder: string) => readFileSync(path.join(folder, 'scripts/add.sh'), 'utf8')
const session = (world: World, flags: readonly string[]) => ({ args: world.command(flags), env: world.env })

/** Does nothing useful, until a person has said what is wrong. */
const listens =
  proposer('does as told', {
    when: 'the script subtracts',
    command: "sed -i 's/a - b/a + b/' adder/scripts/add.sh",
  }) + proposer('says please', { command: 'echo "Please add with care." >> adder/SKILL.md' })

needsTerminal('--review', () => {
  const question = 'Press Enter to continue'

  test('waits after a round; what is written in feedback.json of a training case reaches the next proposal', async () => {
    await using world = await openWorld(listens)
    const answer = () => {
      const [newest = ''] = readdirSync(path.join(world.workspace, 'searches')).sort().reverse()
      const folder = path.join(world.workspace, 'searches', newest)
      const { runs } = JSON.parse(readFileSync(path.join(folder, 'plan.json'), 'utf8'))
      const held = world.history().split?.held_out[0]
      const reviews = [
        { run_id: runs[0].run_id.replaceAll('/', '-'), feedback: 'the script subtracts' },
        { run_id: `eval-${held}-x-new_skill-run-1`, feedback: 'of a held-out case' },
      ].map((one) => ({ ...one, timestamp: '2026-01-15T10:30:00Z' }))
      writeFileSync(path.join(folder, 'feedback.json'), JSON.stringify({ reviews, status: 'in_progress' }))
      return '\r'
    }
    const flags = ['--review', '--total-runs', '80']
    const { said, code } = await atTerminal({ ...session(world, flags), question, answer })
    expect(code, said).toBe(0)
    expect(said).toMatch(/review: whetstone view \S+ --serve shows it and writes \S+feedback\.json/)
    expect(said.split(question).length - 1).toBe(1)
    const { rounds, certification } = world.history()
    expect(rounds?.map(({ version }) => version)).toEqual([null, 'v1'])
    expect(certification).toMatchObject({ result: 'won', best: 'v1' })
    const proposals = world.asked.filter((text) => text.includes('You improve an agent skill'))
    expect(proposals.some((text) => /What people say about the runs:.*the script subtracts/.test(text))).toBe(true)
    expect(proposals.some((text) => text.includes('of a held-out case'))).toBe(false)
  })
  test('Ctrl-C at the question ends with 130; --resume goes on', async () => {
    await using world = await openWorld(listens, 6)
    const flags = ['--total-runs', '80']
    const end = await atTerminal({ ...session(world, [...flags, '--review']), question, answer: () => '\u0003' })
    expect(end.code, end.said).toBe(130)
    expect(end.said).toContain('continue with the same command and --resume')
    expect(world.history().rounds).toHaveLength(1)
    expect((await world.improveInProcess([...flags, '--resume'])).code).toBe(0)
    expect(world.history().stopped?.reason).toBe('no_edit')
  })
})

test('--review where nobody can press Enter is refused before anything is paid for', async () => {
  await using world = await openWorld(listens, 6)
  const end = await world.improveInProcess(['--review'])
  expect([end.code, world.requests]).toEqual([2, 0])
  expect(end.stderr).toContain('stdin is not a terminal')
})

needsTerminal('--apply', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(mends, 6)
    expect((await world.improveInProcess()).code).toBe(0)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test.each([
    ['y\r', 0, true],
    ['\r', 0, false],
    ['sure\r', 0, false],
    ['\u0003', 130, false],
  ])('the answer %j: exit %i, applied: %s', async (keys, code, isApplied) => {
    writeFileSync(path.join(world.skill, 'scripts/add.sh'), broken)
    const backups = path.join(world.workspace, 'backups')
    rmSync(backups, { recursive: true, force: true })
    const question = 'in place of'
    const end = await atTerminal({ ...session(world, ['--resume', '--apply']), question, answer: () => keys })
    expect(end.code, end.said).toBe(code)
    expect(end.said).toMatch(/-echo "sum: \$\(\(a - b\)\)"\s+\+echo "sum: \$\(\(a \+ b\)\)"/)
    expect(scriptOf(world.skill)).toBe(isApplied ? mended : broken)
    const kept = existsSync(backups) ? readdirSync(backups) : []
    expect(kept.map((name) => scriptOf(path.join(backups, name)))).toEqual(isApplied ? [broken] : [])
  })
})
