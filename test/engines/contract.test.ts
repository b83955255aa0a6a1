/** The contract of engines, over command, anthropic, openai. In files of their own, so that the slow ones run side by side. */
import { expect, test } from 'vitest'
import { contenders } from './contenders.ts'
import { contract } from './contract.ts'

contract('command')
contract('anthropic')
contract('openai')

test('no engine is left out', () => {
  const here = ['command', 'anthropic', 'openai', 'claude-code', 'codex', 'opencode', 'qwen']
  expect(Object.keys(contenders).sort()).toEqual(here.sort())
})
