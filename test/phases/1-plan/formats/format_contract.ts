/** What every format promises: the same Suite, found at any depth, and its golden normal form. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { suite as suiteSchema } from '../../../../schemas/suite.ts'
import { findSuites, loadSuites } from '../../../../src/phases/1-plan/suite/find_suites.ts'
import { hashSuite } from '../../../../src/phases/1-plan/suite/load_suite.ts'
import { folderOf } from '../folder.ts'

const examples = path.join(import.meta.dirname, '../../../../workspaces')
/** A copy of an example, with further files. */
export const example =
  (name: string, more: Record<string, string> = {}) =>
  () => {
    const folder = path.join(folderOf({}), 'tree')
    cpSync(path.join(examples, name), folder, { recursive: true })
    for (const [file, text] of Object.entries(more)) writeFileSync(path.join(folder, file), text)
    return folder
  }
export const written = (files: Record<string, string>) => () =>
  path.join(folderOf(Object.fromEntries(Object.entries(files).map(([name, text]) => [`tree/${name}`, text]))), 'tree')

/** `tree`: with one suite of the format; `broken`: a file that makes another of it that is broken; `golden`: the folder of its normal form, absolute. */
interface FormatFixture {
  tree: () => string
  broken: Record<string, string>
  golden?: string
}

export function describeFormat(
  name: string,
  { tree, broken, golden = path.join(import.meta.dirname, 'golden') }: FormatFixture,
): void {
  describe(name, () => {
    test('is found by itself and gives a Suite with ids of its own', async () => {
      const root = tree()
      const found = (await findSuites(root, null)).filter(({ format }) => format === name)
      expect(found.length).toBeGreaterThan(0)
      for (const { read } of await loadSuites(found)) {
        if (read.status === 'rejected') throw read.reason
        const suite = suiteSchema.parse(read.value)
        expect(suite).toMatchObject({ format: name, path: expect.stringContaining(root) })
        expect(suite.cases.length).toBeGreaterThan(0)
        expect(new Set(suite.cases.map(({ eval_id }) => eval_id)).size).toBe(suite.cases.length)
        expect(suite.cases.filter(({ cannot_run }) => cannot_run !== null)).toEqual([])
        expect(await hashSuite(suite)).toMatch(/^[0-9a-f]{64}$/)
      }
    })
    test('is read twice alike, and --format finds the same', async () => {
      const root = tree()
      const load = async (format: string | null) => {
        const found = (await findSuites(root, format)).filter((one) => one.format === name)
        return (await loadSuites(found)).map(({ read }) => read)
      }
      expect(await load(name)).toEqual(await load(null))
    })
    test('its normal form is the golden one', async () => {
      const root = tree()
      const suites = (await loadSuites(await findSuites(root, name))).map(({ read }) =>
        read.status === 'fulfilled' ? read.value : read.reason,
      )
      const text = `${JSON.stringify(suites, null, 2).replaceAll(root, '/tree')}\n`
      await expect(text).toMatchFileSnapshot(path.join(golden, `${name}.json`))
    })
    test('a broken one beside it is an error or can not run, and stops no sibling', async () => {
      const root = tree()
      const before = (await findSuites(root, name)).length
      for (const [file, text] of Object.entries(broken)) {
        mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
        writeFileSync(path.join(root, file), text)
      }
      const all = await loadSuites(await findSuites(root, name))
      const good = all.filter(
        ({ read }) => read.status === 'fulfilled' && read.value.cases.every((one) => one.cannot_run === null),
      )
      expect(good.length).toBeGreaterThanOrEqual(before)
      expect(all.length).toBeGreaterThan(good.length)
      for (const { read } of all) {
        if (read.status === 'rejected') expect(read.reason).toMatchObject({ name: 'UserError' })
      }
    })
  })
}
