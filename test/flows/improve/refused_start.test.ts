/** A start that is refused leaves no session behind, whatever refuses it. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { fresh } from '../../e2e/program.ts'
import { openSmallSession } from './small_session.ts'

test('no engine is available', async () => {
  const env = { PATH: path.join(fresh(), 'bin'), ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: '' }
  await using world = await openSmallSession({ engine: null, env })
  const { code, stderr } = await world.improve()
  expect([code, stderr, existsSync(world.workspace)]).toEqual([2, expect.stringMatching(/no engine available/), false])
})

test('agents would read instructions above their working folders', async () => {
  const above = fresh()
  const TMPDIR = path.join(above, 'tmp')
  mkdirSync(TMPDIR)
  writeFileSync(path.join(above, 'CLAUDE.md'), 'Be brief.')
  await using world = await openSmallSession({ engine: 'command:true', env: { TMPDIR } })
  const { code, stderr } = await world.improve('--proposer', 'anthropic:practice-1')
  expect([code, stderr, existsSync(world.workspace)]).toEqual([
    2,
    expect.stringMatching(/agents that work below .* read it/),
    false,
  ])
})
