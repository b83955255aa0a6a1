/** What the real Codex CLI reads and hands on: nothing from above its folder, no key to its commands, nothing to a judge that an agent left. */
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { EngineTask } from '../../../src/engines/engine.ts'
import { findContender } from '../contenders.ts'
import { openStage, perform, practice, type Stage } from '../stage.ts'

const without = path.join(import.meta.dirname, '../../fixtures/programs/without_words.mjs')

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

async function lay(folder: string, files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
    await writeFile(path.join(folder, name), text)
  }
}

const left = (canary: string) => ({
  'AGENTS.md': `${canary}-MEMORY`,
  '.agents/skills/stray/SKILL.md': `---\nname: stray\ndescription: ${canary}-SKILL strays.\n---\n`,
  '.codex/config.toml': `developer_instructions = "${canary}-CONFIG"\n[mcp_servers.spy]\ncommand = "touch"\nargs = ["spied"]\n`,
  '.codex/hooks.json': '{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"touch spied"}]}]}}',
})

/** Runs a task of the real CLI; gives what was asked of the model. `omitted`: an argument that it goes without. */
async function run(stage: Stage, more: Partial<EngineTask>, { command = 'true', omitted = '' } = {}) {
  const call = { tool_calls: [{ name: 'exec_command', input: { cmd: command } }] }
  const end = { name: 'end', when: { turn: { min: 2 } }, text: 'done' }
  await using server = await practice(JSON.stringify({ rules: [end, { name: 'do', ...call }] }))
  const { engine, cli, needs: needed } = findContender('codex')
  const task = stage.task({ ...needed(server), ...more })
  const wrapped = { ...task.credentials, WHETSTONE_CODEX: without }
  const env = { ...task.env, WITHOUT: omitted, REAL_PROGRAM: cli ?? '' }
  const { outcome } = await perform(engine, omitted ? { ...task, credentials: wrapped, env } : task)
  expect(outcome.status).toBe('completed')
  return { asked: JSON.stringify(server.requests), last: JSON.stringify(server.requests.at(-1)) }
}

findContender('codex').suite('the real Codex CLI', () => {
  test('reads nothing above the working folder; negative control: with its own idea of a project it does', async () => {
    await using stage = await openStage()
    await lay(path.dirname(stage.cwd), { ...left('ABOVE'), '.git/HEAD': 'ref: refs/heads/main\n' })
    expect((await run(stage, {})).asked).not.toContain('ABOVE-')
    const { asked } = await run(stage, {}, { omitted: 'project_root_markers=[]' })
    expect(asked).toContain('ABOVE-MEMORY')
    expect(asked).toContain('ABOVE-SKILL')
  })

  test('loads no configuration, server or hook of the working folder; its AGENTS.md and skills are the project', async () => {
    await using stage = await openStage()
    await lay(stage.cwd, left('INSIDE'))
    const { asked } = await run(stage, {})
    expect(asked).toContain('INSIDE-MEMORY')
    expect(asked).toContain('INSIDE-SKILL')
    expect(asked).not.toContain('INSIDE-CONFIG')
    expect(existsSync(path.join(stage.cwd, 'spied'))).toBe(false)
  })

  test('a judge is told nothing by what an agent left; negative control: each guard off, and it is', async () => {
    await using stage = await openStage()
    await lay(stage.cwd, left('LEFT'))
    const judge = { tools: 'read_only' } as const
    expect((await run(stage, judge)).asked).not.toContain('LEFT-')
    expect((await run(stage, judge, { omitted: 'project_doc_max_bytes=0' })).asked).toContain('LEFT-MEMORY')
    expect((await run(stage, judge, { omitted: 'skills.include_instructions=false' })).asked).toContain('LEFT-SKILL')
  })

  test.each([
    ['all', 'a.png', 'work/a.png'],
    ['all', 'a,b.png', 'image-1.png'],
    ['read_only', null, 'image-1.png'],
  ] as const)(
    'with tools %s shows an image in %j with the prompt; negative control: without images none',
    async (tools, name, place) => {
      await using stage = await openStage()
      const file = name === null ? undefined : path.join(stage.cwd, name)
      if (file !== undefined) await writeFile(file, png, 'base64')
      const images = [{ mediaType: 'image/png' as const, data: png, ...(file !== undefined && { file }) }]
      const { asked } = await run(stage, { tools, images })
      expect(asked).toContain(`"type":"input_image","image_url":"data:image/png;base64,${png}"`)
      expect(asked).toContain(`${place}\\"`)
      expect((await run(stage, { tools })).asked).not.toContain('input_image')
    },
  )

  test('shows an image once in a conversation', async () => {
    await using stage = await openStage()
    const next = ['And now?', null]
    const nextMessage = async () => next.shift() ?? null
    const { asked, last } = await run(stage, { images: [{ mediaType: 'image/png', data: png }], nextMessage })
    expect(asked).toContain('And now?')
    expect(last.split(png).length - 1).toBe(1)
  })

  test('a judge changes nothing in its folder', async () => {
    await using stage = await openStage()
    // Codex leaves some of the commands that its sandbox refuses out of its stream; the model is told
    const { asked } = await run(stage, { tools: 'read_only' }, { command: 'echo x > written' })
    expect(asked).toContain('Read-only file system')
    expect(existsSync(path.join(stage.cwd, 'written'))).toBe(false)
  })

  test('its commands find neither a key nor its placeholder in their environment; with its own idea of an environment they find the placeholder', async () => {
    await using stage = await openStage()
    const env = async (omitted: string) => {
      await run(stage, {}, { command: 'env > env.txt', omitted })
      return await readFile(path.join(stage.cwd, 'env.txt'), 'utf8')
    }
    expect(await env('')).not.toContain('CODEX_API_KEY')
    const policy = 'shell_environment_policy={inherit="all",ignore_default_excludes=true,exclude='
    expect(await env(`${policy}["CODEX_API_KEY","OPENAI_API_KEY","OPENAI_BASE_URL"]}`)).toContain(
      'CODEX_API_KEY=placeholder-',
    )
  })
})
