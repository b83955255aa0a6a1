/** docs/reference/engines.md has the events of the code; the engine of docs/how-to/add-an-engine.md works. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { Engine } from '../../src/engines/engine.ts'
import { type EventClass, eventClasses } from '../../src/engines/event_classes.ts'
import { openStage, perform } from './stage.ts'

const root = path.join(import.meta.dirname, '../..')

test('the engine of docs/how-to/add-an-engine.md completes, tells what it said, and starts nothing when aborted', async () => {
  const text = await readFile(path.join(root, 'docs/how-to/add-an-engine.md'), 'utf8')
  const code = /^# Add an engine\n[\s\S]*?```ts\n([\s\S]*?)```/m.exec(text)?.[1] ?? ''
  const folder = await mkdtemp(path.join(tmpdir(), 'docs-engine-'))
  await using stage = await openStage()
  try {
    const file = path.join(folder, 'echo.ts')
    await writeFile(file, code.replaceAll("from '../", `from '${root}/src/engines/`))
    const { echo }: { echo: Engine } = await import(file)
    const { outcome, events } = await perform(echo, stage.task({ prompt: 'hello' }))
    expect(outcome).toMatchObject({ status: 'completed', report: { finalResponse: 'hello', cost: null, usage: null } })
    expect(events.map(({ type }) => type)).toEqual(['assistant', 'result'])
    const aborted = perform(echo, stage.task(), { signal: AbortSignal.abort(new Error('no')) })
    await expect(aborted).rejects.toThrow('no')
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('the table of events is the one in code', async () => {
  const text = await readFile(path.join(root, 'docs/reference/engines.md'), 'utf8')
  const section = /^## What an event counts as\n([\s\S]*?)\n## /m.exec(text)?.[1] ?? ''
  const cells = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
  const rows = section
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map(cells)
  const said = (one: boolean) => (one ? 'yes' : 'no')
  const row = ([event, { status, kind, graded, retried }]: [string, EventClass]) => {
    return [event, kind === null ? `\`${status}\`` : `\`${status}\`: \`${kind}\``, said(graded), said(retried)]
  }
  expect(rows.slice(2)).toEqual(Object.entries(eventClasses).map(row))
})
