/** A matcher of hooks that takes for ever is given up after five seconds, and holds up nothing else. */
import { expect, test } from 'vitest'
import { selectHooks } from '../../src/engines/hooks/hooks.ts'

test('a matcher that takes for ever is unknown, and the process goes on', async () => {
  const hook = { type: 'command', command: 'true' }
  const groups = {
    PreToolUse: [
      { matcher: `^(?=W)${'\\w?'.repeat(600)}!$`, hooks: [hook] },
      { matcher: 'Write', hooks: [hook] },
    ],
  }
  let isFree = false
  setTimeout(() => {
    isFree = true
  }, 50)
  const { entries, unknown } = await selectHooks(
    groups,
    { event: 'PreToolUse', tool: 'Write' },
    new AbortController().signal,
  )
  expect(entries).toEqual([hook])
  expect(unknown).toEqual([expect.stringContaining('took longer than 5 s')])
  expect(isFree).toBe(true)
})
