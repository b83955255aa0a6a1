/** What the bundle leaves out is installed with the package. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '../..')
const { dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))

/** The modules that code hands to a worker by name. */
function workerModules(text: string): string[] {
  return [...text.matchAll(/moduleFile\('([^']+)'\)/g)].map(([, name = '']) => name)
}

test('a module that a worker loads is a dependency', () => {
  const files = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  )
  const modules = files.flatMap((file) => workerModules(readFileSync(path.join(root, 'src', file), 'utf8')))
  expect(modules).toContain('json-p3')
  expect(modules.filter((name) => !Object.hasOwn(dependencies, name.split('/')[0] ?? ''))).toEqual([])
})
