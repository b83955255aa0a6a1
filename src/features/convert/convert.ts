/** convert: writes a skill's suite of any format as evals.json or as Harbor tasks, and reports what does not carry over. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { evalsFile } from '../../../schemas/evals.ts'
import type { InputFile, Skill, Suite, SuiteCase } from '../../../schemas/suite.ts'
import { errnoCode, UserError } from '../../base/errors/error.ts'
import { hashFile, walk } from '../../base/fs/files.ts'
import { isInsideFolder } from '../../base/fs/inside_folder.ts'
import { openScratch } from '../../base/fs/temp_dir.ts'
import { whyNotWritable } from '../../base/fs/writable.ts'
import { checkAs, readText } from '../../base/json/json.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { placeRepos } from '../../flows/repos/place_repos.ts'
import { isHiddenFromAgents, listSkillFiles, readSkill } from '../../phases/1-plan/skill/read_skill.ts'
import { slug } from '../../phases/1-plan/skill/slug.ts'
import { findSuites } from '../../phases/1-plan/suite/find_suites.ts'
import { isSuiteInput, listSuiteInputs } from '../../phases/1-plan/suite/input_files.ts'
import { findSkillRoot } from '../../phases/1-plan/suite/load_suite.ts'
import { checkText } from '../../phases/3-judge/checks/check_text.ts'
import { buildHarborTask, type TaskFile, type TaskInput, type TaskResult } from './harbor/harbor_task.ts'
import { toEvalsJson } from './to_evals_json.ts'

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

interface HarborConversion {
  cases: number
  /** Sentences about what the tasks do not contain, by case. */
  lost: string[]
}

/** Throws UserError for a folder that is not usable, and if no case can be a task. */
async function writeHarborTasks(suite: Suite, skill: Skill, folder: string): Promise<HarborConversion> {
  assertEmptyFolder(folder, skill.path)
  await using scratch = await openScratch()
  const skillFiles = await listSkillParts(skill)
  const lost: string[] = []
  const tasks: { name: string; files: TaskFile[] }[] = []
  for (const one of suite.cases) {
    const built = await buildTask(one, { suite, skill, skillFiles, scratch: scratch.path })
    if ('refusal' in built) {
      lost.push(`case ${one.eval_name} (${built.refusal})`)
      continue
    }
    tasks.push({
      name: nameTask(
        one,
        tasks.map(({ name }) => name),
      ),
      files: built.files,
    })
    if (built.lost.length > 0) lost.push(`${one.eval_name}: ${built.lost.join('; ')}`)
  }
  if (tasks.length === 0) throw new UserError(`${suite.path}: no case is left (${lost.join('; ')})`)
  for (const { name, files } of tasks) await writeTask(path.join(folder, name), files)
  return { cases: tasks.length, lost }
}

const folderHint = 'choose another folder with -o'

function assertEmptyFolder(folder: string, skill: string): void {
  const reason = whyNotWritable({ place: folder, kind: 'folder' })
  if (reason !== null) throw new UserError(`${folder} can't be written: ${reason}`, folderHint)
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new UserError(`${folder}: it is not empty`, folderHint)
  const parent = findExistingFolder(folder)
  if (isInsideFolder(skill, parent) && !isHiddenFromAgents(path.relative(skill, folder)))
    throw new UserError(`${folder}: it is in the skill, so agents would see the solutions`, folderHint)
}

function findExistingFolder(folder: string): string {
  return existsSync(folder) && statSync(folder).isDirectory() ? folder : findExistingFolder(path.dirname(folder))
}

async function listSkillParts(skill: Skill): Promise<{ path: string; source: string }[]> {
  const name = /^\w[\w.-]*$/.test(skill.name) ? skill.name : path.basename(skill.path)
  const { files } = await listSkillFiles(skill.path)
  return files.map((file) => ({ path: `${name}/${file.path}`, source: file.source }))
}

/** Fetches the repository of the case, if it has one, as a run would. */
async function placeRepo(
  one: SuiteCase,
  { suite, skill, scratch }: SuiteParts,
): Promise<{ case: SuiteCase } | { refusal: string }> {
  if (one.repo === undefined) return { case: one }
  try {
    const request = { workspace: scratch, skill: skill.path, wish: null }
    const { cases } = await placeRepos({ path: suite.path, cases: [one] }, request, {
      env: process.env,
      signal: new AbortController().signal, // Ctrl-C ends the program
    })
    return { case: cases[0] ?? one }
  } catch (error) {
    if (error instanceof UserError) return { refusal: error.message }
    throw error
  }
}

interface SuiteParts {
  suite: Suite
  skill: Skill
  skillFiles: readonly { path: string; source: string }[]
  /** A temp folder for what is fetched. */
  scratch: string
}

async function buildTask(one: SuiteCase, parts: SuiteParts): Promise<TaskResult> {
  const { suite, skill, skillFiles } = parts
  if (one.target !== undefined && one.target !== `skill:${skill.name}`) return { refusal: `it is about ${one.target}` }
  if (one.cannot_run !== null) return { refusal: `it can't run: ${one.cannot_run}` }
  const further = await findInputs(one.environment?.skills ?? [])
  const start = await placeRepo(one, parts)
  if ('refusal' in start) return start
  return buildHarborTask({
    case: start.case,
    suite,
    skill_name: skill.name,
    inputs: await findInputs(one.files),
    grading: await findInputs(one.grading_files ?? []),
    programs: await readPrograms(one),
    skills: [...skillFiles, ...further],
    sentence: checkText,
  })
}

/** The Python programs of script checks, by their paths in the suite. */
async function readPrograms({ checks, grading_files = [] }: SuiteCase): Promise<Map<string, string>> {
  const programs = new Map<string, string>()
  for (const check of checks) {
    if (check.type !== 'script' || !check.script.endsWith('.py')) continue
    const file = grading_files.find(({ path: place }) => place === check.script)
    if (file !== undefined) programs.set(check.script, await readText(file.source))
  }
  return programs
}

/** The files, and those of the folders. */
async function findInputs(inputs: readonly InputFile[]): Promise<TaskInput[]> {
  const found: TaskInput[] = []
  for (const { path: place, source, kind } of inputs) {
    if (kind === 'file') found.push({ path: place, source, sha256: await hashFile(source) })
    else {
      const { files } = await walk(source)
      for (const file of files)
        found.push({ path: `${place}/${file.path}`, source: file.source, sha256: await hashFile(file.source) })
    }
  }
  return found
}

/** The slug of the case's name; a number tells cases of the same name apart. */
function nameTask({ eval_id, eval_name }: SuiteCase, taken: readonly string[]): string {
  const name = slug(eval_name) || `case-${eval_id}`
  for (let number = 1; ; number += 1) {
    const wanted = number === 1 ? name : `${name}-${number}`
    if (!taken.includes(wanted)) return wanted
  }
}

async function writeTask(folder: string, files: readonly TaskFile[]): Promise<void> {
  for (const file of files) {
    const target = path.join(folder, file.path)
    await mkdir(path.dirname(target), { recursive: true })
    if ('source' in file) await copyFile(file.source, target)
    else await writeFile(target, file.text, { mode: file.executable === true ? 0o755 : 0o644 })
  }
}
