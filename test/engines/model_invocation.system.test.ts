/** Which agents keep a skill with `disable-model-invocation: true` from the model, as Engine.hidesUserSkills says. */
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { needs } from '../require.ts'
import { contenders } from './contenders.ts'
import { openStage, perform, practice } from './stage.ts'

for (const [name, contender] of Object.entries(contenders)) {
  const { engine, cli } = contender
  if (name === 'command' || name.startsWith('acp')) continue
  const group = cli === undefined ? describe : needs(`the ${name} CLI`, cli !== null, 'npm run agents')
  group(name, () => {
    test('offers a usual skill; one with disable-model-invocation as the table says', async () => {
      await using server = await practice('rules: [{ name: other, answer: { text: all done } }]')
      await using stage = await openStage()
      const skills = await Promise.all(
        ['usual', 'secluded'].map(async (skill) => {
          const folder = path.join(stage.cwd, engine.skillsFolder, skill)
          await mkdir(folder, { recursive: true })
          const line = skill === 'secluded' ? 'disable-model-invocation: true\n' : ''
          const description = `CANARY-OF-${skill} shows things.`
          await writeFile(
            path.join(folder, 'SKILL.md'),
            `---\nname: ${skill}\ndescription: ${description}\n${line}---\nBody.\n`,
          )
          return { name: skill, description, path: folder }
        }),
      )
      const { outcome } = await perform(engine, stage.task({ ...contender.needs(server), skills }))
      const log = JSON.stringify(server.requests)
      console.log(
        name,
        outcome.status,
        log.includes('CANARY-OF-usual'),
        log.includes('CANARY-OF-secluded'),
        JSON.stringify(outcome.report.loaded?.skills),
      )
      expect(outcome.status).toBe('completed')
    })
  })
}
