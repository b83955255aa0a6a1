/** The tree keeps its shape: imports go one way, files and functions stay small, no barrels, no `any`. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'

const root = path.dirname(import.meta.dirname)

/** Rank of each folder; a file may import its own folder and lower ranks. Longest prefix wins. */
const ranks: Record<string, number> = {
  schemas: 0,
  'src/base': 0,
  'src/engines': 1,
  'src/jobs': 1,
  'src/store': 1,
  'src/practice': 1,
  viewer: 1,
  'src/phases': 2,
  'src/flows': 3,
  'src/runners': 4,
  'src/cli': 4,
  'src/index.ts': 4,
}

interface Source {
  file: string
  text: string
  imports: string[]
}

function sources(): Source[] {
  return ['schemas', 'src', 'viewer'].flatMap((folder) => tsFiles(folder)).map(load)
}

function tsFiles(folder: string): string[] {
  try {
    return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => `${folder}/${name.replaceAll(path.sep, '/')}`)
  } catch {
    return []
  }
}

function load(file: string): Source {
  const text = readFileSync(path.join(root, file), 'utf8')
  const found = text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)
  const imports = [...found].map(([, target = '']) => path.posix.join(path.posix.dirname(file), target))
  return { file, text, imports }
}

function folderOf(file: string): string {
  const match = Object.keys(ranks)
    .filter((prefix) => file === prefix || file.startsWith(`${prefix}/`))
    .sort((a, b) => b.length - a.length)[0]
  return match ?? 'outside'
}

/** A phase is its own island: phases/1-plan may not import phases/2-run, nor jobs, nor store. */
function islandOf(file: string): string {
  return /^src\/phases\/[^/]+/.exec(file)?.[0] ?? folderOf(file)
}

function forbidden(file: string, target: string): string | null {
  const [from, to] = [folderOf(file), folderOf(target)]
  if (from === 'outside') return `${file} lies in no ranked folder`
  if (to === 'outside') return `${file} imports ${target}, which lies in no ranked folder`
  if (islandOf(file) === islandOf(target)) return null
  if (from === 'src/phases' && (to === 'src/jobs' || to === 'src/store')) return `${file} (a phase) imports ${target}`
  if ((ranks[to] ?? 9) >= (ranks[from] ?? 0) && !(from === 'src/base' && to === 'schemas')) {
    return `${file} (rank ${ranks[from]}) imports ${target} (rank ${ranks[to]})`
  }
  return null
}

const all = sources()
const lengths = all.map(({ text }) => text.split('\n').length - 1).sort((a, b) => a - b)
const quantile = (q: number) => lengths[Math.min(lengths.length - 1, Math.floor(q * lengths.length))] ?? 0

describe('imports', () => {
  test('there is something to look at', () => expect(all.length).toBeGreaterThan(20))
  test('go to lower ranks only', () => {
    expect(all.flatMap(({ file, imports }) => imports.map((to) => forbidden(file, to)).filter(Boolean))).toEqual([])
  })
  test.each([
    ['src/engines/command.ts', 'src/jobs/local.ts'],
    ['src/phases/1-plan/plan.ts', 'src/phases/2-run/run.ts'],
    ['src/phases/2-run/run.ts', 'src/store/paths.ts'],
    ['src/base/files.ts', 'src/engines/engine.ts'],
    ['src/helpers/x.ts', 'src/base/files.ts'],
  ])('the rule sees %s importing %s', (from, to) => expect(forbidden(from, to)).not.toBeNull())
})

describe('size budget', () => {
  test('no file over 320 lines', () => {
    expect(all.filter(({ text }) => text.split('\n').length - 1 > 320).map(({ file }) => file)).toEqual([])
  })
  test('median at most 90 lines', () => expect(quantile(0.5)).toBeLessThanOrEqual(90))
  test('90 of 100 files at most 230 lines', () => expect(quantile(0.9)).toBeLessThanOrEqual(230))
  test('src holds only index.ts besides folders', () => {
    expect(readdirSync(path.join(root, 'src')).filter((name) => name.includes('.'))).toEqual(['index.ts'])
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
  test('no limit that the garbage collection may take along (src/base/time_limit.ts says why)', () => {
    expect(all.filter(({ text }) => text.includes('AbortSignal.timeout(')).map(({ file }) => file)).toEqual([])
  })
  test('functions stay under 70 lines (biome holds the rule)', () => {
    const biome = JSON.parse(readFileSync(path.join(root, 'biome.json'), 'utf8'))
    expect(biome.linter.rules.complexity.noExcessiveLinesPerFunction).toMatchObject({
      level: 'error',
      options: { maxLines: 70 },
    })
  })
  test('no folder with a name that says nothing', () => {
    const empty = /\/(utils|helpers|core|common|types|services)\//
    expect(all.filter(({ file }) => empty.test(file)).map(({ file }) => file)).toEqual([])
  })
})
