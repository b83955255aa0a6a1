/** A whole benchmark in the sandbox: an agent that lies beside the suite finds neither it nor the results, and cleans up nothing of theirs. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { probeSandbox } from '../../../src/base/sandbox/choose.ts'
import { needs } from '../../require.ts'
import { makeSkill, whetstone } from '../program.ts'

const key = 'THE-ANSWER-IS-42'
const works = (await probeSandbox(process.env.PATH ?? '')).ok

/** The agent's folder holds skill, suite and results; the agent prints every file below that it can read. */
async function benched(mode: string) {
  const checks = [
    { type: 'contains', value: key },
    { type: 'command', run: 'cat "$KEY_FILE"' },
  ]
  const skill = makeSkill([{ id: 1, prompt: 'task', expected_output: key, checks }])
  const top = path.dirname(skill)
  const workspace = path.join(top, 'results')
  mkdirSync(workspace)
  writeFileSync(path.join(workspace, 'old.json'), key)
  writeFileSync(path.join(top, 'agent.sh'), `echo I see; find ${top} -type f; cat $(find ${top} -type f) </dev/null\n`)
  const args = ['bench', skill, '--engine', `command:sh ${top}/agent.sh`, '--runs', '1', '--workspace', workspace]
  const flags = ['--sandbox', mode, '--pass-env', 'KEY_FILE']
  const end = await whetstone([...args, ...flags], { env: { KEY_FILE: path.join(workspace, 'old.json') } })
  expect(end.code, end.stderr).toBe(0)
  const made = path.join(workspace, 'benchmarks', readdirSync(path.join(workspace, 'benchmarks'))[0] ?? '')
  const slug = readdirSync(made).find((name) => name.startsWith('eval-')) ?? ''
  const read = (name: string) => JSON.parse(readFileSync(path.join(made, slug, 'without_skill/run-1', name), 'utf8'))
  const passed = read('grading.json').expectations.map((one: { passed: boolean }) => one.passed)
  return { said: String(read('run.json').final_response), passed, skill, workspace }
}

needs(
  'bubblewrap that works',
  works,
  'apt-get install bubblewrap',
)('an agent beside the suite', () => {
  test('finds its own script, and neither suite nor results; a command check does not either', async () => {
    const { said, passed, skill, workspace } = await benched('required')
    expect(said).toContain('agent.sh')
    expect(said).not.toContain(key)
    expect(said).not.toContain(path.join(skill, 'evals'))
    expect(said).not.toContain(path.join(workspace, 'old.json'))
    expect(passed).toEqual([false, false])
  })
  test('negative control: without the sandbox it finds both', async () => {
    const { said, passed } = await benched('off')
    expect(said).toContain(key)
    expect(passed).toEqual([true, true])
  })
})
