/** The one resolver of model strings: every form, every ambiguity. */
import { describe, expect, test } from 'vitest'
import { resolveEngineChoice, resolveJudgeChoice } from '../../../src/engines/models/resolve_model.ts'
import { findEngine } from '../../../src/engines/table.ts'
import { thrown } from '../stage.ts'

describe('--engine and --model', () => {
  test.each([
    ['auto', null, { name: 'auto', model: null }],
    ['auto', 'sonnet', { name: 'auto', model: 'sonnet' }],
    ['auto', 'llama3:8b', { name: 'auto', model: 'llama3:8b' }],
    ['auto:sonnet', null, { name: 'auto', model: 'sonnet' }],
    ['auto', 'claude-code:opus', { name: 'claude-code', model: 'opus' }],
    ['anthropic', 'sonnet', { name: 'anthropic', model: 'claude-sonnet-5-5' }],
    ['anthropic:opus', null, { name: 'anthropic', model: 'claude-opus-5-5' }],
    ['anthropic', 'anthropic:haiku', { name: 'anthropic', model: 'claude-haiku-4-5' }],
    ['anthropic', 'llama3:8b', { name: 'anthropic', model: 'llama3:8b' }],
    ['anthropic:', null, { name: 'anthropic', model: null }],
    ['claude-code:haiku', null, { name: 'claude-code', model: 'haiku' }],
    ['claude-code', 'anthropic:claude-x-1', { name: 'claude-code', model: 'claude-x-1' }],
    ['claude-code', 'claude-code:opus', { name: 'claude-code', model: 'opus' }],
    ['anthropic:sonnet', 'claude-sonnet-5-5', { name: 'anthropic', model: 'claude-sonnet-5-5' }],
    ['command:node agent.mjs', null, { name: 'command', model: null, command: 'node agent.mjs' }],
    ['command:a --x y:z', 'anthropic/m:1', { name: 'command', model: 'anthropic/m:1', command: 'a --x y:z' }],
    ['openai', 'openai:gpt-5.4', { name: 'openai', model: 'gpt-5.4' }],
    ['claude-code', 'toString', { name: 'claude-code', model: 'toString' }],
  ])('%s %s', (engine, model, choice) => expect(resolveEngineChoice({ engine, model })).toEqual(choice))

  test.each([
    ['auto', 'anthropic:x', ['--engine anthropic:x', '--engine claude-code:x']],
    ['auto', 'claude-code', ['--engine claude-code', 'a model named claude-code']],
    ['anthropic', 'claude-code', ['--engine anthropic', '--engine claude-code']],
    ['anthropic', 'claude-code:x', ['--engine anthropic:x', '--engine claude-code:x']],
    ['anthropic:a', 'b', ['--engine anthropic:a', '--engine anthropic --model b']],
    ['auto:a', 'b', ['--engine auto:a', '--engine auto --model b']],
  ])('%s with --model %s has several readings', (engine, model, readings) => {
    const error = thrown(() => resolveEngineChoice({ engine, model }))
    for (const reading of readings) expect(error.message).toContain(reading)
  })

  test.each([
    [{ engine: 'command', model: null }, 'no command'],
    [{ engine: 'command:', model: null }, 'no command'],
    [{ engine: 'toString', model: null }, 'unknown engine "toString"'],
  ])('%j is refused', (request, message) =>
    expect(thrown(() => resolveEngineChoice(request)).message).toContain(message),
  )
})

