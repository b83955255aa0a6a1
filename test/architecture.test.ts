/** The tree keeps its shape: imports go one way and in no circle, folders, files and functions stay small, names can be found. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { benchFlags } from '../src/cli/commands/bench/options.ts'
import { evalFlags } from '../src/cli/commands/eval/options.ts'
import { improveFlags } from '../src/cli/commands/improve/options.ts'
import { type Flag, isSetting } from '../src/cli/commands/options/flag.ts'
import { modeFlags } from '../src/cli/commands/options/modes.ts'
import { listRemoteFlags } from '../src/cli/commands/options/remote_flags.ts'
import { settingsHelp } from '../src/cli/help/option_groups.ts'
import { triggersFlags } from '../src/features/triggers/options.ts'

const root = path.dirname(import.meta.dirname)

/** Rank of each folder; a file may import its own folder and lower ranks. Longest prefix wins. */
const ranks: Record<string, number> = {
  schemas: 0,
  'src/base': 0,
  'src/engines': 1,
  'src/jobs': 1,
  'src/store': 1,
  viewer: 1,
  'src/phases': 2,
  'src/flows': 3,
  'src/runners': 4,
  'src/cli': 5,
  'src/features': 6,
  'src/index.ts': 4,
}

interface Source {
  file: string
  text: string
  imports: string[]
  /** Of these, the ones that are loaded by a call. */
  lazy: string[]
}

function readSource(file: string): Source {
  const text = readFileSync(path.join(root, file), 'utf8')
  const find = (pattern: RegExp) =>
    [...text.matchAll(pattern)].map(([, target = '']) => path.posix.join(path.posix.dirname(file), target))
  const imports = find(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)
  return { file, text, imports, lazy: find(/\bimport\('(\.[^']+)'\)/g) }
}

function listSources(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `${folder}/${name.replaceAll(path.sep, '/')}`)
}

const all = ['schemas', 'src', 'viewer'].flatMap(listSources).map(readSource)

function rankedFolder(file: string): string {
  const match = Object.keys(ranks)
    .filter((prefix) => file === prefix || file.startsWith(`${prefix}/`))
    .sort((a, b) => b.length - a.length)[0]
  return match ?? 'outside'
}

/** A phase may import no other phase, a feature no other feature. */
function unitOf(file: string): string {
  return /^src\/(?:phases|features)\/[^/]+/.exec(file)?.[0] ?? rankedFolder(file)
}

const featureTable = 'src/features/table.ts'

function wrongImport(file: string, target: string): string | null {
  const [from, to] = [rankedFolder(file), rankedFolder(target)]
  if (from === 'outside') return `${file} is in no ranked folder`
  if (to === 'outside') return `${file} imports ${target}, which is in no ranked folder`
  if (unitOf(file) === unitOf(target)) return null
  // the program, the library and the test runner add all features to the tables of the core; the library names those that it exports
  if (file === 'src/index.ts' && to === 'src/features') return null
  if (['src/cli', 'src/runners'].includes(from) && target === featureTable) return null
  if (file === featureTable && target.startsWith('src/features/')) return null
  if (from === 'src/phases' && (to === 'src/jobs' || to === 'src/store')) return `${file} (a phase) imports ${target}`
  if ((ranks[to] ?? 9) >= (ranks[from] ?? 0) && !(from === 'src/base' && to === 'schemas')) {
    return `${file} (rank ${ranks[from]}) imports ${target} (rank ${ranks[to]})`
  }
  return null
}

/** Folders of one command each: other flows import them through the file of the same name only. */
const commands = 'bench eval grade aggregate improve init view'
const isCommand = (folder: string) => commands.split(' ').includes(folder)
const flowFolder = (file: string) => /^src\/flows\/([^/]+)\//.exec(file)?.[1] ?? null

function passesDoor(file: string, target: string): boolean {
  const [from, to] = [flowFolder(file), flowFolder(target)]
  return from === null || to === null || from === to || !isCommand(to) || target === `src/flows/${to}/${to}.ts`
}

/** The groups of nodes that reach each other (Tarjan's strongly connected components), largest parts of a circle. */
function findCircles(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const circles: string[][] = []
  const visit = (node: string): number => {
    order.set(node, order.size)
    let low = order.get(node) ?? 0
    stack.push(node)
    for (const next of edges.get(node) ?? []) {
      if (!order.has(next)) low = Math.min(low, visit(next))
      else if (stack.includes(next)) low = Math.min(low, order.get(next) ?? 0)
    }
    lowest.set(node, low)
    if (low === order.get(node)) {
      const group = stack.splice(stack.indexOf(node))
      if (group.length > 1) circles.push(group.sort())
    }
    return low
  }
  for (const node of edges.keys()) if (!order.has(node)) visit(node)
  return circles
}

