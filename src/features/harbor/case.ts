/** Reads one Harbor task as a case: its instruction is the prompt, the reward of its verifier the only thing that counts. */
import path from 'node:path'
import { glob } from 'tinyglobby'
import type { HarborStep, HarborTask } from '../../../schemas/harbor_task.ts'
import type { SuiteCase } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { hashWalk, listEntries, pathExists, walk } from '../../base/fs/files.ts'
import { findOwnFile, isInsideFolder } from '../../base/fs/inside_folder.ts'
import { readText, sha256 } from '../../base/json/json.ts'
import { findSystemPart } from '../../base/sandbox/system.ts'
import { suiteVariables } from '../../base/secrets/suite_variables.ts'
import { listSkillFiles, readSkill } from '../../phases/1-plan/skill/read_skill.ts'
import { blankCase } from '../../phases/1-plan/suite/inspected_suite.ts'
import type { Warn } from '../../phases/1-plan/suite/loader_warnings.ts'
import { type HarborSettings, parseHarborSettings, splitVariables } from './task_toml.ts'

/** Reads the task in `folder`, named `key` in its suite. What keeps it from running is in `cannot_run`. */
export async function readHarborCase(folder: string, key: string, warn: Warn): Promise<Omit<SuiteCase, 'eval_id'>> {
  const blank = { ...blankCase, eval_key: key, eval_name: path.basename(folder) }
  const file = findOwnFile(folder, 'task.toml')
  if (file === null) return { ...blank, cannot_run: 'task.toml is not a file of the task' }
  const read = parseHarborSettings(await readText(file))
  if ('mistake' in read) return { ...blank, cannot_run: `task.toml: ${read.mistake}` }
  const { settings, unread } = read
  const { metadata, version, schema_version, task, source } = settings
  const notes = { ...metadata, ...dropAbsent({ version, schema_version, task, source }) }
  for (const name of unread) warn(key, `${name} of task.toml is not read`)
  const instruction = findOwnFile(folder, 'instruction.md')
  const prompt = instruction === null ? '' : await readText(instruction)
  const missing = findMissingPart(folder, prompt)
  if (missing !== null) return { ...blank, cannot_run: missing }
  return {
    ...blank,
    prompt,
    checks: [{ type: 'verifier', reward: true }],
    timeout_seconds: settings.agent.timeout_sec,
    ...(settings.metadata.category && { category: settings.metadata.category }),
    ...(Object.keys(notes).length > 0 && { metadata: notes }),
    harbor: await readHarborTask({ folder, key, prompt, settings }, warn),
  }
}

