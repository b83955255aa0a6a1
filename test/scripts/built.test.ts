/** A build is left out only where nothing that it reads has changed. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { fresh } from '../e2e/program.ts'

const { hashSources } = await import(path.join(import.meta.dirname, '../../scripts/built.mjs'))

test('the hash changes with a source, a new file and what is installed, and with nothing else', () => {
  const root = fresh()
  for (const folder of ['src/deep', 'dist', 'node_modules']) mkdirSync(path.join(root, folder), { recursive: true })
  const files = ['src/deep/a.ts', 'package.json', 'node_modules/.package-lock.json']
  for (const file of files) writeFileSync(path.join(root, file), '{}')
  const first = hashSources(root)
  writeFileSync(path.join(root, 'dist/a.js'), '')
  expect(hashSources(root)).toBe(first)
  for (const file of files) {
    writeFileSync(path.join(root, file), '{"changed": true}')
    expect({ file, hash: hashSources(root) }).not.toEqual({ file, hash: first })
    writeFileSync(path.join(root, file), '{}')
    expect({ file, hash: hashSources(root) }).toEqual({ file, hash: first })
  }
  writeFileSync(path.join(root, 'src/b.ts'), '')
  expect(hashSources(root)).not.toBe(first)
  rmSync(path.join(root, 'src/b.ts'))
  expect(hashSources(root)).toBe(first)
})
