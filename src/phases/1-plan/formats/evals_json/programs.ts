/** Finds the programs that a suite brings in evals/bin: executables, and recorded answers in YAML or JSON. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Check } from '../../../../../schemas/check.ts'
import { type ProgramAnswer, programAnswers, programName } from '../../../../../schemas/program.ts'
import type { SuitePrograms } from '../../../../../schemas/suite.ts'
import { errorMessage } from '../../../../base/errors/error.ts'
import { isExecutable, pathExists, type WalkedFile, walk } from '../../../../base/fs/files.ts'
import { checkAs } from '../../../../base/json/json.ts'
import { suggestChoice } from '../../../../base/text/did_you_mean.ts'
import { readYaml } from '../../../../base/text/yaml.ts'
import { listEngines } from '../../../../engines/table.ts'
import { type InputPlace, placeInputs } from '../../suite/input_files.ts'
import type { SuiteMistake } from '../../suite/inspected_suite.ts'

const place = 'evals/bin'

/** With this name an agent program or the sandbox itself would start the suite's file. */
function isReserved(name: string): boolean {
  const agents = listEngines().map(({ cli }) => cli?.name)
  return ['sh', 'bash', 'env', 'node', 'bwrap', ...agents].includes(name)
}

export interface FoundPrograms {
  programs: SuitePrograms | null
  mistakes: SuiteMistake[]
}

/** Files directly in the folder are programs if they are executable, or recorded answers; all others are their data. */
export async function findPrograms(from: InputPlace): Promise<FoundPrograms> {
  const root = path.join(from.root, place)
  if (!(await pathExists(root))) return { programs: null, mistakes: [] }
  const { files: placed, reasons } = await placeInputs([{ path: place, at: '$' }], from)
  const [folder] = placed
  if (folder?.kind !== 'directory')
    return { programs: null, mistakes: reasons.map((message) => ({ at: '$', message })) }
  const { files } = await walk(root)
  const executables: string[] = []
  const answers: Record<string, ProgramAnswer[]> = {}
  const mistakes: SuiteMistake[] = []
  for (const file of files.filter((one) => !one.path.includes('/'))) {
    const kind = isExecutable(file.source) ? 'executable' : await inactiveKind(file)
    if (kind === 'data') continue
    if (kind === 'script') {
      from.warn(
        '$',
        `${place}/${file.path} is not executable, so it is not used as a program; make it executable with chmod +x`,
      )
      continue
    }
    const name = kind === 'executable' ? file.path : path.parse(file.path).name
    const mistake = nameMistake(name, [...executables, ...Object.keys(answers)])
    const read = kind === 'answers' && mistake === null ? await readAnswers(file, files) : { answers: [] }
    if (mistake !== null || 'mistake' in read)
      mistakes.push({
        at: '$',
        message: `${place}/${file.path}: ${mistake ?? ('mistake' in read ? read.mistake : '')}`,
      })
    else if (kind === 'executable') executables.push(name)
    else answers[name] = read.answers
  }
  const isEmpty = executables.length + Object.keys(answers).length === 0
  return { programs: isEmpty ? null : { folder, executables, answers }, mistakes }
}

/** Checks of calls that no run could record: the suite does not bring the program. */
export function findUnknownPrograms(
  cases: readonly { at: string; checks: readonly Check[] | undefined }[],
  programs: SuitePrograms | null,
): SuiteMistake[] {
  const known = programs === null ? [] : [...programs.executables, ...Object.keys(programs.answers)]
  return cases.flatMap(({ at, checks = [] }) =>
    checks.flatMap((one) => {
      if (one.type !== 'program_called' || known.includes(one.program)) return []
      const instead = known.length === 0 ? `that folder has no programs` : suggestChoice(one.program, known)
      return [{ at: `${at}.checks`, message: `program_called: no program "${one.program}" in ${place}; ${instead}` }]
    }),
  )
}

async function inactiveKind(file: WalkedFile): Promise<'answers' | 'script' | 'data'> {
  if (/\.(?:ya?ml|json)$/.test(file.path)) return 'answers'
  return (await readFile(file.source)).subarray(0, 2).toString('latin1') === '#!' ? 'script' : 'data'
}

function nameMistake(name: string, taken: readonly string[]): string | null {
  if (!programName.safeParse(name).success) return `"${name}" is not a name of letters, digits, _, ., + and -`
  if (isReserved(name)) return `"${name}" starts agents or the sandbox, so no suite can replace it`
  return taken.includes(name) ? `another file is already the program "${name}"` : null
}

async function readAnswers(
  file: WalkedFile,
  files: readonly WalkedFile[],
): Promise<{ answers: ProgramAnswer[] } | { mistake: string }> {
  const yaml = readYaml(await readFile(file.source, 'utf8'))
  if (!yaml.ok) return { mistake: `line ${yaml.at.line}: ${yaml.message}` }
  try {
    const answers = checkAs(programAnswers, yaml.value, 'recorded answers')
    const both = answers.find((one) => one.stdout !== undefined && one.stdout_file !== undefined)
    if (both !== undefined) return { mistake: `"${both.args}" has both stdout and stdout_file` }
    const lost = answers.find(({ stdout_file: wanted }) => wanted && !files.some((one) => one.path === wanted))
    if (lost !== undefined) return { mistake: `stdout_file ${lost.stdout_file} is not in ${place}` }
    return { answers }
  } catch (error) {
    return { mistake: errorMessage(error) }
  }
}
