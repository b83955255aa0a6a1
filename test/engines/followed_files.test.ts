/** What an engine follows of an agent's own files: the agent can lay anything there, and it holds nobody up. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { FollowedFile } from '../../src/engines/cli/followed_file.ts'
import { CodexJournal } from '../../src/engines/codex/session_file.ts'
import { CopilotSession } from '../../src/engines/copilot/session_file.ts'
import { OpencodeLog } from '../../src/engines/opencode/log.ts'
import { ChatRecord } from '../../src/engines/qwen/chat_record.ts'

const meta = JSON.stringify({ type: 'session_meta', payload: { cli_version: '1.2.3' } })
const created = 'timestamp=2026-01-01T00:00:00Z message=created id=1 version=1.2.3'

const started = JSON.stringify({ type: 'session.start', data: { copilotVersion: '1.2.3' } })

const failed = { 'event.name': 'qwen-code.api_error', 'event.timestamp': '', error_message: '1.2.3' }

const followed = {
  'the session of copilot': (home: string) => {
    const session = new CopilotSession(() => path.join(home, 'events.jsonl'))
    session.catchUp()
    session.close()
    return session.version
  },
  'the session of codex': (home: string) => {
    const journal = new CodexJournal(home)
    journal.catchUp()
    journal.close()
    return journal.version
  },
  'the log of opencode': (data: string) => {
    const log = new OpencodeLog(data, () => {})
    log.catchUp()
    log.close()
    return log.version
  },
  'the record of Qwen Code': (home: string) => {
    const record = new ChatRecord({ home, sessionId: 'session' }, () => {})
    record.catchUp()
    record.close()
    return record.lastError?.message ?? null
  },
}
const places = {
  'the session of copilot': ['events.jsonl', `${started}\n`],
  'the session of codex': ['sessions/rollout-1.jsonl', `${meta}\n`],
  'the log of opencode': ['opencode/log/opencode.log', `${created}\n`],
  'the record of Qwen Code': [
    'projects/-work/chats/session.jsonl',
    `${JSON.stringify({ systemPayload: { uiEvent: failed } })}\n`,
  ],
} as const

describe.each([
  'the session of codex',
  'the log of opencode',
  'the session of copilot',
  'the record of Qwen Code',
] as const)('%s', (which) => {
  const [name, text] = places[which]
  function laid(make: (file: string) => void): string | null {
    const home = mkdtempSync(path.join(tmpdir(), 'followed-'))
    const file = path.join(home, name)
    mkdirSync(path.dirname(file), { recursive: true })
    make(file)
    return followed[which](home)
  }
  test('a file is read', () => expect(laid((file) => writeFileSync(file, text))).toBe('1.2.3'))
  test('a pipe is not waited for', () => expect(laid((file) => execFileSync('mkfifo', [file]))).toBeNull())
  test('nor is a link to a device', () => expect(laid((file) => symlinkSync('/dev/zero', file))).toBeNull())
})

test('a file that is closed is not read a second time', () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'followed-')), 'log')
  writeFileSync(file, 'one\ntwo\nthr')
  const followed = new FollowedFile(() => file)
  expect(followed.readLines()).toEqual(['one', 'two'])
  followed.close()
  expect(followed.readLines()).toEqual([])
})
