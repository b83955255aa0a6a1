/** Lists what a suite is read from, so that no report overwrites a part of it. */
import { existsSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import type { InputFile, Suite } from '../../../../schemas/suite.ts'
import { isInsideFolder } from '../../../base/fs/inside_folder.ts'
import { isHiddenFromAgents } from '../skill/read_skill.ts'

/** Absolute paths of files and folders. */
export interface SuiteInputs {
  /** Files, and folders with all their content. */
  read: ReadonlySet<string>
  /** Skill folders: SKILL.md and files that agents see count; reports may be next to SKILL.md. */
  skills: readonly string[]
}

/** `skills`: their folders. */
export function listSuiteInputs(
  { path: place, cases }: Pick<Suite, 'path' | 'cases'>,
  skills: Iterable<string>,
): SuiteInputs {
  const folder = existsSync(place) && statSync(place).isDirectory() ? place : path.dirname(place)
  const beside = ['rubric.md', 'judge.md', 'golden', 'snapshots', 'cases', 'fixtures']
  const own = folder === place ? [place] : [place, ...beside.map((name) => path.join(folder, name))]
  const read = new Set(own)
  for (const { files, environment, source, git, grading_files = [] } of new Set(cases)) {
    const { files: needed = [], rules = [], agents = [], skills: further = [], commands = [] } = environment ?? {}
    const all: readonly InputFile[][] = [files, needed, rules, agents, further, commands, grading_files]
    for (const one of all.flat()) read.add(one.source)
    if (source !== undefined) read.add(source.path)
    if (git !== null && git !== true) read.add(git.bundle)
  }
  return { read, skills: [...skills] }
}

/** Whether an existing file (absolute) is part of it; results and reports in a suite's folder are not. */
export function isSuiteInput(file: string, { read, skills }: SuiteInputs): boolean {
  if (!existsSync(file)) return false
  const real = realpathSync(file)
  for (const place of read) {
    if (!isInsideFolder(place, file)) continue
    const [first] = path.relative(realpathSync(place), real).split(path.sep)
    if (first === undefined || !resultFolders.has(first)) return true
  }
  return skills.some((folder) => {
    if (!isInsideFolder(folder, file)) return false
    const inside = path.relative(realpathSync(folder), real).split(path.sep).join('/')
    return inside === 'SKILL.md' || (inside.includes('/') && !isHiddenFromAgents(inside))
  })
}

const resultFolders: ReadonlySet<string> = new Set(['results', 'runs', 'reports'])
