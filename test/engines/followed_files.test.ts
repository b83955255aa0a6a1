/** What an engine follows of an agent's own files: the agent can lay anything there, and it holds nobody up. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { FollowedFile } from '../../src/engines/cli/followed_file.ts'
import { CodexJournal } from '../../src/engines/codex/session_file.ts'
import { CopilotSession } from '../../src/features/copilot/report.ts'
import { OpencodeLog } from '../../src/features/opencode/report.ts'
import { ChatRecord } from '../../src/features/qwen/chat_record.ts'

interface Followed {
  file: string
  line: string
  open(home: string): { source: { catchUp(): void; close(): void }; said(): string | null }
}

const failed = { 'event.name': 'qwen-code.api_error', 'event.timestamp': '', error_message: '1.2.3' }

const followed: Record<string, Followed> = {
  'the session of copilot': {
    file: 'events.jsonl',
    line: JSON.stringify({ type: 'session.start', data: { copilotVersion: '1.2.3' } }),
    open(home) {
      const source = new CopilotSession(() => path.join(home, 'events.jsonl'))
      return { source, said: () => source.version }
    },
  },
  'the session of codex': {
    file: 'sessions/rollout-1.jsonl',
    line: JSON.stringify({ type: 'session_meta', payload: { cli_version: '1.2.3' } }),
    open(home) {
      const source = new CodexJournal(home)
      return { source, said: () => source.version }
    },
  },
  'the log of opencode': {
    file: 'opencode/log/opencode.log',
    line: 'timestamp=2026-01-01T00:00:00Z message=created id=1 version=1.2.3',
    open(home) {
      const source = new OpencodeLog(home, () => {})
      return { source, said: () => source.version }
    },
  },
  'the record of Qwen Code': {
    file: 'projects/-work/chats/session.jsonl',
    line: JSON.stringify({ systemPayload: { uiEvent: failed } }),
    open(home) {
      const source = new ChatRecord({ home, sessionId: 'session' }, () => {})
      return { source, said: () => source.lastError?.message ?? null }
    },
  },
}

describe.each(Object.entries(followed))('%s', (_, { file: name, line, open }) => {
  function laid(make: (file: string) => void): string | null {
    const home = mkdtempSync(path.join(tmpdir(), 'followed-'))
    const file = path.join(home, name)
    mkdirSync(path.dirname(file), { recursive: true })
    make(file)
    const { source, said } = open(home)
    source.catchUp()
    source.close()
    return said()
  }
  test('a file is read', () => expect(laid((file) => writeFileSync(file, `${line}\n`))).toBe('1.2.3'))
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
