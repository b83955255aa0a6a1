/** The bundled program: complete, in English wherever it runs, with the licences of what it carries, and compiled beforehand. */
import { execFile } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { fresh, whetstone } from '../e2e/program.ts'

const folder = path.join(import.meta.dirname, '../../dist/program')
const part = (name: string) => readFileSync(path.join(folder, name), 'utf8')
const program = part('program.cjs')
const modules = readdirSync(folder).filter((name) => name.endsWith('.js'))

/** Whether V8 took what had been compiled, and what the program then says of its version. `flags`: of Node. */
async function started(dist: string, flags: string[] = [], own: string[] = []): Promise<string> {
  const load = (file: string) => `await import(${JSON.stringify(path.join(dist, file))})`
  const code = `
    const { setForSeconds } = ${load('src/cli/v8_flags.js')}
    setForSeconds()
    const { main, isRefused } = ${load('program/main.js')}
    console.log(isRefused)
    process.exitCode = await main(['bench', '--nix'])`
  const args = [...flags, '--input-type=module', '-e', code, ...own]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args).catch((error: unknown) => {
    return error as { stdout: string; stderr: string }
  })
  return `${stdout}${stderr}`
}

/** A copy of what the terminal starts, beside the packages. */
function copied(): string {
  const dist = path.join(fresh(), 'dist')
  for (const name of ['program', 'src', 'viewer', 'schemas']) {
    cpSync(path.join(folder, '..', name), path.join(dist, name), { recursive: true })
  }
  return dist
}

/** Its stamp says something else, in as many bytes. */
function withText(bytes: Buffer, text: string, other: string): Buffer {
  const stamp = bytes.subarray(0, 2048).toString()
  expect(stamp).toContain(text)
  return Buffer.concat([Buffer.from(stamp.replace(text, other).slice(0, 2048).padEnd(2048)), bytes.subarray(2048)])
}

const refused = 'error bench needs <skill>\n      see whetstone bench --help\n'

describe('the bundled program', () => {
  test('is what the terminal starts', () => {
    const bin = readFileSync(path.join(folder, '../src/cli/bin.js'), 'utf8')
    expect(bin).toContain("import('../../program/main.js')")
    expect(bin).not.toContain("'./main.js'")
  })
  test('finds every file that it reads at the address which the file has', () => {
    const inScript = [...program.matchAll(/new URL\("(\.\.\/[^"]+)",programAddress\)/g)]
    const inModules = modules.flatMap((name) => [
      ...part(name).matchAll(/new URL\("(\.\.\/[^"]+)",import\.meta\.url\)/g),
    ])
    for (const named of [inScript, inModules]) expect(named.length).toBeGreaterThan(5)
    for (const [, address = ''] of [...inScript, ...inModules])
      expect(() => readFileSync(path.join(folder, address))).not.toThrow()
  })
  test('is ASCII, as it is read', () => {
    expect(Buffer.byteLength(program)).toBe(program.length)
  })
  test('holds one language of zod, and says its messages', async () => {
    for (const all of [program, modules.map(part).join('\n')]) {
      expect(all).toContain('Invalid input: expected')
      expect(all).not.toMatch(/Ung(ü|\\xFC)ltige Eingabe/)
    }
  })
  test('says of itself at once what it would say when all is loaded', async () => {
    const shown = await whetstone(['--help'])
    expect(shown.stdout).toBe(part('help.txt'))
    const load = `await import(${JSON.stringify(path.join(folder, 'main.js'))})`
    const code = `const { main } = ${load}; process.exitCode = await main(['--help'])`
    const live = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code])
    expect(shown.stdout).toBe(live.stdout)
  })
  test('passes on the licence of each package in it', () => {
    const licences = part('LICENSES.txt')
    for (const name of ['zod', 'yargs', 'simple-statistics']) expect(licences).toContain(`# ${name}\n`)
  })
  test.each(['de_DE.UTF-8', 'tr_TR.UTF-8', 'C'])('speaks English under %s', async (language) => {
    const { stderr, code } = await whetstone(['bench', '--nix'], { env: { LC_ALL: language, LANG: language } })
    expect([code, stderr]).toEqual([2, refused])
  })
})

describe('what V8 compiled of it when it was built', () => {
  test('is taken, by the Node that built it', async () => {
    expect(await started(path.dirname(folder))).toBe(`false\n${refused}`)
  })
  test('is left by a command that works through a queue, which needs the memory more', async () => {
    expect(await started(path.dirname(folder), [], ['--', '--queue', 'redis://127.0.0.1:1'])).toBe(`null\n${refused}`)
  })
  test('is refused under other flags, and the program compiled anew', async () => {
    expect(await started(path.dirname(folder), ['--stack-size=900'])).toBe(`true\n${refused}`)
  })
  test.each<[string, 'true' | 'null', (bytes: Buffer) => Buffer | string]>([
    ['cut short', 'true', (bytes) => bytes.subarray(0, 5000)],
    ['empty', 'null', () => ''],
    ['something else', 'null', () => 'no such thing'.repeat(1000)],
    ['of another Node with the same V8', 'null', (bytes) => withText(bytes, process.version, 'v20.19.x')],
    ['of another system', 'null', (bytes) => withText(bytes, `"${process.arch}"`, '"other"')],
    ['of another build', 'null', (bytes) => withText(bytes, '// built ', '// Built ')],
  ])('does no harm where it is %s', async (_, isRefused, damage) => {
    const dist = copied()
    const file = path.join(dist, 'program/program.cache')
    writeFileSync(file, damage(readFileSync(file)))
    expect(await started(dist)).toBe(`${isRefused}\n${refused}`)
  })
  test('does no harm where it is not there', async () => {
    const dist = copied()
    rmSync(path.join(dist, 'program/program.cache'))
    expect(await started(dist)).toBe(`null\n${refused}`)
  })
})
