/** Prepares Harbor tasks for bench and eval: where their worlds can run, and which skills their runs get. */
import path from 'node:path'
import type { HarborTask } from '../../../schemas/harbor_task.ts'
import type { LoadWarning, Skill, Suite, SuiteCase } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { canonicalJson, readText, sha256 } from '../../base/json/json.ts'
import { findHarbor, inspectHarbor } from '../../phases/1-plan/formats/harbor.ts'
import { slug } from '../../phases/1-plan/skill/slug.ts'
import { type BackendRequest, chooseBackend } from './harbor_backend.ts'

/** A stand-in for the skills of all tasks in a folder, by which the benchmark is named; null: the folder has no task. */
export async function readTaskSubject(folder: string): Promise<Skill | null> {
  const place = await findHarbor(folder)
  if (place === null) return null
  const { cases } = (await inspectHarbor(place)).suite
  const skills = listTaskSkills(cases).map((skill) => [skill.name, skill.sha256])
  return {
    name: slug(path.basename(folder)) || 'tasks',
    description: 'the skills of Harbor tasks',
    path: folder,
    sha256: sha256(canonicalJson(skills)),
  }
}

/** Every skill that a task brings. */
export function listTaskSkills(cases: readonly SuiteCase[]): HarborTask['skills'] {
  return cases.flatMap(({ harbor }) => harbor?.skills ?? [])
}

interface TaskUse {
  /** Whether runs get a skill that the user named instead of the tasks' own. */
  otherSkill: boolean
  /** Whether runs with and without the skill are compared. */
  compares: boolean
  /** Whether other machines execute the runs; absent: no. */
  isRemote?: boolean
}

/** Chooses a backend and marks the tasks that can't run there. Other suites stay as they are. Throws UserError. */
export async function placeTasks(
  suite: Suite,
  { otherSkill, compares, isRemote }: TaskUse,
  wish: BackendRequest,
): Promise<{ suite: Suite; choices: string[] }> {
  if (!suite.cases.some(({ harbor }) => harbor !== undefined)) return { suite, choices: [] }
  if (isRemote) throw new UserError(`${suite.path}: Harbor tasks do not run through a queue yet`, 'leave out --queue')
  const { backend, reason: choice } = await chooseBackend(suite.path, wish)
  const cases = suite.cases.map((one) => {
    if (one.harbor === undefined) return one
    const skills = otherSkill ? [] : one.harbor.skills
    const isSame = compares && !otherSkill && skills.length === 0
    const noSkill = isSame ? 'it brings no skill, so there is nothing to compare; whetstone eval runs it' : null
    const reason = noSkill ?? one.harbor.unsupported ?? (backend === 'plain' ? one.harbor.not_plain : null)
    return { ...one, harbor: { ...one.harbor, backend, skills }, cannot_run: one.cannot_run ?? reason }
  })
  const isClosed = backend !== 'plain' && wish.sandbox?.network !== 'open'
  const warnings = [...suite.warnings, ...(isClosed ? await warnOfInstallers(suite) : [])]
  return { suite: { ...suite, cases, warnings }, choices: [choice] }
}

const installer = /^\s*(?:sudo\s+)?(?:apt-get|apt|apk|curl|wget|pip3?|uvx?|npm)\s/m

/** In a container without a network, tests can't install what they need. */
async function warnOfInstallers({ path: file, cases }: Suite): Promise<LoadWarning[]> {
  const found: string[] = []
  for (const { eval_id, harbor } of cases) {
    if (harbor === undefined) continue
    const script = await readText(path.join(harbor.folder, 'tests/test.sh')).catch(() => '')
    if (installer.test(script)) found.push(String(eval_id))
  }
  if (found.length === 0) return []
  const message =
    'tests/test.sh installs packages, which a container without a network can not (--network open allows it)'
  return [{ file, at: `case ${found.join(', ')}`, message }]
}
