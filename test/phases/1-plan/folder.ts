/** Temporary folders with real files, removed when the test ends. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { Suite, SuiteCase } from '../../../schemas/suite.ts'
import { UserError } from '../../../src/base/errors/error.ts'
import { loadSuite } from '../../../src/phases/1-plan/suite/load_suite.ts'

export const skillText = '---\nname: sums\ndescription: Adds up.\n---\nAdd up.\n'

/** A folder with these files (path → text). */
export function folderOf(files: Record<string, string | Uint8Array>): string {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'plan-test-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(root, name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return root
}

/** A skill folder whose evals.json is this value (or this text). */
export function skillWith(evals: unknown, files: Record<string, string> = {}): string {
  const text = typeof evals === 'string' ? evals : JSON.stringify(evals)
  return folderOf({ 'SKILL.md': skillText, 'evals/evals.json': text, ...files })
}

export function loadEvals(evals: unknown, files: Record<string, string> = {}): Promise<Suite> {
  return loadSuite(skillWith(evals, files))
}

/** The only case of a suite with this one case. */
export async function loadCase(
  one: unknown,
  files: Record<string, string> = {},
): Promise<{ case: SuiteCase; warnings: string[] }> {
  const { cases, warnings } = await loadEvals({ skill_name: 'sums', evals: [one] }, files)
  const [only] = cases
  expect(cases).toHaveLength(1)
  if (only === undefined) throw new Error('no case')
  return { case: only, warnings: warnings.map(({ at, message }) => `${at}: ${message}`) }
}

/** The only case of a suite with this one case, and the statements by which a judge decides. */
export async function judged(part: object) {
  const read = await loadCase({ id: 1, prompt: 'p', ...part })
  return { ...read, texts: read.case.expectations.map(({ text }) => text) }
}

/** The UserError that this throws. */
export async function userError(work: Promise<unknown>): Promise<UserError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(UserError)
  if (error instanceof UserError) return error
  throw error
}

/** The settings of a property test: few runs, always the same ones, in a quick test; many other ones in `many_runs.nightly.test.ts`. */
export function propertyRuns(quick: number, nightly: number): { numRuns: number; seed?: number } {
  return process.env.WHETSTONE_MANY_RUNS === '1' ? { numRuns: nightly } : { numRuns: quick, seed: 37 }
}
