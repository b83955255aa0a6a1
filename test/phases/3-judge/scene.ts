/** Real files for tests of judging: a temporary folder for each test, a scene with outputs, judges as commands. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { CheckContext } from '../../../src/phases/3-judge/checks/inputs/check_input.ts'
import { createDocumentReads } from '../../../src/phases/3-judge/documents/document_reads.ts'

/** A folder that goes when the test ends. */
export async function temporary(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'judge-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export async function write(folder: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
    await writeFile(path.join(folder, name), content)
  }
}

export const environment = { PATH: process.env.PATH ?? '', HOME: path.join(tmpdir(), 'judge-test-no-home') }

/** A scene whose outputs are `files`; `changes` replaces what it says. */
export async function sceneWith(
  files: Readonly<Record<string, string | Buffer>>,
  changes: Partial<CheckContext> = {},
): Promise<CheckContext> {
  const outputsFolder = path.join(await temporary(), 'outputs')
  await mkdir(outputsFolder)
  await write(outputsFolder, files)
  return {
    finalResponse: '',
    transcript: async () => '',
    events: async () => [],
    programCalls: async () => null,
    showsTools: true,
    outputsFolder,
    outputs: Object.keys(files),
    documents: createDocumentReads(),
    leftOut: [],
    record: workOf(Object.keys(files)),
    skill: { name: 'sums', installed: true },
    start: { files: [], git: null, setup: null },
    restore: async (target, state) => (state === 'end' ? await write(target, files) : undefined),
    env: environment,
    signal: new AbortController().signal,
    ...changes,
  }
}

/** Verdicts of checks, by a part of their evidence or reason. */
export const passed = (evidence: string) => ({ passed: true, evidence: expect.stringContaining(evidence) })
export const failed = (evidence: string) => ({ passed: false, evidence: expect.stringContaining(evidence) })
export const unreadable = (why: string) => ({
  passed: false,
  unreadable: true,
  evidence: expect.stringMatching(new RegExp(`^unreadable: .*${why.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}`, 's')),
})
export const undecided = (error: string) => ({ error: expect.stringContaining(error) })

/** What a run took that left these files, all of them new. */
export function workOf(names: readonly string[]): CheckContext['record'] {
  return {
    status: 'completed',
    steps: 3,
    usage: { input_tokens: 10, output_tokens: 20, cache_read_tokens: 30, cache_write_tokens: 40 },
    cost: { usd: 0.02, source: 'agent' },
    duration_ms: 12_500,
    skill: { offered: true, read: true, read_at_step: 1 },
    outputs: {
      files: names.map((name) => ({ path: name, bytes: 1, sha256: '', change: 'created' })),
      deleted: [],
      left_out: [],
    },
  }
}

/** The command line of a judge in test/fixtures/judges. */
export function judgeCommand(name: string, ...args: readonly string[]): string {
  const script = path.join(import.meta.dirname, '../../fixtures/judges', `${name}.mjs`)
  return [process.execPath, script, ...args].map((word) => `"${word}"`).join(' ')
}
