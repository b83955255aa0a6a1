/** A feature can be removed: without its folder, its row and its line in the library the rest builds, and the command line knows nothing of it. */
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '../..')
const run = promisify(execFile)

/** The source alone, without these features; rejects with what tsc says. */
async function buildWithout(features: readonly string[], prepare: (copy: string) => void = () => {}): Promise<void> {
  const copy = mkdtempSync(path.join(tmpdir(), 'removal-'))
  for (const part of ['schemas', 'src', 'package.json', 'tsconfig.json', 'tsconfig.build.json'])
    cpSync(path.join(root, part), path.join(copy, part), { recursive: true })
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'))
  const table = path.join(copy, 'src/features/table.ts')
  const lines = readFileSync(table, 'utf8').split('\n')
  const isOwn = (line: string) => features.some((name) => line.includes(`'./${name}/`))
  const imported = lines.filter(isOwn).flatMap((line) => /^import \{ ([\w, ]+) \}/.exec(line)?.[1]?.split(', ') ?? [])
  const isRemoved = (line: string) => isOwn(line) || imported.some((name) => new RegExp(`\\b${name}\\b`).test(line))
  for (const name of features) rmSync(path.join(copy, 'src/features', name), { recursive: true })
  writeFileSync(table, lines.filter((line) => !isRemoved(line)).join('\n'))
  const library = path.join(copy, 'src/index.ts')
  const exported = readFileSync(library, 'utf8').split('\n')
  const isKept = (line: string) => !features.some((name) => line.includes(`'./features/${name}/`))
  writeFileSync(library, exported.filter(isKept).join('\n'))
  prepare(copy)
  await run(
    process.execPath,
    [path.join(root, 'node_modules/typescript/bin/tsc'), '--noEmit', '-p', 'tsconfig.build.json'],
    { cwd: copy },
  )
}

const features = readdirSync(path.join(root, 'src/features'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

describe('a copy of the source', () => {
  test('has a row for each feature', () => {
    const table = readFileSync(path.join(root, 'src/features/table.ts'), 'utf8')
    expect(features.filter((name) => !table.includes(`'./${name}/`))).toEqual([])
  })
  test('builds without any feature', () => buildWithout(features))
  test('control: it does not build if the core names one', async () => {
    const name = (copy: string) => {
      const file = path.join(copy, 'src/cli/main.ts')
      writeFileSync(
        file,
        `${readFileSync(file, 'utf8')}\nexport type { RankRequest } from '../features/rank/rank.ts'\n`,
      )
    }
    await expect(buildWithout(['rank'], name)).rejects.toMatchObject({
      stdout: expect.stringContaining('features/rank'),
    })
  })
})
