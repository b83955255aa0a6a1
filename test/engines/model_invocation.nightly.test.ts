/** Which agents keep a skill with `disable-model-invocation: true` from the model, as Engine.userOnlySkills says. */
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { contenders, findContender } from './contenders.ts'
import { openStage, perform, practice } from './stage.ts'

for (const name of Object.keys(contenders)) {
  const { engine, needs: needed, suite } = findContender(name)
  if (name === 'command') continue
  suite(name, () => {
    /** What the model is asked in a run with both skills. */
    async function ask(prompt: string): Promise<string> {
      await using server = await practice('rules: [{ name: other, answer: { text: all done } }]')
      await using stage = await openStage()
      const skills = await Promise.all(
        ['usual', 'secluded'].map(async (skill) => {
          const folder = path.join(stage.cwd, engine.skillsFolder, skill)
          await mkdir(folder, { recursive: true })
          const line = skill === 'secluded' ? 'disable-model-invocation: true\n' : ''
          const description = `CANARY-OF-${skill} shows things.`
          const head = `name: ${skill}\ndescription: ${description}\n${line}`
          await writeFile(path.join(folder, 'SKILL.md'), `---\n${head}---\nBODY-OF-${skill}\n`)
          return { name: skill, description, path: folder }
        }),
      )
      const { outcome } = await perform(engine, stage.task({ ...needed(server), skills, prompt }))
      expect(outcome.status).toBe('completed')
      return JSON.stringify(server.requests)
    }
    test('offers a usual skill; one with disable-model-invocation as the table says', async () => {
      const log = await ask('greet')
      expect(log).toContain('CANARY-OF-usual')
      expect(log.includes('CANARY-OF-secluded')).toBe(engine.userOnlySkills === undefined)
    })
    const start = engine.userOnlySkills?.start
    if (!start) return
    test('a user starts it by these words, and no others bring its text', async () => {
      expect(await ask(`${start('secluded')} greet`)).toContain('BODY-OF-secluded')
      expect(await ask('Use the skill secluded for this task.\n\ngreet')).not.toContain('BODY-OF-secluded')
    })
  })
}
