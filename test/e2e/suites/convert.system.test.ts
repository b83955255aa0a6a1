/** The built program has the files that `convert --to harbor` writes. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { fresh, makeSkill, whetstone } from '../program.ts'

test('the built program has the verifier of a Harbor task', async () => {
  const skill = makeSkill([{ id: 1, name: 'one', prompt: 'Go.', checks: [{ type: 'file_exists', path: 'x' }] }])
  const output = path.join(fresh(), 'tasks')
  const end = await whetstone(['convert', skill, '--to', 'harbor', '-o', output])
  expect(end, end.stderr).toMatchObject({ code: 0, stderr: expect.stringMatching(/^1 case of tidy: /) })
  expect(readFileSync(path.join(output, 'one/tests/verify.py'), 'utf8')).toContain('reward.txt')
})
