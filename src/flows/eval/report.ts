/** eval --report: the report of each suite's run, in the shape of AAM packages. */
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { evalReport } from '../../../schemas/eval_report.ts'
import type { EvalResult } from '../../../schemas/eval_result.ts'
import { writeAtomic } from '../../base/durable.ts'
import { codeOf, messageOf, UserError } from '../../base/error.ts'
import { checkAs } from '../../base/json.ts'
import { refuseUnwritable } from '../../base/writable.ts'
import { inputsOf, isInput } from '../../phases/1-plan/suite_inputs.ts'
import { type Machine, reportOf } from '../../phases/4-report/eval_report.ts'
import { timestampName } from '../../store/paths.ts'
import { machineOf } from './machine.ts'
import type { EvalRequest, PreparedEval } from './request.ts'

/** Where reports of a format lie; absent: with the results. */
const homes: Readonly<Record<string, (root: string) => string>> = {
  aam: (root) => path.join(root, 'evals/reports'),
}

type Planned = Pick<PreparedEval, 'plan' | 'root' | 'folders'>

/**
 * Asked before anything is paid for. Throws UserError where reports can't be written: one file for several suites, places that can't be
 * used, a file that one of the suites is read from.
 */
export function refuseBadReports(
  plans: readonly Planned[],
  { report, files }: NonNullable<EvalRequest['writes']>,
): void {
  for (const { plan, folders } of files.length === 0 ? [] : plans) {
    const inputs = inputsOf({ path: plan.suite.path, cases: plan.cases }, folders.values())
    const replaced = files.find(({ file }) => isInput(file, inputs))
    if (replaced === undefined) continue
    const what = `${replaced.file} is a part of what ${plan.suite.path} is read from, and is not replaced`
    throw new UserError(`${replaced.flag}: ${what}`, 'name another file')
  }
  if (report === undefined) return
  refuseOneForMany(plans.length, report.output)
  if (report.output !== null) return
  for (const { plan, root } of plans) {
    const folder = homes[plan.suite.format]?.(root)
    if (folder !== undefined)
      refuseUnwritable(root, [{ place: folder, kind: 'folder' }], 'reports go there: mend that, or name a file with -o')
  }
}

/**
 * Gives the files, absolute. `output` null: each in its own place. What can't be written there is written beside the results, so that
 * nothing is paid for again; the UserError says so.
 */
export async function writeReports(
  results: readonly EvalResult[],
  output: string | null,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string[]> {
  refuseOneForMany(results.length, output)
  const machine = await machineOf(env)
  const write = async (result: EvalResult) => {
    const place = output ?? homes[result.format]?.(result.root) ?? result.folder
    try {
      return output === null ? await intoFolder(result, machine, place) : await intoFile(result, machine, output)
    } catch (error) {
      const beside = await intoFolder(result, machine, result.folder).catch(() => null)
      const fix = beside === null ? `the verdicts are in ${result.folder}/eval.json` : `it is in ${beside} instead`
      throw new UserError(`report in ${place}: ${messageOf(error)}`, fix)
    }
  }
  return Promise.all(results.map(write))
}

function refuseOneForMany(suites: number, output: string | null): void {
  if (output === null || suites < 2) return
  throw new UserError(`--output ${output}: there are ${suites} suites`, 'name one suite, or leave --output out')
}

async function intoFile(result: EvalResult, machine: Machine, output: string): Promise<string> {
  const file = path.resolve(output)
  const name = timestampName(new Date(result.started_at))
  await mkdir(path.dirname(file), { recursive: true })
  await writeAtomic(file, textOf(result, machine, name))
  return file
}

/** A name is taken by making its file: two runs of the same second get -2, -3, … */
async function intoFolder(result: EvalResult, machine: Machine, folder: string): Promise<string> {
  const base = timestampName(new Date(result.started_at))
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
}

function textOf(result: EvalResult, machine: Machine, name: string): string {
  const report = checkAs(evalReport, reportOf(result, machine, name), 'report')
  return `${JSON.stringify(report, null, 2)}\n`
}
