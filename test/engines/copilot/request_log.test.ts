/** What Copilot's own log says of requests that failed. */
import { appendFileSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { CopilotRequestLog } from '../../../src/engines/copilot/request_log.ts'

const failed = '[WARNING] [rust:model_events::producer] Model provider request failed'

test('the last failed request, by its status; a connection that broke has none', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'copilot-log-'))
  const file = path.join(folder, 'process-1-2.log')
  const log = new CopilotRequestLog(folder)
  log.catchUp()
  expect(log.failure).toBeNull()
  appendFileSync(file, '2026-11-27T02:54:03.900Z [INFO] started\n')
  log.catchUp()
  expect(log.failure).toBeNull()
  appendFileSync(file, `2026-11-27T02:54:04.032Z ${failed} {"stage":"inference","http_status":529,"kind":"x"}\n`)
  log.catchUp()
  expect(log.failure).toEqual({ at: Date.parse('2026-11-27T02:54:04.032Z'), status: 529 })
  appendFileSync(file, `2026-11-27T02:54:05.000Z ${failed} {"stage":"inference","kind":"transport"}\n`)
  log.catchUp()
  expect(log.failure).toMatchObject({ status: null })
  log.close()
})