describe('--judge', () => {
  test.each([
    ['auto', { name: 'auto', model: null }],
    ['anthropic:haiku', { name: 'anthropic', model: 'claude-haiku-4-5' }],
    ['claude-code:haiku', { name: 'claude-code', model: 'haiku' }],
    ['sonnet', { name: 'anthropic', model: 'claude-sonnet-5-5' }],
    ['llama3:8b', { name: 'anthropic', model: 'llama3:8b' }],
    ['mistral:latest', { name: 'anthropic', model: 'mistral:latest' }],
    ['gpt-oss:20b', { name: 'openai', model: 'gpt-oss:20b' }],
    ['gpt-5.4-mini', { name: 'openai', model: 'gpt-5.4-mini' }],
    ['o3', { name: 'openai', model: 'o3' }],
    ['command:judge.sh --strict', { name: 'command', model: null, command: 'judge.sh --strict' }],
  ])('%s', (text, choice) => expect(resolveJudgeChoice(text)).toEqual(choice))

  test.each([
    ['anthropc:haiku', 'anthropc', /^did you mean "anthropic"\?/],
    ['foo:bar', 'foo', /^expected one of claude-code, anthropic, .*--judge anthropic:<model>\)$/],
  ])('%s names no engine', (text, name, fix) => {
    const message = `--judge "${text}": unknown engine "${name}"`
    expect(thrown(() => resolveJudgeChoice(text))).toMatchObject({ message, fix: expect.stringMatching(fix) })
  })
  test('nothing is refused', () => expect(thrown(() => resolveJudgeChoice(' ')).fix).toContain('engine[:model]'))
})

describe('names', () => {
  test.each([
    ['claude', 'did you mean "claude-code"?'],
    ['gpt', 'expected one of claude-code, anthropic, codex, openai, opencode, '],
  ])('%s is none', (name, hint) => expect(thrown(() => findEngine(name)).fix).toContain(hint))
  test.each([
    ['aider', 'command:aider --yes-always --no-git --message {prompt}'],
    ['cursor', 'acp:cursor-agent acp'],
  ])('%s is reserved: unsupported, and how it is started is said', (name, line) => {
    const refused = {
      message: `unsupported-engine: there is no engine named ${name}`,
      fix: `start it as a program: --engine "${line}"`,
      code: 'unsupported-engine',
    }
    expect(thrown(() => resolveEngineChoice({ engine: `${name}:x`, model: null }))).toMatchObject(refused)
    expect(resolveEngineChoice({ engine: line, model: null })).toMatchObject({ name: line.replace(/:.*/, '') })
  })
  test.each(['amp:x', 'goose:x', 'cursor'])('%s is no model either, where no engine is named', (text) => {
    const refused = { code: 'unsupported-engine', fix: expect.stringContaining('start it as a program') }
    expect(thrown(() => resolveJudgeChoice(text))).toMatchObject(refused)
    expect(thrown(() => resolveEngineChoice({ engine: 'auto', model: text }))).toMatchObject(refused)
    expect(thrown(() => resolveEngineChoice({ engine: `auto:${text}`, model: null }))).toMatchObject(refused)
  })
  test.each(['gemini-3-flash:cloud', 'goose2', 'cursor-small:8b', 'amplify', 'my/gemini:x'])(
    '%s is a model',
    (model) => {
      expect(resolveJudgeChoice(`anthropic:${model}`)).toEqual({ name: 'anthropic', model })
      expect(resolveEngineChoice({ engine: 'auto', model })).toEqual({ name: 'auto', model })
    },
  )
})

describe('a command before a comma', () => {
  test.each(['command:./judge.py,anthropic:haiku', 'command:python3 judge.py,anthropic:haiku,openai:gpt-5.4'])(
    '%s is refused: it is no list',
    (text) => {
      expect(thrown(() => resolveJudgeChoice(text))).toMatchObject({
        message: expect.stringContaining("--judge: a command can't be part of a list"),
        fix: expect.stringContaining('name only the command'),
      })
    },
  )
  test.each(['./judge.sh a,b', './judge.sh --ask anthropic:haiku,openai', './judge.sh a,openai --twice', 'a,b'])(
    'command:%s is one command',
    (command) => expect(resolveJudgeChoice(`command:${command}`)).toEqual({ name: 'command', model: null, command }),
  )
})
