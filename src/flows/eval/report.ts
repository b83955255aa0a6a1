/** eval --report: the report of each suite's run, in the shape of AAM packages. */
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { evalReport } from '../../../schemas/eval_report.ts'
import type { EvalResult } from '../../../schemas/eval_result.ts'
import { codeOf, messageOf, UserError } from '../../base/error.ts'
import { writeAtomic } from '../../base/files.ts'
import { checkAs } from '../../base/json.ts'
import { type Machine, reportOf } from '../../phases/4-report/eval_report.ts'
import { timestampName } from '../../store/paths.ts'
import { machineOf } from './machine.ts'

/** Where reports of a format lie; absent: with the results. */
const homes: Readonly<Record<string, (result: EvalResult) => string>> = {
  aam: ({ root }) => path.join(root, 'evals/reports'),
}

/** Gives the files, absolute. `output` null: each in its own place. Throws UserError. */
export async function writeReports(
  results: readonly EvalResult[],
  output: string | null,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string[]> {
  if (output !== null && results.length > 1) {
    throw new UserError(
      `--output ${output}: ${results.length} suites were run`,
      'name one suite, or leave --output out',
    )
  }
  const machine = await machineOf(env)
  const write = (result: EvalResult) =>
    output === null ? intoItsPlace(result, machine) : intoFile(result, machine, output)
  return Promise.all(results.map(write))
}

async function intoFile(result: EvalResult, machine: Machine, output: string): Promise<string> {
  const file = path.resolve(output)
  const name = timestampName(new Date(result.started_at))
  await mkdir(path.dirname(file), { recursive: true })
  await writeAtomic(file, textOf(result, machine, name))
  return file
}

/** A name is taken by making its file: two runs of the same second get -2, -3, … */
async function intoItsPlace(result: EvalResult, machine: Machine): Promise<string> {
  const folder = homes[result.format]?.(result) ?? result.folder
  const base = timestampName(new Date(result.started_at))
  try {
    await mkdir(folder, { recursive: true })
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? base : `${base}-${number}`
      const file = path.join(folder, `${name}.json`)
      const isNew = await writeFile(file, textOf(result, machine, name), { flag: 'wx' }).then(
        () => true,
        (error: unknown) => {
          if (codeOf(error) === 'EEXIST') return false
          throw error
        },
      )
      if (isNew) return file
    }
  } catch (error) {
    throw new UserError(`report in ${folder}: ${messageOf(error)}`, 'choose a file with -o')
  }
}

function textOf(result: EvalResult, machine: Machine, name: string): string {
  const report = checkAs(evalReport, reportOf(result, machine, name), 'report')
  return `${JSON.stringify(report, null, 2)}\n`
}
