/** Suites of the documented formats that are cut or changed: no crash, and what is there is read, named or refused. */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Suite, suite as suiteSchema } from '../../../../schemas/suite.ts'
import { UserError } from '../../../../src/base/errors/error.ts'
import { findSuites, loadSuites } from '../../../../src/phases/1-plan/suite/find_suites.ts'
import { folderOf, propertyRuns } from '../folder.ts'

const examples = path.join(import.meta.dirname, '../../../../workspaces')

type Files = Record<string, string>

export function filesOf(example: string): Files {
  const root = path.join(examples, example)
  const names = readdirSync(root, { recursive: true }).map(String)
  const files = names.filter((name) => statSync(path.join(root, name)).isFile())
  return Object.fromEntries(files.map((name) => [name, readFileSync(path.join(root, name), 'utf8')]))
}

export interface Format {
  files: Files
  /** Files whose text is changed. */
  changed: RegExp
  /** A file that is a case. */
  unit: RegExp
  /** Keys of the author's own, and texts: their change changes what they say, and is no mistake. */
  free: RegExp
}

interface Outcome {
  suites: Suite[]
  refused: string[]
}

async function load(files: Files, format: string): Promise<Outcome> {
  const root = folderOf({ 'package.json': '{}', ...files })
  try {
    const found = await findSuites(root, format)
    const read = (await loadSuites(found)).map((one) => one.read)
    const refused = read.flatMap((one) => (one.status === 'rejected' ? [toUserText(one.reason)] : []))
    const suites = read.flatMap((one) => (one.status === 'fulfilled' ? [suiteSchema.parse(one.value)] : []))
    return { suites, refused }
  } catch (error) {
    return { suites: [], refused: [toUserText(error)] }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** Throws anything else than an error that a user can read. */
function toUserText(error: unknown): string {
  if (!(error instanceof UserError)) throw error
  expect(error.message.length).toBeGreaterThan(10)
  return `${error.message} ${error.fix ?? ''}`
}

/** All messages to the user: refusals, reasons of cases that can't run, warnings. */
function toldIn({ suites, refused }: Outcome): string {
  return JSON.stringify([
    refused,
    suites.map(({ cases, warnings }) => [cases.map(({ cannot_run }) => cannot_run), warnings]),
  ])
}

const odd = ['', '\u0000', '💥', '---', '{', ']: [', 'null', '- ', '\t', '## ', '"', '&a *a', '\uFEFF']

const mutation = fc.record({
  file: fc.nat(),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  how: fc.constantFrom('cut', 'drop a line', 'repeat a line', 'insert', 'empty', 'remove'),
  text: fc.constantFrom(...odd),
})

function mutate(
  files: Files,
  changed: RegExp,
  { file, at, how, text }: { file: number; at: number; how: string; text: string },
): Files {
  const names = Object.keys(files).filter((name) => changed.test(name))
  const name = names[file % names.length]
  const old = name === undefined ? undefined : files[name]
  if (name === undefined || old === undefined) return files
  const lines = old.split('\n')
  const line = Math.min(lines.length - 1, Math.floor(at * lines.length))
  const place = Math.floor(at * old.length)
  const { [name]: _, ...others } = files
  const put = (content: string): Files => ({ ...files, [name]: content })
  switch (how) {
    case 'cut':
      return put(old.slice(0, place))
    case 'drop a line':
      return put(lines.filter((_one, index) => index !== line).join('\n'))
    case 'repeat a line':
      return put([...lines.slice(0, line + 1), ...lines.slice(line)].join('\n'))
    case 'insert':
      return put(old.slice(0, place) + text + old.slice(place))
    case 'empty':
      return put('')
    default:
      return others
  }
}

/** Places of the keys of YAML, JSON and TOML in a text: those of the frontmatter if it is Markdown. */
function keysOf(name: string, text: string): { key: string; at: number }[] {
  const end = name.endsWith('.md') ? text.indexOf('\n---', 3) : text.length
  const form = /^([ \t]*(?:- )?"?)([A-Za-z_][\w-]*)(?="?\s*[:=])/gm
  return [...text.slice(0, Math.max(0, end)).matchAll(form)].map((one) => ({
    key: one[2] ?? '',
    at: one.index + (one[1] ?? '').length,
  }))
}

export function describeMutations(name: string, { files, changed, unit, free }: Format): void {
  describe(name, () => {
    test('is read as it is: every case runs', async () => {
      const { suites, refused } = await load(files, name)
      expect(refused).toEqual([])
      const cases = suites.flatMap((one) => one.cases)
      expect(cases.length).toBeGreaterThanOrEqual(2)
      expect(cases.map(({ cannot_run }) => cannot_run)).toEqual(cases.map(() => null))
    })
    test('cut or changed, it is read or refused, and each case file is a case or is named', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 3 }), async (all) => {
          const mutated = all.reduce<Files>((before, one) => mutate(before, changed, one), files)
          const outcome = await load(mutated, name)
          const units = Object.keys(mutated).filter((file) => unit.test(file))
          const told = toldIn(outcome)
          const cases = outcome.suites.flatMap((one) => one.cases)
          const isNamed = units.every((file) => told.includes(path.basename(path.dirname(file))) || told.includes(file))
          expect([all, cases.length >= units.length || outcome.refused.length > 0 || isNamed]).toEqual([all, true])
        }),
        propertyRuns(8, 200),
      )
    })
    test('a field of another name is named, wherever it is', async () => {
      const before = toldIn(await load(files, name))
      const lost: string[] = []
      for (const [file, text] of Object.entries(files).filter(([one]) => changed.test(one))) {
        for (const { key, at } of keysOf(file, text).filter((one) => !free.test(one.key))) {
          const outcome = await load({ ...files, [file]: `${text.slice(0, at)}zqx${text.slice(at)}` }, name)
          const told = toldIn(outcome)
          const isMissed = told !== before && new RegExp(`\\b${key}\\b`).test(told)
          if (!told.includes(`zqx${key}`) && !isMissed) lost.push(`${file}: ${key}`)
        }
      }
      expect(lost).toEqual([])
    })
  })
}
