/** What a suite is read from: nothing that is written for a user may replace a part of it. */
import { existsSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import type { InputFile, Suite } from '../../../schemas/suite.ts'
import { liesIn } from '../../base/own_file.ts'
import { isHiddenFromAgents } from './skill.ts'

/** Files and folders, absolute. */
export interface SuiteInputs {
  /** Files, and folders whose whole content counts. */
  read: ReadonlySet<string>
  /** Of the skills: SKILL.md and what agents get to see of their folders counts; beside SKILL.md reports may lie. */
  skills: readonly string[]
}

/** `skills`: their folders. */
export function inputsOf({ path: place, cases }: Pick<Suite, 'path' | 'cases'>, skills: Iterable<string>): SuiteInputs {
  const folder = existsSync(place) && statSync(place).isDirectory() ? place : path.dirname(place)
  const beside = ['rubric.md', 'judge.md', 'golden', 'snapshots', 'cases', 'fixtures']
  const own = folder === place ? [place] : [place, ...beside.map((name) => path.join(folder, name))]
  const read = new Set(own)
  for (const { files, environment, source, git } of new Set(cases)) {
    const { files: needed = [], rules = [], agents = [], skills: further = [], commands = [] } = environment ?? {}
    const all: readonly InputFile[][] = [files, needed, rules, agents, further, commands]
    for (const one of all.flat()) read.add(one.source)
    if (source !== undefined) read.add(source.path)
    if (git !== null && git !== true) read.add(git.bundle)
  }
  return { read, skills: [...skills] }
}

/** Whether a file (absolute) that is there is a part of it; what runs and reports leave in a suite's folder is none. */
export function isInput(file: string, { read, skills }: SuiteInputs): boolean {
  if (!existsSync(file)) return false
  const real = realpathSync(file)
  for (const place of read) {
    if (!liesIn(place, file)) continue
    const [first] = path.relative(realpathSync(place), real).split(path.sep)
    if (first === undefined || !resultFolders.has(first)) return true
  }
  return skills.some((folder) => {
    if (!liesIn(folder, file)) return false
    const inside = path.relative(realpathSync(folder), real).split(path.sep).join('/')
    return inside === 'SKILL.md' || (inside.includes('/') && !isHiddenFromAgents(inside))
  })
}

const resultFolders: ReadonlySet<string> = new Set(['results', 'runs', 'reports'])
