/** Which engines must be tried with their real CLIs: those whose code has changed since they were recorded. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { folderOf } from '../phases/1-plan/folder.ts'

const script = path.join(import.meta.dirname, '../../scripts/engines_to_try.mjs')
const { hashSources, listTests } = await import(script)
const files = {
  'src/engines/cli/headless_cli.ts': 'shared by all',
  'src/engines/codex/codex.ts': 'one engine',
  'src/features/gemini/gemini.ts': 'another',
}

/** A clone in which two engines were recorded with the code that is there. */
function clone(): string {
  const place = folderOf(files)
  mkdirSync(path.join(place, 'test/engines/recorded'), { recursive: true })
  for (const engine of ['codex', 'gemini']) {
    const header = JSON.stringify({ engine, sources: hashSources(engine, place) })
    writeFileSync(path.join(place, 'test/engines/recorded', `${engine}.jsonl`), `${header}\n{}\n`)
  }
  return place
}

test.each([
  ['nothing', null, ''],
  ['one engine', 'engines/codex/codex.ts', 'codex'],
  ['one that is a feature', 'features/gemini/gemini.ts', 'gemini'],
  ['what all share', 'engines/cli/headless_cli.ts', 'codex gemini'],
  ['a new file', 'engines/codex/new.mjs', 'codex'],
])('a change of %s', (_, file, expected) => {
  const place = clone()
  if (file !== null) appendFileSync(path.join(place, 'src', file), ' changed')
  const named = listTests(place).join(' ')
  expect(named.replaceAll(/test\/engines\/|contract_|\.nightly\.test\.ts/g, '')).toBe(expected)
})
