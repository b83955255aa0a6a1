/** The benchmark.json that lies in a folder already: ours or another tool's, and what it says. */
import path from 'node:path'
import { UserError } from '../../base/error.ts'
import { exists } from '../../base/files.ts'
import { parseJson, readText } from '../../base/json.ts'
import { type Fields, fieldsOf, numberIn, textIn } from './pick.ts'
import { rateIn } from './read_grading.ts'
import type { Problem } from './tree.ts'

/** Means by configuration ('' for a file that knows only one), as far as the file states them; rates 0 to 1. */
export interface Committed {
  /** Written by Whetstone. */
  ours: boolean
  skillName: string | null
  skillPath: string | null
  model: string | null
  timestamp: string | null
  /** Null: it lists no runs at all. */
  runs: number | null
  means: Record<string, { pass_rate: number | null; time_seconds: number | null; tokens: number | null }>
  /** The difference of pass rates as a number, whatever its writing ("+0.50", "+40pp", "-13.3%"). */
  delta: number | null
}

/** Null where there is none; an unreadable one is a problem. */
export async function readCommitted(folder: string, problems: Problem[]): Promise<Committed | null> {
  const file = path.join(folder, 'benchmark.json')
  if (!(await exists(file))) return null
  try {
    const fields = fieldsOf(parseJson(await readText(file), 'benchmark.json'))
    return fields === null ? null : committedOf(fields)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    problems.push({ file: 'benchmark.json', message: error.message })
    return null
  }
}

function committedOf(fields: Fields): Committed {
  const metadata = fieldsOf(fields.metadata)
  const summary = fieldsOf(fields.run_summary) ?? fieldsOf(fields.summary) ?? fields
  const arms = [...Object.entries(summary), ...listedArms(fields), ['', summary] as const].flatMap(([name, value]) => {
    const arm = fieldsOf(value)
    return arm === null || name === 'delta' || name === 'metadata' ? [] : [[name, meansOf(arm)] as const]
  })
  const known = (name: string) => {
    const text = textIn(metadata, [name]) ?? textIn(fields, [name])
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
    delta: differenceOf(fieldsOf(summary.delta) ?? fieldsOf(fields.delta)),
  }
}

/** Arms as a list, each with its name and the numbers in `aggregate`. */
function listedArms({ configurations }: Fields): (readonly [string, unknown])[] {
  const list = Array.isArray(configurations) ? configurations.map(fieldsOf) : []
  return list.flatMap((arm) => {
    const name = textIn(arm, ['name', 'configuration'])
    return name === null ? [] : [[name, arm?.aggregate ?? arm] as const]
  })
}

function meansOf(arm: Fields): Committed['means'][string] {
  const mean = (name: string) => numberIn(fieldsOf(arm[name]), ['mean']) ?? numberIn(arm, [name, `mean_${name}`])
  const rate = rateIn({ pass_rate: mean('pass_rate') })
  return { pass_rate: rate, time_seconds: mean('time_seconds'), tokens: mean('tokens') }
}

function differenceOf(delta: Fields | null): number | null {
  const value = delta?.pass_rate ?? delta?.mean_pass_rate
  if (typeof value === 'number') return Math.abs(value) > 1 ? value / 100 : value
  const found = typeof value === 'string' ? /^\s*([+-]?\d+(?:\.\d+)?)\s*(%|pp)?/.exec(value) : null
  if (!found) return null
  return found[2] ? Number(found[1]) / 100 : Number(found[1])
}
