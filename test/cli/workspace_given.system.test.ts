/** Commands on a finished benchmark take the workspace too: its newest benchmark is meant, and named. */
import { cpSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Benched, benched } from '../e2e/judge/comparing.ts'
import { agent } from '../e2e/program.ts'
import { runMain } from './run_main.ts'

/** Its benchmark twice, the later one in a year that is not over; the skill has settings of its own. */
async function twice(): Promise<Benched & { newest: string }> {
  const made = await benched()
  const newest = path.join(made.workspace, 'benchmarks/2999-01-01T00-00-00Z')
  cpSync(made.folder, newest, { recursive: true })
  writeFileSync(path.join(made.skill, 'evals/whetstone.config.yaml'), 'concurrency: 2\n')
  return { ...made, newest }
}

describe.each([
  ['grade', ['--sandbox', 'off']],
  ['compare', ['--dry-run', '--judge', agent('tidy.mjs')]],
])('%s', (command, flags) => {
  test('takes the newest benchmark of a workspace, and says which', async () => {
    const { workspace, newest } = await twice()
    const end = await runMain([command, 'ws', ...flags], { cwd: path.dirname(workspace) })
    expect(end.code, end.stderr).toBe(0)
    expect(end.stderr).toContain(
      `ws is a workspace; using its newest benchmark: ${path.relative(path.dirname(workspace), newest)}\n`,
    )
  })
  test('says nothing of it with a benchmark', async () => {
    const { folder } = await twice()
    const end = await runMain([command, folder, ...flags])
    expect(end.code, end.stderr).toBe(0)
    expect(end.stderr).not.toContain('newest')
  })
})

test('compare takes two workspaces', async () => {
  const [one, two] = [await twice(), await twice()]
  const end = await runMain(['compare', one.workspace, two.workspace, '--dry-run', '--judge', agent('tidy.mjs')])
  expect(end.code, end.stderr).toBe(0)
  expect(end.stderr.match(/using its newest benchmark/g)).toHaveLength(2)
})
