/** What the SDK engines tell every model is part of no cache key but by the format's number: a change of it must raise that. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { canonicalJson, sha256 } from '../../src/base/json/json.ts'
import { describeTools, selectTools } from '../../src/engines/tool_loop/tools/table.ts'
import { cacheFormat } from '../../src/phases/1-plan/keys/cache_key.ts'

test('the system prompt and the tools of the SDK engines are those of the cache format: else raise cacheFormat, then take the new hash', () => {
  const prompt = readFileSync(new URL('../../src/engines/tool_loop/system_prompt.md', import.meta.url), 'utf8')
  const tools = describeTools(selectTools('all'), null)
  expect([cacheFormat, sha256(canonicalJson({ prompt, tools })).slice(0, 16)]).toEqual([1, '9fc14d4a267dbd61'])
})
