/** A whole session of `improve` with a real agent CLI as engine and as proposer, against the practice model. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { type RunRecord, runRecord } from '../../schemas/run.ts'
import { needs } from '../require.ts'
import { broken, type Crew, mended, openWorld, type World } from './improving.ts'

export interface RealCrew extends Crew {
  /** Of the program. */
  name: string
  /** Absolute path; null: it is not installed. */
  binary: string | null
  /** What the proposer does, as rules of a scenario: it mends the script. */
  proposer: string
}

/** Milliseconds: an agent CLI starts slowly, and machines differ. */
const patience = 600_000

const scriptOf = (folder: string) => readFileSync(path.join(folder, 'scripts/add.sh'), 'utf8')

export function testRealCrew(crew: RealCrew): void {
  const suite = needs(`the ${crew.name} CLI`, crew.binary !== null, 'npm run agents')
  suite(`improve with the real ${crew.name} CLI as engine and proposer`, () => {
    let world: World
    let end: Awaited<ReturnType<World['improve']>>
    beforeAll(async () => {
      world = await openWorld(crew.proposer, 6, {}, crew)
      end = await world.improve(['--iterations', '1', '--test-runs', '2'])
      return () => world[Symbol.asyncDispose]()
    }, patience)
    const read = (name: string): RunRecord =>
      runRecord.parse(JSON.parse(readFileSync(path.join(world.workspace, name, 'run.json'), 'utf8')))

    test('finds the defect, mends it, proves it on unseen cases and tests it', () => {
      expect(end.code, end.stderr).toBe(0)
      expect(world.history()).toMatchObject({
        ...{ current_best: 'v1', stopped: { reason: 'solved' }, refused: [] },
        test: { best: 'v1', v0: { mean: 0 }, candidate: { mean: 1 } },
      })
      expect(end.stdout).toMatch(/validation said \+100, test says \+100/)
    })
    test('the proposer was that CLI: it ran a command on a copy, and its words are kept', () => {
      const record = read('proposals/1')
      expect(record).toMatchObject({ status: 'completed', engine: { name: crew.engine.split(':')[0] } })
      expect(record.engine.version).toMatch(/\d+\.\d+\.\d+/)
      expect(record.outputs.files.map((file) => file.path)).toContain('adder/scripts/add.sh')
      expect(world.history().iterations[1]?.proposal).toMatchObject({
        ...{ summary: 'mends the script', engine: crew.engine.split(':')[0] },
        files: [{ path: 'scripts/add.sh', lines_added: 1, lines_removed: 1 }],
      })
    })
    test(
      "the author's skill is untouched until --apply",
      async () => {
        expect(scriptOf(world.skill)).toBe(broken)
        const applied = await world.improve(['--iterations', '1', '--test-runs', '2', '--resume', '--apply', '--yes'])
        expect([applied.code, scriptOf(world.skill)]).toEqual([0, mended])
      },
      patience,
    )
  })
}