function flowArrows(sources: readonly Source[]): Map<string, string[]> {
  const arrows = new Map<string, Set<string>>()
  for (const { file, imports } of sources) {
    for (const target of imports) {
      const [from, to] = [flowFolder(file), flowFolder(target)]
      if (from !== null && to !== null && from !== to) arrows.set(from, (arrows.get(from) ?? new Set()).add(to))
    }
  }
  return new Map([...arrows].map(([from, to]) => [from, [...to]]))
}

describe('imports', () => {
  test('there is something to look at', () => expect(all.length).toBeGreaterThan(600))
  test('go to lower ranks only', () => {
    expect(all.flatMap(({ file, imports }) => imports.map((to) => wrongImport(file, to)).filter(Boolean))).toEqual([])
  })
  test.each([
    ['src/engines/command_line.ts', 'src/jobs/local_executor.ts'],
    ['src/phases/1-plan/plan/plan.ts', 'src/phases/2-run/run.ts'],
    ['src/phases/2-run/run.ts', 'src/store/paths.ts'],
    ['src/base/fs/files.ts', 'src/engines/engine.ts'],
    ['src/helpers/x.ts', 'src/base/fs/files.ts'],
    ['src/features/rank/rank.ts', 'src/features/prune/prune.ts'],
    ['src/flows/bench/bench.ts', 'src/features/rank/rank.ts'],
    ['src/flows/bench/bench.ts', 'src/features/table.ts'],
    ['src/cli/main.ts', 'src/features/rank/command.ts'],
  ])('the rule sees %s importing %s', (from, to) => expect(wrongImport(from, to)).not.toBeNull())

  test('no files import each other in a circle', () => {
    // the list of features and their modes load a command only when it is asked for
    const isLoaded = ({ file, lazy }: Source, to: string) => !file.startsWith('src/features/') || !lazy.includes(to)
    const arrows = all.map((one) => [one.file, one.imports.filter((to) => isLoaded(one, to))] as const)
    expect(findCircles(new Map(arrows))).toEqual([])
  })
  test('no folders of flows import each other in a circle', () => {
    expect(findCircles(flowArrows(all))).toEqual([])
  })
  test('the rule sees a circle of three, and none in a tree', () => {
    expect(
      findCircles(
        new Map([
          ['a', ['b']],
          ['b', ['c']],
          ['c', ['a']],
          ['d', ['a']],
        ]),
      ),
    ).toEqual([['a', 'b', 'c']])
    expect(
      findCircles(
        new Map([
          ['a', ['b', 'c']],
          ['b', ['c']],
          ['c', []],
        ]),
      ),
    ).toEqual([])
  })

  test('a command is entered through its one public file', () => {
    const past = all.flatMap(({ file, imports }) =>
      imports.filter((to) => !passesDoor(file, to)).map((to) => [file, to]),
    )
    expect(past).toEqual([])
  })
  test('the rule sees an entry past the door', () => {
    expect(passesDoor('src/flows/view/view.ts', 'src/flows/bench/rerun.ts')).toBe(false)
    expect(passesDoor('src/flows/view/view.ts', 'src/flows/bench/bench.ts')).toBe(true)
  })
})

/** What Node itself would start; types are none. The script that runs inside the sandbox and the text of a check's script are no source here. */
const startsByNode = (text: string) => /^import (?!type )[^\n]*'node:child_process'$/m.test(text)

describe('processes', () => {
  test('execa starts every one', () => {
    expect(all.filter(({ text }) => startsByNode(text)).map(({ file }) => file)).toEqual([])
  })
  test('the rule sees one that Node starts', () => {
    expect(startsByNode("import { type ChildProcess, spawn } from 'node:child_process'\n")).toBe(true)
    expect(startsByNode("import type { ChildProcess } from 'node:child_process'\n")).toBe(false)
  })
})

/** Numbers of the whole, which only shrink: a change that raises one lowers another, and who has shrunk one writes the new number. */
const budgets: Record<string, number> = JSON.parse(readFileSync(path.join(root, 'test/budgets.json'), 'utf8'))

