/** Instructions that lie above the temporary folder are no part of a benchmark. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { UserError } from '../../../src/base/errors/error.ts'
import { refuseStrayInstructions } from '../../../src/flows/prepare/host_environment.ts'

function roomBelow(file: string): string {
  const top = mkdtempSync(path.join(tmpdir(), 'above-'))
  mkdirSync(path.dirname(path.join(top, file)), { recursive: true })
  writeFileSync(path.join(top, file), 'x')
  return path.join(top, 'tmp/room')
}

describe('refuses', () => {
  test.each([
    'CLAUDE.md',
    'tmp/CLAUDE.md',
    'CLAUDE.local.md',
    'AGENTS.md',
    '.claude/CLAUDE.md',
    'tmp/.claude/skills/other/SKILL.md',
    '.agents/skills/other/SKILL.md',
    '.claude/rules/house.md',
    '.claude/agents/reviewer.md',
    '.claude/commands/go.md',
    'opencode.json',
    'tmp/opencode.jsonc',
    '.opencode/agent/reviewer.md',
    '.github/skills/other/SKILL.md',
    '.github/copilot-instructions.md',
    'QWEN.md',
    '.qwen/skills/a/SKILL.md',
  ])('%s above the room', async (file) => {
    const attempt = refuseStrayInstructions(roomBelow(file))
    await expect(attempt).rejects.toThrow(UserError)
    await expect(attempt).rejects.toThrow(expect.objectContaining({ fix: expect.stringContaining('TMPDIR') }))
  })
})

describe('leaves alone', () => {
  test.each([
    'README.md',
    '.claude/settings.json',
    '.github/workflows/ci.yml',
    'tmp/room/CLAUDE.md',
    'other/CLAUDE.md',
  ])('%s', async (file) => {
    await expect(refuseStrayInstructions(roomBelow(file))).resolves.toBeUndefined()
  })
})
