/** A program that a command of an agent CLI leaves in the background neither holds up the run nor outlives it. */
import { randomInt } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { findContender } from './contenders.ts'
import { ofType, openStage, perform, practice } from './stage.ts'

vi.setConfig({ testTimeout: 240_000 })

/** The words of each running program. */
function listRunning(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
      } catch {
        return [] // it has ended
      }
    })
}

for (const name of ['copilot', 'gemini', 'qwen']) {
  const { engine, needs: needed, shell, suite } = findContender(name)
  suite(name, () => {
    test.runIf(process.platform === 'linux')('in the group of the shell, and in a session of its own', async () => {
      await using stage = await openStage()
      // Gemini CLI itself would wait for 300 s, longer than this test may take
      const sleeps = [randomInt(10_000, 50_000), randomInt(50_000, 90_000)].map((seconds) => `sleep ${seconds}`)
      const command = `${sleeps[0]} & (setsid ${sleeps[1]} >/dev/null 2>&1 &); sleep 0.2; ps -eo args > seen.txt; echo begun`
      const rules = [
        { name: 'begin', when: { turn: 1, tool: `^${shell('').name}$` }, answer: { tool_calls: [shell(command)] } },
        { name: 'end', answer: { text: 'all done' } },
      ]
      await using server = await practice(JSON.stringify({ rules }))
      const { outcome, events } = await perform(engine, stage.task(needed(server)))
      expect(outcome).toMatchObject({ status: 'completed', report: { finalResponse: 'all done' } })
      expect(ofType(events, 'tool_result')).toMatchObject([{ output: expect.stringContaining('begun') }])
      const seen = readFileSync(path.join(stage.cwd, 'seen.txt'), 'utf8')
      for (const one of sleeps) {
        expect(seen).toContain(one) // it did run
        await vi.waitFor(() => expect(listRunning()).not.toContain(one), { timeout: 5000 })
      }
      // only the run's own requests: nothing is learned or summarised afterwards
      const asked = server.requests.filter((one) => one.path.endsWith('/chat/completions'))
      if (name === 'qwen') expect(asked).toHaveLength(2)
    })
  })
}
