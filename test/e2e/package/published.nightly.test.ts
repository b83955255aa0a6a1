/** The package, published to a registry of our own, as strangers use it: one line to try it, an installation, the library, another name. */
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { mends, openWorld, type World } from '../improve/improving.ts'
import { addTrust, fresh } from '../program.ts'
import { type Home, needsRegistry, openRegistry, pack, packageName, root, unpack } from './registry.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 300_000 })

/** Bytes of all files below a folder, as they are, links apart. */
function sizeBelow(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  return entries.reduce((sum, one) => sum + lstatSync(path.join(one.parentPath, one.name)).size, 0)
}

/** The optional peers that are installed, but for one that an SDK brings itself. */
function peersIn(modules: string): string[] {
  const { peerDependencies } = JSON.parse(readFileSync(path.join(modules, packageName, 'package.json'), 'utf8'))
  return Object.keys(peerDependencies).filter(
    (name) => name !== '@opentelemetry/api' && existsSync(path.join(modules, name)),
  )
}

/** What somebody who has it installed has in the same folder, and we need not install again. */
function linkModules(folder: string, names: readonly string[]): void {
  for (const name of names) {
    const place = path.join(folder, 'node_modules', name)
    mkdirSync(path.dirname(place), { recursive: true })
    symlinkSync(path.join(root, 'node_modules', name), place)
  }
}

const limit = 75e6

