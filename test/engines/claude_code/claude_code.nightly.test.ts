/** What the real Claude Code loads of a folder and a home, as an agent and as a judge. */
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { claudeCode } from '../../../src/engines/claude_code/claude_code.ts'
import type { EngineTask } from '../../../src/engines/engine.ts'
import { claudeBinary, needs } from '../../require.ts'
import { keysFor, ofType, openStage, perform, practice, type Stage } from '../stage.ts'

needs(
  'the claude CLI',
  claudeBinary() !== null,
  'npm run agents',
)('the real CLI', () => {
  const rules = `
rules:
  - { name: end, when: { turn: { min: 2 } }, answer: { text: done } }
  - { name: look, answer: { tool_calls: { name: Read, input: { file_path: note.md } } } }
`
  async function run(stage: Stage, more: Partial<EngineTask>, scenario = rules) {
    await using server = await practice(scenario)
    const credentials = { ...keysFor(server), WHETSTONE_CLAUDE: claudeBinary() ?? '' }
    const own = stage.task({ credentials, model: 'sonnet', prompt: 'look', ...more })
    const { outcome, events } = await perform(claudeCode, own)
    return { outcome, events, sessionId: own.sessionId, asked: JSON.stringify(server.requests) }
  }

  /** What an agent may leave behind for its judge: instructions, and a hook. */
  async function leaveTraps(stage: Stage) {
    await writeFile(path.join(stage.cwd, 'note.md'), 'a note')
    await writeFile(path.join(stage.cwd, 'CLAUDE.md'), 'INSTRUCTION-CANARY')
    const hooks = [{ type: 'command', command: `touch ${stage.home}/hooked` }]
    await mkdir(path.join(stage.cwd, '.claude'), { recursive: true })
    const settings = { hooks: { PreToolUse: [{ matcher: '*', hooks }] } }
    await writeFile(path.join(stage.cwd, '.claude/settings.json'), JSON.stringify(settings))
  }

  test('records the session id that it was given', async () => {
    await using stage = await openStage()
    const { outcome, sessionId } = await run(stage, {})
    expect(outcome).toMatchObject({ status: 'completed', report: { sessionId, exitCode: 0 } })
  })

  test("a skill of the user's is not loaded", async () => {
    await using stage = await openStage()
    const folder = path.join(stage.home, '.claude/skills/mine')
    await mkdir(folder, { recursive: true })
    await writeFile(path.join(folder, 'SKILL.md'), '---\nname: mine\ndescription: USER-CANARY\n---\nx\n')
    const { outcome, asked } = await run(stage, { skills: await stage.skill() })
    expect(outcome.report.loaded?.skills).toContain('demo')
    expect(outcome.report.loaded?.skills).not.toContain('mine')
    expect(asked).not.toContain('USER-CANARY')
  })

  test('a judge loads nothing of what an agent left in the folder', async () => {
    await using stage = await openStage()
    await leaveTraps(stage)
    const { outcome, asked } = await run(stage, { tools: 'read_only' })
    expect(outcome.report.loaded?.tools?.toSorted()).toEqual(['Glob', 'Grep', 'Read'])
    expect(asked).not.toContain('INSTRUCTION-CANARY')
    expect(existsSync(path.join(stage.home, 'hooked'))).toBe(false)
  })

  test('the traps work: an agent loads both', async () => {
    await using stage = await openStage()
    await leaveTraps(stage)
    const { asked } = await run(stage, { tools: 'all' })
    expect(asked).toContain('INSTRUCTION-CANARY')
    expect(existsSync(path.join(stage.home, 'hooked'))).toBe(true)
  })

  test('a hook that the suite does not know of shows by what it says', async () => {
    await using stage = await openStage()
    await mkdir(path.join(stage.cwd, '.claude'))
    const hooks = [{ type: 'command', command: 'echo HOOK-CANARY >&2; exit 2' }]
    const settings = { hooks: { PreToolUse: [{ matcher: '*', hooks }] } }
    await writeFile(path.join(stage.cwd, '.claude/settings.json'), JSON.stringify(settings))
    const { events, outcome } = await run(stage, { tools: 'all' })
    const [told] = ofType(events, 'hook')
    expect(told).toMatchObject({
      event: 'PreToolUse',
      outcome: 'blocked',
      text: expect.stringContaining('HOOK-CANARY'),
    })
    expect(outcome.report.permissionDenials).toEqual([told?.tool])
  })

  test('an answer that never fits its schema is bad output, and says what did not fit', async () => {
    await using stage = await openStage()
    const answerSchema = { type: 'object', properties: { verdict: { type: 'string' } }, required: ['verdict'] }
    const never = `
rules:
  - { name: answer, answer: { tool_calls: { name: StructuredOutput, input: { other: x } } } }
`
    const { outcome } = await run(stage, { tools: 'read_only', answerSchema }, never)
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { kind: 'bad_output', message: expect.stringContaining("'verdict'"), retryable: false },
      report: { usage: { output_tokens: expect.any(Number) } },
    })
  })
})
