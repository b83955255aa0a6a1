/** docs/reference/engines.md has the events of the code; the engine of docs/how-to/add-an-engine.md works; no engine is missing in docs/explanation/what-leaves.md. */
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { listCloudNames } from '../../src/engines/clouds/table.ts'
import type { Engine } from '../../src/engines/engine.ts'
import { findEngine, listEngineNames } from '../../src/engines/table.ts'
import { type EventClass, eventClasses } from './event_classes.ts'
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

/** Cells of the rows of the table whose first heading is this. */
function rowsOf(text: string, heading: string): string[][] {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => line.startsWith(`| ${heading} `))
  const rest = lines.slice(start + 2)
  const rows = rest.slice(
    0,
    rest.findIndex((line) => !line.startsWith('|')),
  )
  return rows.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

test('the table of events is the one in code', async () => {
  const text = await readFile(path.join(root, 'docs/reference/engines.md'), 'utf8')
  const section = text.slice(text.indexOf('\n## What an event counts as\n'))
  const said = (one: boolean) => (one ? 'yes' : 'no')
  const row = ([event, { status, kind, graded, retried }]: [string, EventClass]) => {
    return [event, kind === null ? `\`${status}\`` : `\`${status}\`: \`${kind}\``, said(graded), said(retried)]
  }
  expect(rowsOf(section, 'event')).toEqual(Object.entries(eventClasses).map(row))
})

const leaves = () => readFile(path.join(root, 'docs/explanation/what-leaves.md'), 'utf8')

const codeWords = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, word]) => word ?? [])

test('what leaves the machine: a row for each engine and each cloud, with its keys, and a link on each page', async () => {
  const text = await leaves()
  const rows = rowsOf(text, 'engine')
  const named = (table: string[][]) => [...new Set(table.flatMap(([name]) => codeWords(name)))].sort()
  expect(named(rows)).toEqual([...listEngineNames()].sort())
  expect(named(rowsOf(text, 'cloud'))).toEqual([...listCloudNames()].sort())
  for (const name of listEngineNames()) {
    const keys = rows.filter(([cell]) => cell === `\`${name}\``).flatMap(([, , cell]) => codeWords(cell))
    for (const key of keys) if (key !== 'command') expect(findEngine(name).credentials, name).toContain(key)
    const page = await readFile(path.join(root, `docs/reference/engines/${name}.md`), 'utf8')
    expect(page, name).toContain('(../../explanation/what-leaves.md)')
  }
})

test('what leaves the machine: each setting that is said to stop an agent CLI is one that its engine gives it', async () => {
  for (const [name = '', , , settings] of rowsOf(await leaves(), 'engine')) {
    const places = ['engines', 'features'].map((one) =>
      path.join(root, 'src', one, name.replace(/`(.*)`/, '$1').replace('-', '_')),
    )
    const folder = places.find((one) => existsSync(one)) ?? ''
    const files = (await readdir(folder)).filter((file) => file.endsWith('.ts'))
    const source = (await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')))).join('\n')
    for (const setting of codeWords(settings)) expect(source, `${name}: ${setting}`).toContain(setting)
  }
})
