/** Which agents keep a skill with `disable-model-invocation: true` from the model, as Engine.userOnlySkills says. */
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
      expect(outcome.status).toBe('completed')
      expect(log).toContain('CANARY-OF-usual')
      expect(log.includes('CANARY-OF-secluded')).toBe(engine.userOnlySkills === undefined)
    })
    const start = engine.userOnlySkills?.start
    if (!start) return
    test('a user starts it by these words, and no others bring its text', async () => {
      const ask = async (prompt: string) => {
        await using server = await practice('rules: [{ name: other, answer: { text: all done } }]')
        await using stage = await openStage()
        const folder = path.join(stage.cwd, engine.skillsFolder, 'secluded')
        await mkdir(folder, { recursive: true })
        await writeFile(
          path.join(folder, 'SKILL.md'),
          '---\nname: secluded\ndescription: D.\ndisable-model-invocation: true\n---\nBODY-CANARY\n',
        )
        const skills = [{ name: 'secluded', description: 'D.', path: folder }]
        await perform(engine, stage.task({ ...contender.needs(server), skills, prompt }))
        return JSON.stringify(server.requests).includes('BODY-CANARY')
      }
      expect(await ask(`${start('secluded')} greet`)).toBe(true)
      expect(await ask('Use the skill secluded for this task.\n\ngreet')).toBe(false)
    })
  })
}
