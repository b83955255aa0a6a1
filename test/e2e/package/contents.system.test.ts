/** What is in the package: what users need, nothing twice, nothing of the machine that built it; `prepare` builds a clone and nothing else. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { fresh } from '../program.ts'
import { pack, root, unpack } from './registry.ts'

const limits = { size: 5e6, unpackedSize: 18e6 }

/** Characters in a line of code that somebody can read, on average. */
const longestMeanLine = 200

interface Contents {
  size: number
  unpackedSize: number
  files: readonly { path: string; text: string }[]
}

/** What a package may not have; a line each. */
function faultsOf({ size, unpackedSize, files }: Contents): string[] {
  const faults = []
  if (size > limits.size) faults.push(`${size} bytes packed, more than ${limits.size}`)
  if (unpackedSize > limits.unpackedSize)
    faults.push(`${unpackedSize} bytes unpacked, more than ${limits.unpackedSize}`)
  for (const { path: name, text } of files.filter((one) => /dist\/program\/.*\.js$/.test(one.path))) {
    const hasCode = text.includes('function') // else it only names what others export
    if (hasCode && !files.some((one) => one.path === `${name}.map`)) faults.push(`${name} has no source map`)
    if (text.length / text.split('\n').length > longestMeanLine) faults.push(`${name} is minified`)
  }
  for (const { path: name, text } of files)
    if (text.includes(`${root}${path.sep}`)) faults.push(`${name} has a path of this machine`)
  for (const sentence of sentences) {
    const places = files.filter((one) => /\.m?js$/.test(one.path) && one.text.includes(sentence))
    if (places.length !== 1) faults.push(`"${sentence}" is in ${places.length} modules, not in one`)
  }
  return faults
}

/** Messages that command and library both can show: who has one of them twice ships code twice. */
const sentences = [
  'no judge for the expectations that the suite now has',
  'the first argument must be a path',
  'only one of the two is a benchmark',
]

const readFiles = (folder: string, names: readonly string[]) =>
  names.map((name) => ({ path: name, text: readFileSync(path.join(folder, name), 'utf8') }))

describe('the package', () => {
  let packed: ReturnType<typeof pack>
  let folder: string
  let contents: Contents
  beforeAll(() => {
    packed = pack()
    folder = unpack(packed.file)
    contents = {
      ...packed,
      files: readFiles(
        folder,
        packed.files.map((one) => one.path),
      ),
    }
  })

  test('is small and readable, has source maps, no path of this machine and nothing twice', () => {
    console.log(
      `the package: ${(packed.size / 1e6).toFixed(2)} MB packed, ${(packed.unpackedSize / 1e6).toFixed(2)} MB unpacked`,
    )
    expect(faultsOf(contents)).toEqual([])
  })
  test('control: each fault is found', () => {
    const module = { path: 'a.js', text: `${sentences.join()} ${root}/src/a.ts` }
    const large = { size: limits.size + 1, unpackedSize: limits.unpackedSize + 1 }
    expect(
      faultsOf({
        ...large,
        files: [module, { ...module, path: 'b.js' }, { path: 'dist/program/c.js', text: 'function '.repeat(30) }],
      }),
    ).toEqual([
      '5000001 bytes packed, more than 5000000',
      '18000001 bytes unpacked, more than 18000000',
      'dist/program/c.js has no source map',
      'dist/program/c.js is minified',
      'a.js has a path of this machine',
      'b.js has a path of this machine',
      ...sentences.map((one) => `"${one}" is in 2 modules, not in one`),
    ])
    expect(faultsOf({ size: 1, unpackedSize: 1, files: [{ path: 'a.js', text: sentences.join() }] })).toEqual([])
  })
  test('has readme, licence and the files that package.json names', () => {
    const { bin, exports: entries } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
    const named = JSON.stringify([bin, entries]).match(/(?<=")(\.\/)?[\w./-]+\.(js|json|d\.ts)(?=")/g) ?? []
    expect(named.length).toBeGreaterThanOrEqual(5)
    for (const file of ['README.md', 'LICENSE', ...named])
      expect({ file, is: existsSync(path.join(folder, file)) }).toEqual({ file, is: true })
  })
})

describe('prepare', () => {
  const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  /** Runs the script in a folder with these files. */
  function prepare(files: Record<string, string>): string {
    const folder = fresh()
    const manifest = { name: 'a', version: '1.0.0', type: 'module', scripts }
    for (const [name, text] of Object.entries({ ...files, 'package.json': JSON.stringify(manifest) })) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
      writeFileSync(path.join(folder, name), text)
    }
    // npm runs it for a folder that another package installs, as it does in a clone and for an address of git
    return execFileSync('npm', ['run', '--silent', 'prepare'], { cwd: folder, encoding: 'utf8' })
  }
  test('builds in a clone', () => expect(prepare({ 'scripts/build.mjs': `console.log('built')` })).toBe('built\n'))
  test('does nothing in an installed package, and no other script runs there', () => {
    expect(prepare({})).toBe('')
    expect(Object.keys(scripts).filter((name) => /^(pre|post)?(install|uninstall)$|^dependencies$/.test(name))).toEqual(
      [],
    )
  })
})
