/** One contract of sizes for every engine: whatever a tool prints, and however often, the run ends as the agent itself does. */
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { chooseSandbox, noSandboxWish } from '../../src/base/sandbox/choose.ts'
import type { EmittedEvent } from '../../src/engines/engine.ts'
import { specOf } from '../fixtures/run_spec.ts'
import { folderOf } from '../phases/1-plan/folder.ts'
import { performIn } from '../phases/2-run/surroundings.ts'
import { cliFolder } from '../require.ts'
import { foundSandbox } from '../sandbox/needs_sandbox.ts'
import { findContender } from './contenders.ts'
import { ofType, practice } from './stage.ts'

const PATH = `${process.env.PATH}:${cliFolder}`

interface Scene {
  command: string
  /** Responses of the model that call tools, and calls in each. */
  turns?: number
  calls?: number
}

const scenes: Record<string, Scene> = {
  'a line of 20 MB': { command: "yes aaaaaaaaaaaaaaa | tr -d '[:space:]' | head -c 20000000" },
  '50 MB of output': { command: 'yes "a line of text" | head -c 50000000' },
  'binary bytes': { command: 'head -c 300000 /dev/urandom' },
  '1,000 calls': { command: 'true', turns: 10, calls: 100 },
}

/** Registers the contract of one engine. */
export function contractOfSizes(name: string): void {
  const { engine, needs: needed, shell, suite } = findContender(name)
  vi.setConfig({ testTimeout: 3_600_000 })
  suite(`the sizes of ${name}`, () => {
    if (!foundSandbox.ok) return test.skip('needs bubblewrap')
    test.each(Object.entries(scenes))('%s', async (_title, { command, turns = 1, calls = 1 }) => {
      const called = Array.from({ length: calls }, () => shell(command))
      const rules = [
        { name: 'work', when: { turn: { max: turns } }, answer: { tool_calls: called } },
        { name: 'end', answer: { text: 'all done' } },
      ]
      await using server = await practice(JSON.stringify({ rules }))
      const { credentials = {}, model = null } = needed(server)
      const events: EmittedEvent[] = []
      const record = await performIn(
        path.join(folderOf({}), 'run'),
        specOf({ engine: { name: engine.name, model }, prompt: 'do it', timeout_seconds: 3500 }),
        {
          engine,
          sandbox: await chooseSandbox({ ...noSandboxWish, mode: 'required' }, PATH),
          passEnv: ['COPILOT_CACHE_HOME'],
          onEvent: (event) => events.push(event),
        },
        { ...credentials, PATH },
      )
      expect(record).toMatchObject({ status: 'completed', final_response: 'all done' })
      const results = ofType(events, 'tool_result')
      expect([ofType(events, 'tool_call').length, results.length]).toEqual([turns * calls, turns * calls])
      expect(results.filter((one) => one.is_error)).toEqual([])
    })
  })
}
