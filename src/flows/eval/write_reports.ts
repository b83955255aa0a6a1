/** eval --report: writes the report of each suite's run, in the format of AAM packages. */
import { mkdir, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { evalReport } from '../../../schemas/eval_report.ts'
import type { EvalResult } from '../../../schemas/eval_result.ts'
import { errorMessage, UserError } from '../../base/errors/error.ts'
import { createNumbered, writeAtomic } from '../../base/fs/durable_files.ts'
import { assertWritable } from '../../base/fs/writable.ts'
import { checkAs } from '../../base/json/json.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { readOwnPackage } from '../../base/package_root.ts'
import { runProcess } from '../../base/process/spawn.ts'
import { startTimeLimit } from '../../base/time/time_limit.ts'
import { suiteFormats } from '../../phases/1-plan/formats/table.ts'
import { isSuiteInput, listSuiteInputs } from '../../phases/1-plan/suite/input_files.ts'
import { buildEvalReport, type MachineInfo } from '../../phases/4-report/eval/eval_verdict.ts'
import { timestampName } from '../../store/paths.ts'
import type { EvalRequest, PreparedEval } from './eval_request.ts'

type PlannedSuite = Pick<PreparedEval, 'plan' | 'root' | 'folders'>

/**
 * Checked before any paid call. Throws UserError where reports can't be written: one file for several suites, unusable paths, or a file
 * that a suite reads from.
 */
export function refuseBadReports(
  plans: readonly PlannedSuite[],
  { report, files }: NonNullable<EvalRequest['writes']>,
): void {
  for (const { plan, folders } of files.length === 0 ? [] : plans) {
    const inputs = listSuiteInputs({ path: plan.suite.path, cases: plan.cases }, folders.values())
    const replaced = files.find(({ file }) => isSuiteInput(file, inputs))
    if (replaced === undefined) continue
    const what = `${replaced.file} belongs to the suite ${plan.suite.path}; refusing to overwrite it`
    throw new UserError(`${replaced.flag}: ${what}`, 'choose another file')
  }
  if (report === undefined) return
  refuseSharedReport(plans.length, report.output)
  if (report.output !== null) return
  for (const { plan, root } of plans) {
    const folder = suiteFormats[plan.suite.format]?.reportFolder?.(root)
    if (folder !== undefined)
      assertWritable(
        root,
        [{ place: folder, kind: 'folder' }],
        'reports are written there: make it writable, or name a file with -o',
      )
  }
}

/**
 * Returns the files, absolute. `output` null: each in its default place. A report that can't be written goes next to the results, so that
 * nothing is paid for again; the UserError says so.
 */
export async function writeEvalReports(
  results: readonly EvalResult[],
  output: string | null,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string[]> {
  refuseSharedReport(results.length, output)
  const machine = await describeMachine(env)
  const write = async (result: EvalResult) => {
    const place = output ?? suiteFormats[result.format]?.reportFolder?.(result.root) ?? result.folder
    try {
      return output === null
        ? await writeFolderReport(result, machine, place)
        : await writeReportFile(result, machine, output)
    } catch (error) {
      const beside = await writeFolderReport(result, machine, result.folder).catch(() => null)
      const fix = beside === null ? `the verdicts are in ${result.folder}/eval.json` : `it is in ${beside} instead`
      throw new UserError(`report in ${place}: ${errorMessage(error)}`, fix)
    }
  }
  return Promise.all(results.map(write))
}

function refuseSharedReport(suites: number, output: string | null): void {
  if (output === null || suites < 2) return
  throw new UserError(`--output ${output}: ${suites} suites, but one report file`, 'pass one suite, or remove --output')
}

async function writeReportFile(result: EvalResult, machine: MachineInfo, output: string): Promise<string> {
  const file = path.resolve(output)
  const name = timestampName(new Date(result.started_at))
  await mkdir(path.dirname(file), { recursive: true })
  await writeAtomic(file, formatEvalReport(result, machine, name))
  return file
}

/** Creating the file reserves its name: runs that start in the same second get -2, -3, … */
async function writeFolderReport(result: EvalResult, machine: MachineInfo, folder: string): Promise<string> {
  const base = timestampName(new Date(result.started_at))
  await mkdir(folder, { recursive: true })
  const name = await createNumbered(base, (name) =>
    writeFile(path.join(folder, `${name}.json`), formatEvalReport(result, machine, name), { flag: 'wx' }),
  )
  return path.join(folder, `${name}.json`)
}

function formatEvalReport(result: EvalResult, machine: MachineInfo, name: string): string {
  const report = checkAs(evalReport, buildEvalReport(result, machine, name), 'report')
  return `${jsonText(report, 2)}\n`
}

async function describeMachine(env: Readonly<Record<string, string | undefined>>): Promise<MachineInfo> {
  return {
    os: process.platform,
    arch: os.machine(),
    whetstone: readOwnPackage().version,
    node: process.versions.node,
    python: await pythonVersion(env.PATH ?? ''),
  }
}

async function pythonVersion(PATH: string): Promise<string | null> {
  using limit = startTimeLimit(5000)
  const spec = { command: 'python3', args: ['--version'], cwd: '/', env: { PATH }, signal: limit.signal }
  const said = await runProcess(spec).catch(() => null)
  return /Python (\S+)/.exec(said?.stdout ?? '')?.[1] ?? null
}
