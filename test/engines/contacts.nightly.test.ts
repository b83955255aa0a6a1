/** Each real agent CLI contacts the provider's server and no other, with the settings that its engine gives it. */
import { describe, expect, test } from 'vitest'
import { isElsewhere, watchEngine } from '../e2e/safety/contacts.ts'
import { contenders } from './contenders.ts'

const installed = Object.entries(contenders).filter(([, { cli }]) => cli != null)

describe('bench with nothing that confines it', () => {
  test.each(installed)('on %s', async (name) => {
    const end = await watchEngine(name)
    expect(end.code, end.stderr).toBe(0)
    expect([end.contacts.filter(isElsewhere), end.names]).toEqual([[], []])
  })
})
