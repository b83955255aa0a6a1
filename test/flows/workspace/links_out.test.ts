/** A workspace that came with links out of it is refused, before anything is written or removed where they lead. */
import { readdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { makeFolders } from '../../../src/base/fs/durable_files.ts'
import { runMain } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../../e2e/program.ts'

const skill = makeSkill([{ id: 1, prompt: 'one', checks: [{ type: 'file_exists', path: 'out.txt' }] }])
const command = ['--engine', 'command:sh -c "echo x > out.txt"', '--runs', '1', '--sandbox=off', '--trust-suite']

/** A folder of the user with what a cache or a benchmark would tidy up, next to a workspace. */
function plant(link: string, target: (user: string) => string) {
  const root = fresh()
  const [user, workspace] = [path.join(root, 'pictures'), path.join(root, 'ws')]
  makeFolders(path.join(user, '2024-12'))
  makeFolders(path.join(user, '2026-01-01T00-00-00Z', '.trip'))
  makeFolders(path.dirname(path.join(workspace, link)))
  makeFolders(path.join(workspace, 'own'))
  symlinkSync(target(user), path.join(workspace, link))
  return { user, workspace }
}

const list = (folder: string) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()

test.each(['.cache', '.cache/tmp', '.cache/runs', 'benchmarks', 'evals', 'versions/v1', 'watch/x'])(
  'a link at %s that leads out',
  async (link) => {
    const { user, workspace } = plant(link, (place) => place)
    const before = list(user)
    const end = await runMain(['bench', skill, '--workspace', workspace, ...command])
    expect(list(user)).toEqual(before)
    expect([end.code, end.stderr]).toEqual([2, expect.stringContaining('a link that leads out of the workspace')])
    expect(end.stderr).toContain(path.join(workspace, link))
  },
)

test('clean --cache removes nothing where a link leads out', async () => {
  const { user, workspace } = plant('.cache/runs', (place) => place)
  const before = list(user)
  await runMain(['clean', workspace, '--cache', '--yes'])
  expect(list(user)).toEqual(before)
})

test('a link inside the workspace, and a workspace that is a link, are as good as folders', async () => {
  const { workspace } = plant('.cache', () => 'own')
  const linked = `${workspace}-link`
  symlinkSync(workspace, linked)
  const end = await runMain(['bench', skill, '--workspace', linked, ...command])
  expect([end.code, end.stderr]).toEqual([0, expect.any(String)])
  expect(readdirSync(path.join(workspace, 'own', 'runs'))).toHaveLength(2)
})
