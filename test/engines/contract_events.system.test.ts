/** The contract of events, over anthropic and openai; and what becomes of them with a program that shows no provider. */
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { findContender } from './contenders.ts'
import { contractOfEvents, playEvent } from './contract_events.ts'
import { agents, keysFor } from './stage.ts'

contractOfEvents('anthropic')
contractOfEvents('openai')

describe('command, which shows no provider', () => {
  const play = (event: Parameters<typeof playEvent>[1]) => {
    const calls = {
      ...findContender('command'),
      needs: (server: { url: string }) => ({
        command: `node ${path.join(agents, 'caller.mjs')}`,
        credentials: keysFor(server),
      }),
    }
    return playEvent(calls, event)
  }

  test('its timeout is graded and marked, whoever was silent', async () => {
    const { shown, record } = await play('the server is silent from the start')
    expect(shown).toEqual({ status: 'timed_out', kind: null, graded: true, retried: false })
    expect(record).toMatchObject({ provider_unseen: true })
    expect(record).not.toHaveProperty('model_answered')
  })
  test('an exit code other than 0 is a crash, whoever refused', async () => {
    const { shown } = await play('status 401')
    expect(shown).toEqual({ status: 'failed', kind: 'crash', graded: false, retried: true })
  })
  test('a program that asks and stops is graded', async () => {
    const { shown, record } = await play('the agent asks a question and stops')
    expect(shown).toEqual({ status: 'completed', kind: null, graded: true, retried: false })
    expect(record.final_response).toBe('Which file do you mean?')
  })
})
