/** A program that Copilot's shell leaves in the background neither holds up the run nor outlives it. */
import { randomInt } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { performRun } from '../../../src/phases/2-run/run.ts'
import { fresh } from '../../e2e/program.ts'
import { specOf } from '../../fixtures/run_spec.ts'
import { needs } from '../../require.ts'
import { contenders } from '../contenders.ts'
import { practice } from '../stage.ts'

vi.setConfig({ testTimeout: 120_000 })

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

const contender = contenders.copilot
needs(
  'the CLI of copilot, on Linux',
  Boolean(contender?.cli) && process.platform === 'linux',
  'npm run agents',
)('a background program', () => {
  test('in the group of the shell, and in a session of its own', async () => {
    if (contender === undefined) throw new Error('no such contender')
    const seconds = [randomInt(10_000, 50_000), randomInt(50_000, 90_000)]
    const sleeps = seconds.map((one) => `sleep ${one}`)
    const command = `${sleeps[0]} & (setsid ${sleeps[1]} >/dev/null 2>&1 &); sleep 0.2; ps -eo args > seen.txt; echo started`
    const rules = [
      { name: 'starts', when: { turn: 1 }, answer: { tool_calls: [contender.shell(command)] } },
      { name: 'done', answer: { text: 'all done' } },
    ]
    await using server = await practice(JSON.stringify({ rules }))
    const { credentials = {}, model = null } = contender.needs(server)
    const folder = path.join(fresh(), 'run')
    const { record } = await performRun({
      spec: specOf({ engine: { name: 'copilot', model }, prompt: 'do it', timeout_seconds: 100 }),
      ...{ engine: contender.engine, skillFiles: [], folder, passEnv: [], hidden: [], attempt: 1 },
      userEnv: { PATH: process.env.PATH, ...credentials },
      sandbox: { mechanism: 'none', program: null, reason: 'a test', network: null, readable: [] },
      signal: new AbortController().signal,
    })
    expect(record).toMatchObject({ status: 'completed', final_response: 'all done' })
    const seen = readFileSync(path.join(folder, 'outputs/seen.txt'), 'utf8')
    for (const one of sleeps) {
      expect(seen).toContain(one) // it did run
      expect(listRunning()).not.toContain(one)
    }
  })
})
