/** The headline of an improve session in each state that its history can be in. */
import { describe, expect, test } from 'vitest'
import { type History, history } from '../../../schemas/history.ts'
import { improveHeadline, sessionState } from '../../../viewer/views/improve/session_state.ts'
import { historyFile } from '../session_history.ts'

const whole = history.parse(JSON.parse(historyFile((text) => text)))
const { certification, stopped, ended_at, ...unfinished } = whole
const ending = { reason: 'rounds' as const, message: 'all rounds were played' }
const { rounds: _rounds, plan: _plan, ...other } = unfinished

describe('the state of a session', () => {
  test.each<[string, History, ReturnType<typeof sessionState>, string]>([
    ['certified', whole, 'certified', certification?.sentence ?? ''],
    [
      'no version to certify',
      { ...whole, certification: null },
      'nothing',
      'Nothing to certify: no version has a higher estimate than v0',
    ],
    [
      'interrupted',
      { ...unfinished, stopped },
      'ended',
      'Not certified: the session ended first; the best so far is v2',
    ],
    ['after round 3 of 4', unfinished, 'running', 'Still running: round 4 of 4; the best so far is v2'],
    ['in its certification', { ...unfinished, ending }, 'running', 'Still running: v2 is being certified against v0'],
    ['without a plan', { ...unfinished, plan: undefined }, 'running', 'Still running: round 4; the best so far is v2'],
    ['of another tool', other, 'unknown', '2 versions tried; the best is v2'],
  ])('%s', (_what, value, state, headline) => {
    expect([sessionState(value), improveHeadline(value)]).toEqual([state, headline])
  })
})
