/** `check --oracle` runs what a suite brings in the sandbox: it finds neither the suite nor the home, and leaves nothing behind. */
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { probeSandbox } from '../../../src/base/sandbox/choose.ts'
import { runMain } from '../../cli/run_main.ts'
import { needs } from '../../require.ts'
import { fresh, makeSkill } from '../program.ts'

const works = (await probeSandbox(process.env.PATH ?? '')).ok

/** Which rules were broken, and what the suite's commands did, when each does what it should not. */
async function checked(mode: string) {
  const outside = fresh()
  const [secret, bySetup, byCheck] = ['secret', 'by-setup', 'by-check'].map((name) => path.join(outside, name))
  writeFileSync(secret ?? '', 'SECRET')
  const skill = makeSkill([
    {
      id: 1,
      prompt: 'task',
      reference: { answer: 'done', files: { 'a.md': 'a' } },
      setup: `touch ${bySetup}; true`,
      checks: [
        { type: 'command', run: 'test "$(cat a.md)" = a' },
        {
          type: 'command',
          run: `touch ${byCheck}; ! cat ${secret} && ! cat "$(dirname ${outside})"/*/*/evals/evals.json`,
        },
      ],
    },
  ])
  const { code, stdout, stderr } = await runMain(['check', skill, '--oracle', '--json', '--sandbox', mode])
  const rules = JSON.parse(stdout).skills[0].problems.map(({ rule }: { rule: string }) => rule)
  const made = [bySetup, byCheck].filter((file) => existsSync(file ?? ''))
  return { code, stderr, fails: rules.filter((rule: string) => rule === 'oracle-fails').length, made: made.length }
}

needs(
  'bubblewrap that works',
  works,
  'apt-get install bubblewrap',
)('what a suite brings, when its references are graded', () => {
  test('reads and writes nothing outside', async () => {
    expect(await checked('required')).toMatchObject({ code: 0, fails: 0, made: 0 })
  })
  test('negative control: without the sandbox it does', async () => {
    expect(await checked('off')).toMatchObject({ code: 1, fails: 1, made: 2 })
  })
})

test('a sandbox that is required and not there is a mistake', async () => {
  const skill = makeSkill([
    { id: 1, prompt: 'task', reference: { answer: 'x' }, checks: [{ type: 'contains', value: 'x' }] },
  ])
  const end = await runMain(['check', skill, '--oracle', '--sandbox', 'required'], { env: { PATH: '/nowhere' } })
  expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining('--sandbox required') })
})
