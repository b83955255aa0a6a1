/** Which judge is taken: of another family first, never the agent's own model, and nobody is called to find out. */
import { chmodSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { EngineChoice } from '../../../schemas/plan.ts'
import {
  familyWarning,
  findCrossFamilyJudge,
  isJudgeList,
  judgeName,
  parseJudgeList,
  resolveJudge,
  selectJudge,
} from '../../../src/engines/models/judge_choice.ts'
import { modelFamily, sharedFamily } from '../../../src/engines/models/model_family.ts'
import { folderOf } from '../../phases/1-plan/folder.ts'
import { judgeCommand } from '../../phases/3-judge/scene.ts'

const claude: EngineChoice = { name: 'anthropic', model: 'claude-sonnet-5-5' }
const opus: EngineChoice = { name: 'anthropic', model: 'claude-opus-5-5' }
const gpt: EngineChoice = { name: 'openai', model: 'gpt-5.4' }
const keys = { anthropic: { ANTHROPIC_API_KEY: 'k' }, openai: { OPENAI_API_KEY: 'k' } }
const select = (env: Record<string, string>, changes: object = {}) =>
  selectJudge({ recommended: { crossFamily: [gpt], sameFamilyFallback: [opus] }, agent: claude, env, ...changes })

describe('the judge of a recommended list', () => {
  test('is the first of another family whose key is set', async () => {
    const all = { ...keys.anthropic, ...keys.openai }
    expect(await select(all)).toMatchObject({
      judge: gpt,
      warning: null,
      why: expect.stringContaining('openai:gpt-5.4'),
    })
    const two = { crossFamily: [{ name: 'codex', model: null }, gpt], sameFamilyFallback: [] }
    const chosen = await select({ ...all, PATH: '' }, { recommended: two })
    expect(chosen).toMatchObject({ judge: gpt, why: expect.stringContaining('not codex (codex: no such program)') })
  })
  test('is the fallback, with a warning, where none of another family can be asked', async () => {
    const chosen = await select(keys.anthropic)
    expect(chosen.judge).toEqual(opus)
    expect(chosen.warning).toContain("the agent's model family (anthropic)")
    expect(chosen.why).toContain('not openai:gpt-5.4 (OPENAI_API_KEY is not set)')
  })
  test("is never the agent's own model", async () => {
    await expect(
      select(keys.anthropic, { recommended: { crossFamily: [], sameFamilyFallback: [claude] } }),
    ).rejects.toThrow("the agent's own model")
  })
  test('is an error with the reasons and the fix if no judge is available', async () => {
    const gemini = { crossFamily: [{ name: 'gemini', model: 'gemini-2.5-pro' }], sameFamilyFallback: [] }
    await expect(select({ PATH: '' }, { recommended: gemini })).rejects.toMatchObject({
      message: 'no judge available: not gemini:gemini-2.5-pro (gemini: no such program)',
      fix: expect.stringMatching(/set the key or install the program/),
    })
    await expect(select({})).rejects.toThrow(
      'no judge available: not openai:gpt-5.4 (OPENAI_API_KEY is not set); not anthropic:claude-opus-5-5 (ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN is not set)',
    )
  })
})

describe("a judge's name, in --judge, eval-config.json and judge.md alike", () => {
  const oauth = { CLAUDE_CODE_OAUTH_TOKEN: 't', PATH: 'with claude' }
  const withPrograms = ({ PATH = '', ...env }: Record<string, string>) => {
    if (PATH === '') return { ...env, PATH }
    const programs = folderOf({ claude: '#!/bin/sh\n' })
    chmodSync(path.join(programs, 'claude'), 0o755)
    return { ...env, PATH: programs }
  }
  test.each<[string, string, Record<string, string>, string]>([
    ['claude-opus', 'claude-code', keys.anthropic, 'anthropic:claude-opus-5-5'],
    ['opus', 'claude-code', oauth, 'claude-code:opus'],
    ['claude-haiku[1m]', 'claude-code', oauth, 'claude-code:haiku[1m]'],
    ['claude-opus', 'codex', oauth, 'claude-code:opus'],
    ['claude-opus', 'codex', { ...oauth, PATH: '' }, 'anthropic:claude-opus-5-5'],
    ['claude-opus-5-5', 'openai', oauth, 'claude-code:claude-opus-5-5'],
    ['gpt-5.4', 'claude-code', keys.openai, 'openai:gpt-5.4'],
    ['gpt-5.4', 'codex', {}, 'codex:gpt-5.4'],
    ['claude-code', 'anthropic', keys.anthropic, 'claude-code'],
    ['anthropic:claude-opus', 'claude-code', oauth, 'anthropic:claude-opus-5-5'],
    ['gemini-2.5-pro', 'claude-code', { GEMINI_API_KEY: 'k' }, 'gemini:gemini-2.5-pro'],
  ])('%s, runs on %s, with %j', async (text, agent, env, expected) => {
    expect(judgeName(await resolveJudge(text, { name: agent, model: null }, withPrograms(env)))).toBe(expected)
  })
  test('also in a list', async () => {
    const listed = await parseJudgeList('gpt-5.4,claude-opus', { name: 'codex', model: null }, withPrograms(oauth))
    expect([listed.crossFamily, listed.sameFamilyFallback].flat().map(judgeName)).toEqual([
      'claude-code:opus',
      'codex:gpt-5.4',
    ])
  })
})

describe('a list of --judge', () => {
  test('is parted by the family of the agent', async () => {
    expect(await parseJudgeList('anthropic:opus, openai:gpt-5.4', claude, {})).toEqual({
      crossFamily: [gpt],
      sameFamilyFallback: [opus],
    })
  })
  test.each([
    ['openai,anthropic', true],
    ['anthropic:haiku', false],
    ['command:./judge.sh a,b', false],
  ])('%s: %s', (text, is) => expect(isJudgeList(text)).toBe(is))
  test.each(['openai,command:./judge.sh', 'openai,auto', 'openai,'])('refuses %s', async (text) => {
    await expect(parseJudgeList(text, claude, {})).rejects.toThrow('--judge')
  })
})

describe('families', () => {
  test.each<[string, string | null, string | null]>([
    ['claude-code', 'sonnet', 'anthropic'],
    ['codex', null, 'openai'],
    ['opencode', 'openrouter/anthropic/claude-opus-5-5', 'anthropic'],
    ['openai', 'qwen3-coder', 'qwen'],
    ['openai', 'a-model-of-mine', null],
    ['command', null, null],
  ])('%s %s: %s', (name, model, family) => expect(modelFamily({ name, model })).toBe(family))
  test('the same model is of its own family, though nobody knows which', () => {
    const mine = { name: 'openai', model: 'a-model-of-mine' }
    expect(sharedFamily(mine, mine)).toBe('a-model-of-mine')
    expect(sharedFamily(mine, gpt)).toBeNull()
    expect(sharedFamily({ name: 'command', model: null }, { name: 'command', model: null })).toBeNull()
    const practice = { name: 'anthropic', model: 'practice-1' }
    expect(sharedFamily(practice, practice)).toBeNull()
  })
})

test("a judge of the agent's family is warned of, and another that can be asked is named", async () => {
  expect(familyWarning(opus, claude)).toContain('anthropic:claude-opus-5-5')
  expect(familyWarning(gpt, claude)).toBeNull()
  expect(await findCrossFamilyJudge(claude, keys.openai)).toEqual({ name: 'openai', model: null })
  expect(await findCrossFamilyJudge(claude, keys.anthropic)).toBeNull()
  expect(familyWarning({ name: 'command', model: null, command: judgeCommand('reader') }, claude)).toBeNull()
})
