/** The bill of materials lists what npm installs with the package and what its own files contain, and no tool of ours. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { fresh } from '../e2e/program.ts'

const root = path.join(import.meta.dirname, '../..')
const { bundledPackages, shippedPart } = await import(path.join(root, 'scripts/sbom.mjs'))

const development = [{ name: 'cdx:npm:package:development', value: 'true' }]
const bill = {
  metadata: { component: { 'bom-ref': 'own@1.0.0' } },
  components: [
    { 'bom-ref': 'needed@1.0.0', properties: [] },
    { 'bom-ref': '@a/bundled@1.0.0', properties: development },
    { 'bom-ref': 'tool@1.0.0', properties: development },
  ],
  dependencies: [
    { ref: 'own@1.0.0', dependsOn: ['needed@1.0.0', 'tool@1.0.0'] },
    { ref: 'needed@1.0.0', dependsOn: ['tool@1.0.0'] },
    { ref: 'tool@1.0.0', dependsOn: [] },
  ],
}

test('what is bundled stays, what only we use goes, also where another needs it', () => {
  const { components, dependencies } = shippedPart(bill, ['@a/bundled@1.0.0'])
  expect(components).toEqual([
    { 'bom-ref': 'needed@1.0.0', properties: [] },
    { 'bom-ref': '@a/bundled@1.0.0', properties: [{ name: 'cdx:npm:package:bundled', value: 'true' }] },
  ])
  expect(dependencies).toEqual([
    { ref: 'own@1.0.0', dependsOn: ['needed@1.0.0', '@a/bundled@1.0.0'] },
    { ref: 'needed@1.0.0', dependsOn: [] },
  ])
})
test('a bundled package that npm does not list is an error', () => {
  expect(() => shippedPart(bill, ['gone@1.0.0'])).toThrow('npm sbom does not list gone@1.0.0')
})
test('the bundled packages are those with a licence in a build', () => {
  const dist = fresh()
  for (const [folder, text] of Object.entries({
    program: '# zod\n\nMIT\n\n# @a/b\n\nMIT\n',
    viewer: '# preact\n\nMIT\n\n# zod\n',
  })) {
    mkdirSync(path.join(dist, folder))
    writeFileSync(path.join(dist, folder, 'LICENSES.txt'), text)
  }
  expect(bundledPackages(dist)).toEqual(['@a/b', 'preact', 'zod'])
})
test('ours has the programs of terminal and page, what npm installs, and no tool', () => {
  const file = path.join(fresh(), 'sbom.json')
  execFileSync(process.execPath, [path.join(root, 'scripts/sbom.mjs'), file])
  const { bomFormat, metadata, components } = JSON.parse(readFileSync(file, 'utf8'))
  const names: string[] = components.map((one: { name: string }) => one.name)
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  expect({ bomFormat, name: metadata.component.name }).toEqual({ bomFormat: 'CycloneDX', name: manifest.name })
  expect(names).toEqual(expect.arrayContaining(['yargs', 'preact', 'dompurify', ...Object.keys(manifest.dependencies)]))
  for (const tool of ['typescript', 'knip', '@biomejs/biome', 'fast-check']) expect(names).not.toContain(tool)
})
