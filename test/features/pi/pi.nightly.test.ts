/** The real pi CLI: what a judge gets of a folder that an agent has prepared for it, the exact model, and what is left behind. */
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import type { EngineTask } from '../../../src/engines/engine.ts'
import { findContender } from '../../engines/contenders.ts'
import { ofType, openStage, perform, practice, type Stage } from '../../engines/stage.ts'

vi.setConfig({ testTimeout: 240_000 })

/** Files of a folder with which pi can be instructed, each with a word of its own. */
const traps = {
  'AGENTS.md': 'TRAP-CONTEXT',
  '.pi/SYSTEM.md': 'TRAP-SYSTEM',
  '.pi/APPEND_SYSTEM.md': 'TRAP-APPENDED',
  '.agents/skills/trap/SKILL.md': '---\nname: trap\ndescription: TRAP-SKILL\n---\n',
  '.pi/extensions/trap.js':
    "import { writeFileSync } from 'node:fs'\nexport default () => writeFileSync('ran.txt', '')\n",
}

function setTraps({ cwd, home }: Stage): void {
  for (const [name, text] of Object.entries(traps)) {
    mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true })
    writeFileSync(path.join(cwd, name), text)
  }
  writeFileSync(path.join(home, 'secret.md'), 'SECRET-CANARY')
  symlinkSync(path.join(home, 'secret.md'), path.join(cwd, 'link.md'))
}

const { engine, needs: needed, read, suite } = findContender('pi')

/** One run in a folder with traps: the model tries to read what is outside, in three ways, and then answers. */
async function ran(more: Partial<EngineTask>) {
  await using stage = await openStage()
  const outside = ['link.md', '~/secret.md', path.join(stage.home, 'secret.md')].map(read)
  const rules = [
    { name: 'end', when: { turn: { min: 2 } }, answer: { text: 'all done' } },
    {
      name: 'looks',
      answer: { tool_calls: [...outside, { name: 'ls', input: { path: '..' } }].slice(0, more.tools ? 4 : 3) },
    },
  ]
  await using server = await practice(JSON.stringify({ rules }))
  setTraps(stage)
  const { outcome, events } = await perform(engine, stage.task({ ...needed(server), ...more }))
  const [first] = server.requests
  return {
    ...{ outcome, first, results: ofType(events, 'tool_result'), asked: JSON.stringify(server.requests) },
    ...{ left: readdirSync(stage.cwd), leftAtHome: readdirSync(path.join(stage.home, '.pi-run')) },
  }
}

suite('pi in a folder with traps', () => {
  describe('as a judge', () => {
    test('learns nothing from it, reads nothing outside, and asks the exact model', async () => {
      // pi itself takes claude-sonnet-4-6 for this name
      const { outcome, first, results, asked, left, leftAtHome } = await ran({
        ...{ tools: 'read_only', model: 'anthropic/claude-sonnet-4' },
      })
      expect(outcome).toMatchObject({
        status: 'completed',
        report: { finalResponse: 'all done', loaded: { skills: [] } },
      })
      expect(outcome.report.loaded?.tools).toEqual(['read', 'grep', 'find', 'ls'])
      expect(asked).not.toMatch(/TRAP-|SECRET-CANARY/)
      expect(results.map((one) => one.is_error)).toEqual([true, true, true, true])
      expect(outcome.report.permissionDenials).toEqual(['read', 'read', 'read', 'ls'])
      expect(first?.model).toBe('claude-sonnet-4')
      expect({ ran: left.includes('ran.txt'), leftAtHome }).toEqual({ ran: false, leftAtHome: [] })
    })
  })

  test('a level of effort that it would change in silence for this model fails the run, and nothing is asked', async () => {
    const { outcome, first } = await ran({ model: 'anthropic/claude-sonnet-4-5', effort: 'xhigh' })
    const message = 'pi would use high for claude-sonnet-4-5, not xhigh'
    expect(outcome).toMatchObject({ status: 'failed', error: { kind: 'bad_request', message, retryable: false } })
    expect(first).toBeUndefined()
  })

  test('negative control: an agent is instructed by it, and reads everywhere; the folder’s extensions stay off', async () => {
    const { outcome, results, asked, left } = await ran({ model: 'anthropic/claude-none-7' })
    for (const word of ['TRAP-CONTEXT', 'TRAP-SYSTEM', 'TRAP-APPENDED', 'TRAP-SKILL']) expect(asked).toContain(word)
    expect(results.map(({ output }) => output.includes('SECRET-CANARY'))).toEqual([true, true, true])
    expect(left).not.toContain('ran.txt')
    expect(outcome.report).toMatchObject({ cost: null, model: 'claude-none-7', loaded: { skills: ['trap'] } })
    expect(outcome.report.usage?.input_tokens).toBeGreaterThan(0)
  })
})
