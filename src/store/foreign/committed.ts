/** Reads an existing benchmark.json of a folder, from Whetstone or another tool. */
import path from 'node:path'
import { UserError } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import { parseJson, readText } from '../../base/json/json.ts'
import { type ForeignFields, pickNumber, pickText, toForeignFields } from './pick_values.ts'
import { readRate } from './read_grading.ts'
import type { TreeProblem } from './tree.ts'

/** Means by configuration ('' for a file with only one), as far as stated; rates 0 to 1. */
export interface CommittedBenchmark {
  /** Written by Whetstone. */
  ours: boolean
  skillName: string | null
  skillPath: string | null
  model: string | null
  timestamp: string | null
  /** null: it has no list of runs. */
  runs: number | null
  means: Record<string, { pass_rate: number | null; time_seconds: number | null; tokens: number | null }>
  /** The difference of pass rates as a number, whatever its notation ("+0.50", "+40pp", "-13.3%"). */
  delta: number | null
}

/** null: none; an unreadable file is a problem. */
export async function readCommitted(folder: string, problems: TreeProblem[]): Promise<CommittedBenchmark | null> {
  const file = path.join(folder, 'benchmark.json')
  if (!(await pathExists(file))) return null
  try {
    const fields = toForeignFields(parseJson(await readText(file), 'benchmark.json'))
    return fields === null ? null : toCommittedBenchmark(fields)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    problems.push({ file: 'benchmark.json', message: error.message })
    return null
  }
}

function toCommittedBenchmark(fields: ForeignFields): CommittedBenchmark {
  const metadata = toForeignFields(fields.metadata)
  const summary = toForeignFields(fields.run_summary) ?? toForeignFields(fields.summary) ?? fields
  const arms = [...Object.entries(summary), ...listArmEntries(fields), ['', summary] as const].flatMap(
    ([name, value]) => {
      const arm = toForeignFields(value)
      return arm === null || name === 'delta' || name === 'metadata' ? [] : [[name, readArmMeans(arm)] as const]
    },
  )
  const known = (name: string) => {
    const text = pickText(metadata, [name]) ?? pickText(fields, [name])
    return text === null || /^<.*>$/.test(text) ? null : text
  }
  return {
    ours: fields.schema_version === 1,
    skillName: known('skill_name'),
    skillPath: known('skill_path'),
    model: known('executor_model'),
    timestamp: known('timestamp'),
    runs: Array.isArray(fields.runs) ? fields.runs.length : null,
    means: Object.fromEntries(arms.filter(([, { pass_rate }]) => pass_rate !== null)),
    delta: readDifference(toForeignFields(summary.delta) ?? toForeignFields(fields.delta)),
  }
}

/** Arms as a list, each with its name and the numbers in `aggregate`. */
function listArmEntries({ configurations }: ForeignFields): (readonly [string, unknown])[] {
  const list = Array.isArray(configurations) ? configurations.map(toForeignFields) : []
  return list.flatMap((arm) => {
    const name = pickText(arm, ['name', 'configuration'])
    return name === null ? [] : [[name, arm?.aggregate ?? arm] as const]
  })
}

function readArmMeans(arm: ForeignFields): CommittedBenchmark['means'][string] {
  const mean = (name: string) =>
    pickNumber(toForeignFields(arm[name]), ['mean']) ?? pickNumber(arm, [name, `mean_${name}`])
  const rate = readRate({ pass_rate: mean('pass_rate') })
  return { pass_rate: rate, time_seconds: mean('time_seconds'), tokens: mean('tokens') }
}

function readDifference(delta: ForeignFields | null): number | null {
  const value = delta?.pass_rate ?? delta?.mean_pass_rate
  if (typeof value === 'number') return Math.abs(value) > 1 ? value / 100 : value
  const found = typeof value === 'string' ? /^\s*([+-]?\d+(?:\.\d+)?)\s*(%|pp)?/.exec(value) : null
  if (!found) return null
  return found[2] ? Number(found[1]) / 100 : Number(found[1])
}
