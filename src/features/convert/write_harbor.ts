/** convert --to harbor: writes a suite about a skill as a folder of Harbor tasks, a folder per case. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { InputFile, Skill, Suite, SuiteCase } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { hashFile, walk } from '../../base/fs/files.ts'
import { isInsideFolder } from '../../base/fs/inside_folder.ts'
import { openScratch } from '../../base/fs/temp_dir.ts'
import { whyNotWritable } from '../../base/fs/writable.ts'
import { readText } from '../../base/json/json.ts'
import { placeRepos } from '../../flows/repos/place_repos.ts'
import { isHiddenFromAgents, listSkillFiles } from '../../phases/1-plan/skill/read_skill.ts'
import { slug } from '../../phases/1-plan/skill/slug.ts'
import { checkText } from '../../phases/3-judge/checks/check_text.ts'
import { buildHarborTask, type TaskFile, type TaskInput, type TaskResult } from './harbor/harbor_task.ts'

export interface HarborConversion {
  cases: number
  /** Sentences about what the tasks do not contain, by case. */
  lost: string[]
}

/** Throws UserError for a folder that is not usable, and if no case can be a task. */
export async function writeHarborTasks(suite: Suite, skill: Skill, folder: string): Promise<HarborConversion> {
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
