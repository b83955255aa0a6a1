/** A worker without a sandbox refuses what a job's skills start, whatever the job says about them. */
import path from 'node:path'
import { expect, test } from 'vitest'
import { chooseSandbox } from '../../../../src/base/sandbox/choose.ts'
import { refuseCommands } from '../../../../src/flows/queue/worker/trusted_job.ts'
import { listSkillFiles } from '../../../../src/phases/1-plan/skill/read_skill.ts'
import { fresh, makeSkill } from '../../../e2e/program.ts'
import { planHere } from '../here.ts'

const hooks = 'hooks: { Stop: [{ hooks: [{ type: command, command: touch mark }] }] }'
const one = { id: 1, prompt: 'task', checks: [{ type: 'contains', value: 'TIDY' }] }

async function fetched(key: string, isWith = true, body = 'Tidy up.') {
  const text = `---\nname: tidy\ndescription: Tidies up.\n${key}\n---\n${body}\n`
  const skill = makeSkill([one], { 'SKILL.md': text })
  const { plan } = await planHere({ skill, engine: 'command:true', workspace: fresh() })
  const spec = plan.runs.find((run) => (run.skill !== null) === isWith)
  if (spec === undefined) throw new Error('no such run')
  return { spec, skills: new Map([[plan.skill.sha256, (await listSkillFiles(path.join(skill))).files]]) }
}

const off = await chooseSandbox({ mode: 'off', network: null, readable: [] }, '')

test('refuses a hook of the skill', async () => {
  await expect(refuseCommands(await fetched(hooks), off)).rejects.toThrow(
    /the job contains commands \(hook: Stop: touch mark\).*--trust-suite/,
  )
})

test('refuses a command in the text of the skill', async () => {
  const job = await fetched('license: MIT', true, 'State: !`touch mark`')
  await expect(refuseCommands(job, off)).rejects.toThrow('skill_command: touch mark')
})

test.each([
  ['with --trust-suite', hooks, off, true],
  ['in a sandbox', hooks, { ...off, mechanism: 'bubblewrap' as const }, false],
  ['a skill that starts nothing', 'license: MIT', off, false],
])('control: %s it takes the job', async (_, key, sandbox, trusted) => {
  await refuseCommands(await fetched(key), sandbox, trusted)
})

test('control: a run without the skill is taken', async () => {
  await refuseCommands(await fetched(hooks, false), off)
})