function measureWhole(sources: readonly Source[]): Record<string, number> {
  const own = sources.filter(({ file }) => file.startsWith('src/'))
  const countLines = ({ text }: Source) => text.split('\n').length - 1
  const core = own.filter(({ file }) => !file.startsWith('src/features/'))
  const importers = new Map<string, number>()
  for (const target of own.flatMap(({ imports }) => [...new Set(imports)]))
    importers.set(target, (importers.get(target) ?? 0) + 1)
  return {
    'lines of src': own.reduce((sum, one) => sum + countLines(one), 0),
    'files of src': own.length,
    'lines of the core': core.reduce((sum, one) => sum + countLines(one), 0),
    'files of the core': core.length,
    'folders of src': new Set(own.map(({ file }) => path.posix.dirname(file))).size,
    'files under 25 lines': own.filter((one) => countLines(one) < 25).length,
    'files with one importer': own.filter(({ file }) => importers.get(file) === 1).length,
    // apart from the list of features
    'most imports of a file': Math.max(
      ...own.filter(({ file }) => file !== featureTable).map(({ imports }) => new Set(imports).size),
    ),
    'most files that import one': Math.max(...importers.values()),
    commands: own.filter(({ file }) => /^src\/(?:cli\/commands|features)\/(?:.+\/)?command\.ts$/.test(file)).length,
    ...Object.fromEntries(
      ['bench', 'eval', 'improve', 'triggers'].map((command) => [`flags of ${command}`, countFlags(command)]),
    ),
    settings: countSettings(),
  }
}

const flagTables: Record<string, object> = {
  bench: { ...benchFlags, ...listRemoteFlags() },
  eval: { ...evalFlags, ...listRemoteFlags() },
  improve: { ...improveFlags, ...listRemoteFlags() },
  triggers: triggersFlags,
}
const countFlags = (command: string) =>
  Object.values<Flag>({ ...flagTables[command], ...modeFlags(command) }).filter((flag) => !isSetting(flag)).length
const countSettings = () =>
  settingsHelp()
    .split('\n')
    .filter((line) => line.startsWith('  --')).length

describe('budget of the whole', () => {
  const measured = measureWhole(all)
  test.each(Object.entries(measured))('%s: %i', (name, number) => {
    const budget = budgets[name] ?? 0
    expect(number, `${name}: over the budget in test/budgets.json`).toBeLessThanOrEqual(budget)
    // a reserve of a hundredth, so that not every change has to write it
    expect(number, `${name}: write the smaller number into test/budgets.json`).toBeGreaterThanOrEqual(
      Math.floor(budget * 0.99) - 1,
    )
  })
  test('each number has a measure', () => expect(Object.keys(budgets)).toEqual(Object.keys(measured)))
  test('the measures see a small file, its one importer and a folder', () => {
    const file = (name: string, imports: string[] = []) => ({
      file: `src/${name}`,
      text: 'one\ntwo\n',
      imports,
      lazy: [],
    })
    expect(measureWhole([file('a/b.ts'), file('c.ts', ['src/a/b.ts'])])).toMatchObject({
      'lines of src': 4,
      'files of src': 2,
      'folders of src': 2,
      'files under 25 lines': 2,
      'files with one importer': 1,
      'most imports of a file': 1,
    })
  })
})

/** Folders of siblings that are alike, or of commands: they may hold any number. */
const siblings =
  'schemas src/engines src/flows src/cli/commands src/features src/phases/1-plan/formats src/phases/3-judge/checks'.split(
    ' ',
  )

function countEntries(files: readonly string[]): Map<string, number> {
  const entries = new Map<string, Set<string>>()
  for (const file of files) {
    for (let place = file; place.includes('/'); place = path.posix.dirname(place)) {
      const folder = path.posix.dirname(place)
      entries.set(folder, (entries.get(folder) ?? new Set()).add(place))
    }
  }
  return new Map([...entries].map(([folder, names]) => [folder, names.size]))
}

const lengths = all.map(({ text }) => text.split('\n').length - 1).sort((a, b) => a - b)
const quantile = (q: number) => lengths[Math.min(lengths.length - 1, Math.floor(q * lengths.length))] ?? 0

describe('size budget', () => {
  test('no file over 320 lines', () => {
    expect(all.filter(({ text }) => text.split('\n').length - 1 > 320).map(({ file }) => file)).toEqual([])
  })
  test('median at most 100 lines', () => expect(quantile(0.5)).toBeLessThanOrEqual(100))
  test('90 of 100 files at most 230 lines', () => expect(quantile(0.9)).toBeLessThanOrEqual(230))
  test('src holds only index.ts besides folders', () => {
    expect(readdirSync(path.join(root, 'src')).filter((name) => name.includes('.'))).toEqual(['index.ts'])
  })
  test('a folder holds at most 16 entries', () => {
    const large = [...countEntries(all.map(({ file }) => file))].filter(([, count]) => count > 16)
    expect(large.map(([folder]) => folder).filter((folder) => !siblings.includes(folder))).toEqual([])
  })
  test('files and folders are counted', () => {
    expect(countEntries(['a/b.ts', 'a/c/d.ts', 'a/c/e.ts']).get('a')).toBe(2)
  })
  test('functions stay under 70 lines (biome holds the rule)', () => {
    const biome = JSON.parse(readFileSync(path.join(root, 'biome.json'), 'utf8'))
    expect(biome.linter.rules.complexity.noExcessiveLinesPerFunction).toMatchObject({
      level: 'error',
      options: { maxLines: 70 },
    })
  })
})

