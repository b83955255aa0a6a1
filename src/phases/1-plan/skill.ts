/** A skill folder: its frontmatter, and the files that an agent may see, which never include its evals. */
import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { z } from 'zod'
import type { LoadWarning, Skill } from '../../../schemas/suite.ts'
import { messageOf, UserError } from '../../base/error.ts'
import { hashWalk, type Walk, walk } from '../../base/files.ts'
import { checkAs, readText } from '../../base/json.ts'

const frontmatter = z.looseObject({ name: z.string().min(1), description: z.string().min(1) })
const hidden = new Set(['.git', 'node_modules', '.DS_Store'])

export async function readSkill(folder: string): Promise<{ skill: Skill; warnings: LoadWarning[] }> {
  const file = path.join(folder, 'SKILL.md')
  const text = (await readText(file)).replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  const block = /^---\n([\s\S]*?)\n---(\n|$)/.exec(text)?.[1]
  if (block === undefined) throw new UserError(`${file}: no frontmatter`, 'begin it with ---, name, description, ---')
  const { name, description } = checkAs(frontmatter, parse(block), file)
  const sha256 = await hashWalk((await skillFiles(folder)).files)
  return { skill: { name, description, path: path.resolve(folder), sha256 }, warnings: [] }
}

export async function skillFiles(folder: string): Promise<Walk> {
  const skip = (relative: string) =>
    relative === 'evals' || relative === 'workspaces' || hidden.has(relative.split('/').at(-1) ?? '')
  return walk(folder, { skip })
}

export async function exportGitVersion(request: { folder: string; ref: string; target: string }): Promise<void> {
  const run = promisify(execFile)
  await mkdir(request.target, { recursive: true })
  try {
    const { stdout } = await run('git', ['archive', '--format=tar', request.ref, '.'], {
      cwd: request.folder,
      encoding: 'buffer',
      maxBuffer: 1 << 28,
    })
    const child = run('tar', ['-x', '-C', request.target])
    child.child.stdin?.end(stdout)
    await child
  } catch (error) {
    throw new UserError(`--baseline git:${request.ref}: ${messageOf(error)}`)
  }
}