needsRegistry('the published package', () => {
  let home: Home
  let world: World
  let demo: string
  let seconds: number
  let tarball: string
  let peers: readonly string[]
  /** Where it is installed. */
  const place = fresh()
  const modules = path.join(place, 'node_modules')

  /** The installed command. */
  const whetstone = (args: readonly string[], env: Record<string, string> = {}) =>
    home.run(place, [path.join(modules, '.bin/whetstone'), ...addTrust(args)], env)
  /** Runs a module of somebody who has it installed. */
  const runModule = (name: string, text: string, env: Record<string, string> = {}) => {
    writeFileSync(path.join(place, name), text)
    return home.run(place, [process.execPath, name], env)
  }

  beforeAll(async () => {
    tarball = pack().file
    home = await openRegistry()
    await home.publish(tarball)
    const start = performance.now()
    demo = (await home.run(fresh(), ['npx', '--yes', packageName, 'demo'])).stdout
    seconds = (performance.now() - start) / 1000
    writeFileSync(path.join(place, 'package.json'), '{ "type": "module", "private": true }')
    await home.run(place, ['npm', 'install', '--omit=dev', packageName])
    peers = peersIn(modules)
    linkModules(place, ['@types/node', 'undici-types', 'vitest'])
    world = await openWorld(mends, 6)
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
    await home?.[Symbol.asyncDispose]()
    await rm(place, { recursive: true, force: true, maxRetries: 3 })
  })

  test('the GitHub Action installs it where its own checkout has no build', async () => {
    const action = fresh()
    cpSync(path.join(root, 'action'), path.join(action, 'action'), { recursive: true })
    cpSync(path.join(root, 'package.json'), path.join(action, 'package.json'))
    const output = path.join(action, 'output')
    const env = { GITHUB_OUTPUT: output, RUNNER_TEMP: action }
    await home.run(fresh(), [process.execPath, path.join(action, 'action/install.mjs')], env)
    const program = readFileSync(output, 'utf8').replace('program=', '').trim()
    expect(path.relative(action, program)).toMatch(/^whetstone-.*node_modules/)
    expect((await home.run(action, [process.execPath, program, 'github', '--help'])).stdout).toContain('github bench')
  })

  test('npx whetstone demo ends with a verdict', () => {
    console.log(`npx whetstone demo from an empty cache: ${seconds.toFixed(1)} s (at most 30 s on an idle machine)`)
    expect(demo).toMatch(
      /^Helps: pass rate 9\d(\.\d)?% with the skill, 3\d(\.\d)?% without: \+\d+(\.\d)? points, 95% CI/m,
    )
  })
  test(`an installation is at most ${limit / 1e6} MB; no optional peer comes with it`, () => {
    expect(peers).toEqual([])
    const size = sizeBelow(modules)
    console.log(`an installation is ${(size / 1e6).toFixed(1)} MB`)
    // control: what counts is counted
    writeFileSync(path.join(modules, 'large'), Buffer.alloc(limit))
    expect(sizeBelow(modules)).toBe(size + limit)
    rmSync(path.join(modules, 'large'))
    expect(size).toBeLessThanOrEqual(limit)
  })
  test('bench, view and improve end well', async () => {
    const { skill, workspace, env } = world
    const shared = ['--engine', 'anthropic:practice-1', '--runs', '1', '--workspace', `${workspace}-bench`]
    expect((await whetstone(['bench', skill, ...shared], env)).stdout).toMatch(/^[A-Z][a-z ]+: pass rate \d+%/m)
    await whetstone(['view', `${workspace}-bench`, '--no-open'])
    const [benchmark = ''] = readdirSync(`${workspace}-bench/benchmarks`)
    const page = readFileSync(path.join(`${workspace}-bench/benchmarks`, benchmark, 'report.html'), 'utf8')
    expect(page).toMatch(/<script/)
    const { stdout } = await whetstone(world.command(['--total-runs', '24', '--seed', '1']), env)
    expect(world.history().current_best, stdout).toBe('v1')
  })
  test('the help of the queue works without the packages of a queue', async () => {
    expect((await whetstone(['queue', '--help'])).stdout).toContain('whetstone queue work')
  })
  test('the library checks and benches; a path inside the package is refused', async () => {
    const { skill, workspace, env } = world
    const text = `import { bench, check } from '${packageName}'
const { signal } = new AbortController()
const context = { emit() {}, env: process.env, drain: signal, signal, now: () => new Date() }
const request = { skill: ${JSON.stringify(skill)}, suite: null, cases: ['1'], timeoutSeconds: null, baseline: null, engine: 'anthropic:practice-1',
  model: null, judge: null, runs: 1, concurrency: 2, maxTurns: null, retries: 0, activation: 'natural', onTimeout: 'fail',
  workspace: ${JSON.stringify(`${workspace}-library`)}, fresh: false, cache: false, passEnv: [] }
const { benchmark } = await bench(request, context)
console.log(benchmark.counts.used, typeof check)
`
    expect((await runModule('library.mjs', text, env)).stdout).toBe('2 function\n')
    const inside = runModule('inside.mjs', `await import('${packageName}/dist/src/cli/main.js')`)
    await expect(inside).rejects.toThrow('ERR_PACKAGE_PATH_NOT_EXPORTED')
  })
  test('its types are right for a strict compiler', async () => {
    const compilerOptions = {
      strict: true,
      module: 'nodenext',
      target: 'es2023',
      noEmit: true,
      types: ['node'],
      skipLibCheck: true,
    }
    const tsc = (body: string) => {
      writeFileSync(path.join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['consumer.ts'] }))
      writeFileSync(path.join(place, 'consumer.ts'), body)
      return home.run(place, [process.execPath, path.join(root, 'node_modules/typescript/bin/tsc'), '-p', place])
    }
    const right = `import { type Benchmark, bench, type FlowContext, UserError } from '${packageName}'
import { evalSuite } from '${packageName}/vitest'
export async function rate(context: FlowContext): Promise<number> {
  const { benchmark }: { benchmark: Benchmark } = await bench({ ...({} as Parameters<typeof bench>[0]), runs: 3 }, context)
  if (benchmark.complete) throw new UserError('a', 'b')
  return benchmark.counts?.used ?? 0
}
evalSuite('skills', { timeoutSeconds: 60 })
`
    await tsc(right)
    await expect(tsc(right.replace('runs: 3', "runs: 'three'"))).rejects.toThrow()
    await expect(tsc(`${right}import '${packageName}/dist/src/index.js'\n`)).rejects.toThrow()
  })
  test('under the name @other/whetstone the command stays, and imports have the new name', async () => {
    const copy = path.join(modules, '@other/whetstone')
    mkdirSync(path.dirname(copy), { recursive: true })
    renameSync(unpack(tarball), copy)
    const file = path.join(copy, 'package.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace(`"name": "${packageName}"`, '"name": "@other/whetstone"'))
    const { version, bin } = JSON.parse(readFileSync(file, 'utf8'))
    // npx takes the only program of a package
    expect(Object.keys(bin)).toEqual(['whetstone'])
    const end = await home.run(place, [process.execPath, path.join(copy, bin.whetstone), '--version'])
    expect(end.stdout).toBe(`${version}\n`)
    const imports = `const modules = [await import('@other/whetstone'), await import('@other/whetstone/vitest')]`
    const text = `${imports}\nconsole.log(modules.map(Object.keys).flat().includes('evalSuite'), typeof modules[0].bench)\n`
    expect((await runModule('scoped.mjs', text)).stdout).toBe('true function\n')
  })
})