interface Exported {
  name: string
  file: string
  isFunction: boolean
}

function exportsOf({ file, text }: Pick<Source, 'file' | 'text'>): Exported[] {
  const found = text.matchAll(/^export (?:async )?(function\*?|const|class|interface|type|enum) (\w+)/gm)
  const names = [...found].map(([, kind = '', name = '']) => ({ name, file, isFunction: kind.startsWith('function') }))
  // an overload, and a schema with its type, say the same name twice
  return [...new Map(names.map((one) => [one.name, one])).values()]
}

function sharedNames(exported: readonly Exported[]): string[] {
  const places = new Map<string, string[]>()
  for (const { name, file } of exported) places.set(name, [...(places.get(name) ?? []), file])
  return [...places].filter(([, files]) => files.length > 1).map(([name, files]) => `${name}: ${files.join(', ')}`)
}

/** `verdictsOf` says what it is of, not what it does. */
const endsInPreposition = (name: string) =>
  /(?:Of|In|By|At|With|For|On|From|To|Into|Within|Above|Below|Beside)$/.test(name)

describe('names', () => {
  const exported = all.flatMap(exportsOf)
  test('are found', () => expect(exported.length).toBeGreaterThan(2000))
  test('one exported name, one place', () => expect(sharedNames(exported)).toEqual([]))
  test('no exported function ends in a preposition', () => {
    const wrong = exported.filter(({ name, isFunction }) => isFunction && endsInPreposition(name))
    expect(wrong.map(({ file, name }) => `${file}: ${name}`)).toEqual([])
  })
  test('the rules see a name of two files, and a preposition at the end', () => {
    const two = ['a.ts', 'b.ts'].flatMap((file) => exportsOf({ file, text: 'export async function verdictsOf() {}\n' }))
    expect(sharedNames(two)).toEqual(['verdictsOf: a.ts, b.ts'])
    expect(two.map(({ name, isFunction }) => isFunction && endsInPreposition(name))).toEqual([true, true])
  })
  test('no folder with a name that says nothing', () => {
    const empty = /\/(utils|helpers|core|common|types|services)\//
    expect(all.filter(({ file }) => empty.test(file)).map(({ file }) => file)).toEqual([])
  })
})

describe('habits', () => {
  test('each file says first what it is for', () => {
    expect(all.filter(({ text }) => !/^(#!.*\n)?\/\*\*? ?\S/.test(text)).map(({ file }) => file)).toEqual([])
  })
  test('no barrels but the public index', () => {
    const barrels = all.filter(({ file, text }) => file !== 'src/index.ts' && /^export (\*|\{[^}]*\}) from/m.test(text))
    expect(barrels.map(({ file }) => file)).toEqual([])
  })
  test('no silenced checker (biome itself forbids any)', () => {
    const silenced = all.filter(({ text }) => /\bas any\b|@ts-(ignore|expect-error|nocheck)|biome-ignore/.test(text))
    expect(silenced.map(({ file }) => file)).toEqual([])
  })
  test('no limit that the garbage collection may take along (src/base/time/time_limit.ts says why)', () => {
    expect(all.filter(({ text }) => text.includes('AbortSignal.timeout(')).map(({ file }) => file)).toEqual([])
  })
})

/** What `npm test` may not need: it runs on a machine with Node and git alone. */
const systemParts = /from '[^']*\/(?:terminal|browser|worker|servers|contract_events)\.ts'|\b(?:cli|claude)Binary\(/
const startsProgram = /import \{[^}]*\bwhetstone\b[^}]*\} from '[^']*program\.ts'/
const quickTests = readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /(?<!\.system|\.nightly)\.test\.ts$/.test(name) && name !== 'architecture.test.ts')
  .map((name) => ({ file: `test/${name}`, text: readFileSync(path.join(root, 'test', name), 'utf8') }))
const isQuick = ({ text }: { text: string }) => !systemParts.test(text) && !startsProgram.test(text)

describe('quick tests', () => {
  test('need no browser, queue server or agent CLI, and do not start the program', () => {
    expect(quickTests.length).toBeGreaterThan(200)
    expect(quickTests.filter((one) => !isQuick(one)).map(({ file }) => file)).toEqual([])
  })
  test.each([
    ['test/viewer/x.test.ts', "import { openPage } from './browser.ts'"],
    ['test/cli/x.test.ts', "import { fresh, whetstone } from '../e2e/program.ts'"],
    ['test/e2e/x.test.ts', "const claude = cliBinary('claude')"],
  ])('the rule sees what %s needs', (_file, text) => expect(isQuick({ text })).toBe(false))
})
