/** One contract of paths for every engine: in the sandbox, no path that its model reads differs from run to run. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { chooseSandbox, noSandboxWish } from '../../src/base/sandbox/choose.ts'
import { specOf } from '../fixtures/run_spec.ts'
import { folderOf } from '../phases/1-plan/folder.ts'
import { performIn } from '../phases/2-run/surroundings.ts'
import { cliFolder } from '../require.ts'
import { foundSandbox } from '../sandbox/needs_sandbox.ts'
import { type Contender, findContender } from './contenders.ts'
import { practice } from './stage.ts'

const PATH = `${process.env.PATH}:${cliFolder}`
const skill = { name: 'demo', description: 'Shows things.', path: '/skills/demo', sha256: '0'.repeat(64) }

interface Wanted {
  mode: 'off' | 'required'
  isTaught?: boolean
}

/** What the model reads in a run that writes its folders to a file and reads the skill, that file, and the record of the run. */
async function readPrompts(contender: Contender, { mode, isTaught = false }: Wanted) {
  const { engine, needs: needed, shell } = contender
  const rules = [
    { name: 'first', when: { turn: 1 }, answer: { tool_calls: [shell('{ pwd; echo "$HOME"; } > a.txt; cat a.txt')] } },
    { name: 'skill', when: { turn: 2 }, answer: { tool_calls: [shell(`cat ${engine.skillsFolder}/demo/SKILL.md`)] } },
    { name: 'end', answer: { text: 'all done' } },
  ]
  await using server = await practice(JSON.stringify({ rules }))
  const root = folderOf({ 'SKILL.md': '---\nname: demo\ndescription: Shows things.\n---\nDo it.\n' })
  const { credentials = {}, model = null } = needed(server)
  const spec = specOf({
    engine: { name: engine.name, model },
    prompt: 'do it',
    timeout_seconds: 200,
    ...(isTaught && { skill }),
  })
  const folder = path.join(root, 'run')
  const record = await performIn(
    folder,
    spec,
    {
      engine,
      skillFiles: isTaught ? [{ path: 'SKILL.md', source: path.join(root, 'SKILL.md'), bytes: 60 }] : [],
      sandbox: await chooseSandbox({ ...noSandboxWish, mode }, PATH),
      passEnv: Object.keys(credentials).filter((name) => name === 'COPILOT_CACHE_HOME'),
    },
    { ...credentials, PATH },
  )
  const asked = server.requests.filter(({ rule }) => rule !== null)
  const first = asked.find(({ rule }) => rule === 'first')
  const prompt = JSON.stringify([first?.system, first?.messages], (key, value) => (key === 'id' ? undefined : value))
  const written = readFileSync(path.join(folder, 'outputs/a.txt'), 'utf8')
  return { record, prompt, texts: JSON.stringify(asked), written }
}

/** Copilot CLI tells its model the id of its session and the time. */
const withoutSession = (name: string, prompt: string) =>
  name === 'copilot' ? prompt.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[\d-]+T[\d:.]+/g, '') : prompt

const ofRun = /user-\d+\.\d+-[0-9a-f]{24}/

/** Registers the contract of one engine. */
export function contractOfPaths(name: string): void {
  const contender = findContender(name)
  vi.setConfig({ testTimeout: 480_000 })
  contender.suite(`the paths of ${name}`, () => {
    if (!foundSandbox.ok) return test.skip('needs bubblewrap')
    test('are equal in every run of both configurations; without a sandbox they are not', async () => {
      const plain = await readPrompts(contender, { mode: 'required' })
      const again = await readPrompts(contender, { mode: 'required' })
      const taught = await readPrompts(contender, { mode: 'required', isTaught: true })
      for (const { record, texts, written } of [plain, again, taught]) {
        expect(record).toMatchObject({ status: 'completed', final_response: 'all done' })
        expect(record.outputs.files).toMatchObject([{ path: 'a.txt', change: 'created' }])
        // Qwen Code at times loses the output of a short command
        expect(written).toBe('/home/user/project\n/home/user\n')
        expect(ofRun.exec(texts)?.[0]).toBeUndefined()
      }
      expect(withoutSession(name, again.prompt)).toBe(withoutSession(name, plain.prompt))
      expect(taught.record.skill).toMatchObject({ read: true })
      const open = await readPrompts(contender, { mode: 'off' })
      expect(open.texts).toMatch(ofRun)
    })
  })
}
