/** Gemini CLI and opencode over ACP, with the real programs, against the practice server: not all of the contract holds for them. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { findMarkedProcesses } from '../../../src/base/process/marked_processes.ts'
import type { EngineTask } from '../../../src/engines/engine.ts'
import { findEngine } from '../../../src/engines/table.ts'
import type { PracticeServer } from '../../../src/practice/server.ts'
import { findContender } from '../contenders.ts'
import { bodyCanary, keysFor, ofType, perform, practice, stageOfEachTest } from '../stage.ts'

vi.setConfig({ testTimeout: 240_000 })

interface Preset {
  name: 'gemini' | 'opencode'
  model: string
  skill: { name: string; input: object }
  shell: { name: string; input: object }
  keys(server: PracticeServer): EngineTask['credentials']
  /** Tokens to think with at the effort `high`; absent: its model has levels. */
  high?: number
}

/** Gemini CLI and opencode wait for a program that keeps the output of a command open; Whetstone ends it for the first. */
const holding = 'sleep 300 & printf hello > a.txt'
const command = 'sleep 300 > /dev/null 2>&1 & printf hello > a.txt'
const presets: Preset[] = [
  {
    name: 'gemini',
    model: 'gemini-2.5-pro',
    skill: { name: 'activate_skill', input: { name: 'demo' } },
    shell: { name: 'run_shell_command', input: { command: process.platform === 'linux' ? holding : command } },
    keys: ({ url }) => ({ GEMINI_API_KEY: 'practice-key', GOOGLE_GEMINI_BASE_URL: url }),
    high: 24_576,
  },
  {
    name: 'opencode',
    model: 'anthropic/claude-sonnet-5-5',
    skill: { name: 'skill', input: { name: 'demo' } },
    shell: { name: 'bash', input: { command, description: 'write' } },
    keys: keysFor,
  },
]

for (const { name, model, skill, shell, keys, high = 'high' } of presets) {
  findContender(name).suite(`acp:${name}`, () => {
    let server: PracticeServer
    const stage = stageOfEachTest()
    const acp = findEngine('acp')
    const task = (more: Partial<EngineTask> = {}) =>
      stage.task({ ...{ command: name, model, credentials: keys(server), prompt: 'use the skill' }, ...more })
    beforeAll(async () => {
      const first = { text: 'I read it.', tool_calls: [skill] }
      const rules = [
        { name: 'read', when: { turn: 1, tool: `^${skill.name}$` }, answer: first },
        { name: 'write', when: { turn: { max: 2 } }, answer: { tool_calls: [shell] } },
        { name: 'end', answer: { text: 'all done' } },
      ]
      server = await practice(JSON.stringify({ rules }))
    })
    afterAll(() => server.close())

    test('offers and reads the skill, asks with the level of effort, reports tokens and session, and leaves no process', async () => {
      const before = server.requests.length
      const skills = await stage.skill(acp.skillsFolder)
      const { outcome, events } = await perform(acp, task({ skills, effort: 'high' }))
      expect(outcome, JSON.stringify(outcome)).toMatchObject({
        ...{ status: 'completed', report: { finalResponse: 'all done', stopReason: 'end_turn' } },
      })
      const { usage, cost, sessionId, version, model: used } = outcome.report
      expect(usage?.input_tokens).toBeGreaterThan(0)
      expect(usage?.output_tokens).toBeGreaterThan(0)
      expect(cost?.usd).toBeGreaterThan(0)
      expect(sessionId).toMatch(/^[\w-]{10,}$/)
      expect(version).toMatch(/^\d+\.\d+\.\d+/)
      expect(used).toBe(model.split('/').at(-1))
      expect(ofType(events, 'skill_read'), JSON.stringify(ofType(events, 'tool_call'))).toMatchObject([
        { skill: 'demo' },
      ])
      const asked = server.requests.slice(before).map((one) => JSON.stringify(one))
      expect(asked.some((one) => one.includes('Shows things.'))).toBe(true)
      const efforts = server.requests.slice(before).flatMap((one) => one.thinking_budget ?? one.effort ?? [])
      expect(new Set(efforts)).toEqual(new Set([high]))
      expect(asked.at(-1)).toContain(bodyCanary)
      expect(asked.join()).not.toContain('practice-key')
      await vi.waitFor(async () => expect(await findMarkedProcesses(stage.mark)).toEqual([]), { timeout: 5000 })
    })

    test('without the skill: not offered, not read', async () => {
      const before = server.requests.length
      const { outcome, events } = await perform(acp, task())
      expect(outcome.status, JSON.stringify(outcome)).toBe('completed')
      expect(outcome.report.loaded?.skills ?? []).not.toContain('demo')
      expect(ofType(events, 'skill_read')).toEqual([])
      expect(JSON.stringify(server.requests.slice(before))).not.toContain('Shows things.')
    })
  })
}
