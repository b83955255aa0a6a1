/** A build is left out only where dist is what the very sources gave. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { fresh } from '../e2e/program.ts'

const script = pathToFileURL(path.join(import.meta.dirname, '../../scripts/built.mjs')).href

/** What `isBuilt` says of a tree; `note`: after it was noted. */
function said(root: string, note = false): boolean {
  const dist = JSON.stringify(path.join(root, 'dist'))
  const sources = `const sources = sourcesOf(${JSON.stringify(root)})`
  const noted = note ? `noteBuilt(sources, ${dist});` : ''
  const names = '{ isBuilt, noteBuilt, sourcesOf }'
  const code = `import ${names} from '${script}'; ${sources}; ${noted} console.log(isBuilt(sources, ${dist}))`
  return execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' }).trim() === 'true'
}

test('a change of a source, of what was built or of what is installed asks for a build', () => {
  const root = fresh()
  for (const folder of ['src/deep', 'dist/src', 'node_modules']) mkdirSync(path.join(root, folder), { recursive: true })
  const files = ['src/deep/a.ts', 'package.json', 'dist/src/a.js', 'node_modules/.package-lock.json']
  for (const file of files) writeFileSync(path.join(root, file), '{}')
  expect(said(root)).toBe(false)
  expect(said(root, true)).toBe(true)
  for (const file of files) {
    writeFileSync(path.join(root, file), '{"changed": true}')
    expect({ file, isBuilt: said(root) }).toEqual({ file, isBuilt: false })
    expect({ file, isBuilt: said(root, true) }).toEqual({ file, isBuilt: true })
  }
  writeFileSync(path.join(root, 'src/b.ts'), '') // a new one
  expect(said(root)).toBe(false)
  rmSync(path.join(root, 'src/b.ts'))
  expect(said(root)).toBe(true)
  renameSync(path.join(root, 'dist/src/a.js'), path.join(root, 'dist/src/b.js'))
  expect(said(root)).toBe(false)
  renameSync(path.join(root, 'dist/src/b.js'), path.join(root, 'dist/src/a.js'))
  writeFileSync(path.join(root, 'dist/.built'), readFileSync(path.join(root, 'dist/.built'), 'utf8').slice(1))
  expect(said(root)).toBe(false) // noted by another Node
})
