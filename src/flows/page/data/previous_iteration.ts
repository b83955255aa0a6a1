/** Finds the previous iteration: the same skill's benchmark just before this one, and the matching runs in it. */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { createInsideCheck, isInsideFolder } from '../../../base/fs/inside_folder.ts'
import { isTimestampName } from '../../../store/paths.ts'
import { readLoose } from '../run_detail.ts'

export interface PreviousIteration {
  /** Its folder, absolute. */
  folder: string
  /** The matching run's folder, relative to `folder` with /; null: there is none. */
  runOf(run: { eval_id: number; folder: string }): string | null
}

/** null: there is none. */
export function findPreviousIteration(folder: string): PreviousIteration | null {
  const before = previousFolder(folder)
  if (before === null) return null
  const cases = listCaseFolders(before)
  const isThere = createInsideCheck(before)
  return {
    folder: before,
    runOf: ({ eval_id, folder: own }) => {
      if (own === '') return null
      if (isThere(path.join(before, own))) return own
      const [, ...rest] = own.split('/')
      // a case may have a different name, but keeps its number
      const other = path.posix.join(cases.get(eval_id) ?? '', ...rest)
      return isThere(path.join(before, other)) ? other : null
    },
  }
}

/** The case folders, by case number. */
function listCaseFolders(folder: string): ReadonlyMap<number, string> {
  const names = entries(folder).filter((name) => /^eval-\d+/.test(name))
  return new Map(names.map((name) => [readCaseId(folder, name), name]))
}

/** `benchmarks/<time>`, another collection's folder, or `iteration-<n>`. */
function previousFolder(folder: string): string | null {
  const [parent, own] = [path.dirname(folder), path.basename(folder)]
  const skill = readSkillName(folder)
  const isEarlier = /^iteration-\d+$/.test(own)
    ? (name: string) => /^iteration-\d+$/.test(name) && iterationNumber(name) < iterationNumber(own)
    : isTimestampName(own)
      ? (name: string) => isTimestampName(name) && byTime(name, own) < 0
      : () => false
  const earlier = entries(parent).filter(isEarlier).sort(byTime).reverse()
  const same = earlier.find((name) => {
    const other = readSkillName(path.join(parent, name))
    return other === null || skill === null || other === skill
  })
  return same === undefined || !isInsideFolder(parent, path.join(parent, same)) ? null : path.join(parent, same)
}

function byTime(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}

function iterationNumber(name: string): number {
  return Number(name.replace(/\D+/, ''))
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const benchmarkName = z.object({ metadata: z.object({ skill_name: z.string() }) })
const plannedSkill = z.object({ skill: z.object({ name: z.string() }) })
const caseMetadata = z.object({ eval_id: z.number() })

function readSkillName(folder: string): string | null {
  const plan = plannedSkill.safeParse(readLoose(path.join(folder, 'plan.json')))
  if (plan.success) return plan.data.skill.name
  const benchmark = benchmarkName.safeParse(readLoose(path.join(folder, 'benchmark.json')))
  return benchmark.success ? benchmark.data.metadata.skill_name : null
}

function readCaseId(folder: string, name: string): number {
  const found = caseMetadata.safeParse(readLoose(path.join(folder, name, 'eval_metadata.json')))
  return found.success ? found.data.eval_id : iterationNumber(name)
}
