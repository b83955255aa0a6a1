/** evals.json. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { evalsFile } from '../../../../schemas/evals.ts'
import type { InputFile, Suite } from '../../../../schemas/suite.ts'
import { hashFile, hashWalk, walk } from '../../../base/files.ts'
import { readJson } from '../../../base/json.ts'

export async function loadEvalsJson(file: string, root: string): Promise<Suite> {
  const read = await readJson(evalsFile, file)
  const cases = await Promise.all(
    read.evals.map(async (one, index) => ({
      eval_id: one.id ?? index + 1,
      eval_key: null,
      eval_name: one.name ?? one.prompt.slice(0, 30),
      prompt: one.prompt,
      expected_output: one.expected_output ?? null,
      files: await Promise.all((one.files ?? []).map((name) => input(root, name))),
      expectations: (one.expectations ?? []).map((text) => ({ text })),
      checks: one.checks ?? [],
      reference: null,
      timeout_seconds: one.timeout ?? null,
      setup: one.setup ?? null,
      git: one.git ?? null,
      cannot_run: null,
    })),
  )
  return { format: 'evals.json', path: file, skill_name: read.skill_name, cases, warnings: [] }
}

async function input(root: string, name: string): Promise<InputFile> {
  const source = path.join(root, name)
  const info = await stat(source)
  const kind = info.isDirectory() ? ('directory' as const) : ('file' as const)
  const sha256 = kind === 'file' ? await hashFile(source) : await hashWalk((await walk(source)).files)
  return { path: name, source, kind, sha256, bytes: info.size }
}