function dropAbsent(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** A link out of the task counts as missing: a task may read nothing else of this machine. */
function findMissingPart(folder: string, prompt: string): string | null {
  if (prompt.trim() === '') return 'it has no instruction.md, or an empty one'
  if (findOwnFile(folder, 'tests/test.sh') === null) return 'it has no tests/test.sh'
  if (findOwnFile(folder, 'environment/Dockerfile') === null) return 'it has no environment/Dockerfile'
  return null
}

interface TaskSource {
  folder: string
  key: string
  prompt: string
  settings: HarborSettings
}

async function readHarborTask({ folder, key, prompt, settings }: TaskSource, warn: Warn): Promise<HarborTask> {
  const dockerfile = await readText(path.join(folder, 'environment/Dockerfile'))
  const { isImageName, readDockerfile } = await import('./dockerfile.ts') // few suites need its parser
  const world = readDockerfile(dockerfile)
  const environment = path.join(folder, 'environment')
  const placed = await placeCopies(environment, world.steps)
  const own = readVariables(settings, key, warn)
  const env = { ...world.env, ...own.environment }
  const refused = suiteVariables({ ...env, ...own.verifier, ...own.solution }, 'world').refused.filter(
    (name) => !/^(PYTHON)?PATH$/.test(name),
  )
  for (const name of refused) warn(key, `the variable ${name} is left out: each run has its own value`)
  const targets = placed.steps.flatMap((step) => (step.kind === 'copy' ? [step.to] : [step.workdir]))
  const places = findHarborPlaces([dockerfile, prompt], [world.workdir, ...targets])
  const outside = [world.workdir, ...targets].find((place) => place !== '/' && !isInPlaces(place, places))
  const outsideReason = outside === undefined ? null : `it writes to ${outside}, which belongs to the system`
  const { cpus, memory_mb, docker_image: image = null, build_timeout_sec } = settings.environment
  const named = image === null || isImageName(image) ? null : `docker_image is not the name of an image: ${image}`
  const unsupported = named ?? world.wrongImage ?? (await findCompose(folder))
  return {
    folder,
    sha256: await hashTask(folder),
    workdir: world.workdir === '/' ? '/root' : world.workdir,
    env,
    set_env: own.environment,
    places,
    steps: placed.steps,
    ...(world.network !== null && { build_network: `${world.network}; --network setup allows it` }),
    ...(unsupported !== null && { unsupported }),
    not_plain: world.notPlain ?? placed.missing ?? outsideReason,
    image,
    build_seconds: build_timeout_sec,
    verifier: {
      seconds: settings.verifier.timeout_sec,
      env: own.verifier,
      expects_tests: (await readText(path.join(folder, 'tests/test.sh'))).includes('ctrf'),
    },
    solution:
      findOwnFile(folder, 'solution/solve.sh') === null
        ? null
        : { env: own.solution, sha256: await hashWalk((await walk(path.join(folder, 'solution'))).files) },
    limits: { ...(cpus && { cpus }), ...(memory_mb && { memory_mb }) },
    skill_copies: world.skillCopies.filter(({ to }) => isInPlaces(to, places)),
    skills: await readTaskSkills(folder, key, warn),
  }
}

/** Values that a task takes from the user's environment are left out: only the user may pass those on. */
function readVariables(settings: HarborSettings, key: string, warn: Warn) {
  const read = (part: string, env: Record<string, string>) => {
    const { literal, fromUser } = splitVariables(env)
    for (const name of fromUser) warn(key, `${part}.env.${name} comes from your environment, which a task does not get`)
    return literal
  }
  return {
    environment: read('environment', settings.environment.env),
    verifier: read('verifier', settings.verifier.env),
    solution: read('solution', settings.solution.env),
  }
}

/** Copies with each source resolved: a glob becomes its files, and a folder or file gets its own target. */
async function placeCopies(
  environment: string,
  all: readonly HarborStep[],
): Promise<{ steps: HarborStep[]; missing: string | null }> {
  const steps: HarborStep[] = []
  let missing: string | null = null
  for (const step of all) {
    if (step.kind === 'run') {
      steps.push(step)
      continue
    }
    const sources = await findSources(environment, step.from)
    const outside = sources.find((source) => !isInsideFolder(environment, path.join(environment, source)))
    if (outside !== undefined) missing ??= `${outside} leads out of environment/`
    if (sources.length === 0) missing ??= `environment/${step.from} is missing`
    for (const from of sources) {
      const isFolder = listEntries(path.join(environment, from)).length > 0
      const inFolder = step.to.endsWith('/') && !isFolder
      steps.push({
        ...step,
        from,
        to: inFolder ? `${step.to}${path.basename(from)}` : step.to.replace(/(?<=.)\/$/, ''),
      })
    }
  }
  return { steps, missing }
}

async function findSources(environment: string, from: string): Promise<string[]> {
  if (await pathExists(path.join(environment, from))) return [from]
  if (!/[*?[]/.test(from)) return []
  return (await glob(from, { cwd: environment, onlyFiles: false, expandDirectories: false, dot: true })).sort()
}

async function findCompose(folder: string): Promise<string | null> {
  for (const name of ['docker-compose.yaml', 'docker-compose.yml'])
    if (await pathExists(path.join(folder, 'environment', name))) return `it needs several services (${name})`
  return null
}

/** Skills are versions of their own; solution/ shapes no run. */
async function hashTask(folder: string): Promise<string> {
  const skip = (name: string) => name === 'skills'
  const environment = await walk(path.join(folder, 'environment'), { skip })
  const tests = await walk(path.join(folder, 'tests'))
  return sha256(`${await hashWalk(environment.files)} ${await hashWalk(tests.files)}`)
}

/** The skills of environment/skills. One whose SKILL.md is invalid keeps its folder's name, because agents get it too. */
async function readTaskSkills(folder: string, key: string, warn: Warn): Promise<HarborTask['skills']> {
  const root = path.join(folder, 'environment/skills')
  const skills: HarborTask['skills'] = []
  if (!isInsideFolder(folder, root)) return skills
  for (const { name } of listEntries(root).filter((entry) => entry.isDirectory())) {
    const at = path.join(root, name)
    if (!(await pathExists(path.join(at, 'SKILL.md')))) continue
    try {
      skills.push((await readSkill(at)).skill)
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      warn(key, `skill ${name}: ${error.message}`)
      skills.push({ name, description: '', path: at, sha256: await hashWalk((await listSkillFiles(at)).files) })
    }
  }
  return skills.sort((a, b) => (a.name < b.name ? -1 : 1))
}

const usualPlaces = [
  '/app',
  '/root',
  '/workspace',
  '/data',
  '/home',
  '/opt',
  '/srv',
  '/mnt',
  '/output',
  '/outputs',
  '/logs',
  '/etc/apt',
  '/etc/claude-code',
]

/** Shown from this machine, or prepared by the sandbox itself. */
const systemFolders = new Set(
  'usr bin sbin lib lib32 lib64 libx32 etc proc sys dev run tmp nix gnu tests solution'.split(' '),
)

/** `texts`: the Dockerfile and the instruction, which name further folders. Sorted, each once. Pure. */
export function findHarborPlaces(texts: readonly string[], paths: readonly string[]): string[] {
  const named = texts.flatMap((text) =>
    [...text.matchAll(/(?<![\w./:~-])\/[a-z][\w-]*(?:\/[\w-]+)?/g)].map(([one]) => one),
  )
  const found = [...usualPlaces, ...[...named, ...paths].flatMap(topFolder), ...paths.flatMap(settingsFolder)]
  return [...new Set(found)].sort()
}

/** The folder to bind for a path: its first part; below /var its second, because /var itself belongs to the system. */
function topFolder(place: string): string[] {
  const [first = '', second = ''] = path.posix.normalize(place).split('/').filter(Boolean)
  if (first === '' || systemFolders.has(first)) return []
  if (first !== 'var') return [`/${first}`]
  return second === '' || second === 'tmp' || second === 'run' ? [] : [`/var/${second}`]
}

/** The folder to bind for a file further down in /etc, unless it is one of this machine's settings. */
function settingsFolder(place: string): string[] {
  const [first, second, ...others] = path.posix.normalize(place).split('/').filter(Boolean)
  const folder = `/etc/${second}`
  return first === 'etc' && others.length > 0 && findSystemPart(folder) === null ? [folder] : []
}

/** Whether a path of the world is inside one of its places. */
function isInPlaces(place: string, places: readonly string[]): boolean {
  return (
    place === '/tmp' || place.startsWith('/tmp/') || places.some((top) => place === top || place.startsWith(`${top}/`))
  )
}
