/** A build is left out only where nothing that it reads has changed; what the bundle leaves out is installed with the package. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { fresh } from '../e2e/program.ts'

const top = path.join(import.meta.dirname, '../..')
const { hashSources } = await import(path.join(top, 'scripts/built.mjs'))

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

/** The modules that code hands to a worker by name. */
function workerModules(text: string): string[] {
  return [...text.matchAll(/moduleFile\('([^']+)'\)/g)].map(([, name = '']) => name)
}

test('a module that a worker loads is a dependency', () => {
  const { dependencies } = JSON.parse(readFileSync(path.join(top, 'package.json'), 'utf8'))
  const files = readdirSync(path.join(top, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  )
  const modules = files.flatMap((file) => workerModules(readFileSync(path.join(top, 'src', file), 'utf8')))
  expect(modules).toContain('json-p3')
  expect(modules.filter((name) => !Object.hasOwn(dependencies, name.split('/')[0] ?? ''))).toEqual([])
})
