/** convert: writes a skill's suite of any format as evals.json or as Harbor tasks, and reports what does not carry over. */
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { evalsFile } from '../../../schemas/evals.ts'
import type { Skill, Suite } from '../../../schemas/suite.ts'
import { errnoCode, UserError } from '../../base/errors/error.ts'
import { whyNotWritable } from '../../base/fs/writable.ts'
import { checkAs } from '../../base/json/json.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { readSkill } from '../../phases/1-plan/skill/read_skill.ts'
import { findSuites } from '../../phases/1-plan/suite/find_suites.ts'
import { findSkillRoot } from '../../phases/1-plan/suite/load_suite.ts'
import { isSuiteInput, listSuiteInputs } from '../../phases/1-plan/suite/suite_inputs.ts'
import { toEvalsJson } from './to_evals_json.ts'
import { writeHarborTasks } from './write_harbor.ts'

export interface ConvertRequest {
  /** A suite. */
  path: string
  format: string | null
  /** skill-creator: expectations; agentskills: assertions; harbor: a folder of tasks. */
  to: 'skill-creator' | 'agentskills' | 'harbor'
  /** null: evals/evals.json of the skill; -: no file, the text is returned. For Harbor a folder, missing or empty. */
  output: string | null
  /** Whether to replace an existing file. */
  force: boolean
}

export interface ConvertResult {
  /** Absolute; null: nothing was written. For Harbor the folder. */
  file: string | null
  /** Of evals.json; for Harbor empty. */
  text: string
  skill_name: string
  cases: number
  lost: string[]
}

/** Throws UserError unless there is one suite about one skill, for an existing file, and for a file that the suite reads from. */
export async function convert(request: ConvertRequest): Promise<ConvertResult> {
  const suite = await loadOnlySuite(request)
  const skill = await readOnlySkill(suite)
  return request.to === 'harbor'
    ? await convertToTasks(suite, skill, request.output)
    : await convertToEvals(suite, skill, { ...request, to: request.to })
}

async function loadOnlySuite({ path: place, format }: ConvertRequest): Promise<Suite> {
  const [found, ...more] = await findSuites(place, format)
  if (found === undefined || more.length > 0) {
    const all = [found, ...more].flatMap((one) => one?.place ?? [])
    throw new UserError(`${place}: ${all.length} suites`, `pass one of them: ${all.slice(0, 5).join(', ')}`)
  }
  return await found.load()
}

async function readOnlySkill(suite: Suite): Promise<Skill> {
  const root = suite.root ?? (await findSkillRoot(path.dirname(suite.path)))
  const folders = [
    ...new Set(suite.cases.flatMap(({ skill_path }) => (skill_path === undefined ? root : (skill_path ?? [])))),
  ]
  const [folder] = folders
  if (folder === undefined || folders.length > 1) {
    const targets = [...new Set(suite.cases.flatMap(({ target }) => target ?? []))].join(', ') || 'no skill'
    throw new UserError(`${suite.path}: its cases are about ${targets}`, 'pass a suite about one skill')
  }
  return (await readSkill(folder)).skill
}

async function convertToTasks(suite: Suite, skill: Skill, output: string | null): Promise<ConvertResult> {
  if (output === null || output === '-')
    throw new UserError('--to harbor writes a folder of tasks', 'name a missing or empty folder with -o')
  const folder = path.resolve(output)
  return { file: folder, text: '', skill_name: skill.name, ...(await writeHarborTasks(suite, skill, folder)) }
}

async function convertToEvals(
  suite: Suite,
  skill: Skill,
  { to, output, force }: Pick<ConvertRequest, 'output' | 'force'> & { to: 'skill-creator' | 'agentskills' },
): Promise<ConvertResult> {
  const { file, lost } = toEvalsJson(suite, skill, to === 'agentskills' ? 'assertions' : 'expectations')
  if (file.evals.length === 0) throw new UserError(`${suite.path}: no case is left (${lost.join('; ')})`)
  const text = `${jsonText(to === 'agentskills' ? file : checkAs(evalsFile, file, suite.path), 2)}\n`
  const target = output === '-' ? null : path.resolve(output ?? path.join(skill.path, 'evals/evals.json'))
  if (target !== null) {
    refuseTarget(target, suite, skill.path)
    await writeNew(target, text, force)
  }
  return { file: target, text, skill_name: skill.name, cases: file.evals.length, lost }
}

const otherOutputHint = 'choose another with -o'

function refuseTarget(file: string, suite: Suite, skill: string): void {
  const reason = whyNotWritable({ place: file, kind: 'file' })
  if (reason !== null) throw new UserError(`${file} can't be written: ${reason}`, otherOutputHint)
  if (!existsSync(file) || !isSuiteInput(file, listSuiteInputs(suite, [skill]))) return
  throw new UserError(`${file}: this file belongs to the suite itself, so it is not overwritten`, otherOutputHint)
}

async function writeNew(file: string, text: string, force: boolean): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true })
  try {
    await writeFile(file, text, { flag: force ? 'w' : 'wx' })
  } catch (error) {
    if (errnoCode(error) !== 'EEXIST') throw error
    throw new UserError(`${file}: it already exists`, `${otherOutputHint}, or overwrite it with --force`)
  }
}
