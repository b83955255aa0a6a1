/** Computes keys: hashes of everything that shapes a run or a plan, and of nothing else. */
import type { HarborTask } from '../../../../schemas/harbor_task.ts'
import type { PlanOptions, RunSpec } from '../../../../schemas/plan.ts'
import type { Environment, InputFile } from '../../../../schemas/suite.ts'
import { canonicalJson, sha256 } from '../../../base/json/json.ts'

/**
 * What shapes a run's result: what the agent gets (files, bundle and skill by content), engine, limits, run number.
 * Leaves out local paths, ids, names, the configuration's label and the criteria. So the same work has the same key
 * in another checkout or under another name.
 */
export function runShape(spec: Omit<RunSpec, 'key'>) {
  const { prompt, setup, skill, absent_skill, engine, max_turns, timeout_seconds, activation, run_number } = spec
  const { files, git, environment, sandbox, harbor, among, stop_at, teardown, collect, attach } = spec
  const { turns, end_when, user, answer_key, user_engine } = spec
  return {
    prompt,
    ...(turns && { turns }),
    ...(end_when && { end_when }),
    ...(user && { user }),
    ...(answer_key && { answer_key }),
    ...(user_engine && { user_engine }),
    files: listContents(files),
    ...(attach && { attach }),
    setup,
    git: gitContent(git),
    ...(environment && { environment: environmentContent(environment) }),
    ...(teardown !== undefined && { teardown }),
    ...(collect && { collect }),
    ...(sandbox && { sandbox }),
    ...(harbor && { harbor: harborContent(harbor) }),
    skill: skill?.sha256 ?? null,
    ...(among && { among: among.map(({ name, sha256: content }) => ({ name, content })) }),
    ...(stop_at && { stop_at }),
    absent_skill,
    engine,
    max_turns,
    timeout_seconds,
    activation,
    run_number,
  }
}

/** A commit is its content, and bundles of one commit may differ from one git version to another. */
function gitContent(git: RunSpec['git']) {
  if (git === null || git === true) return git
  if (git.repo === undefined) return { bundle: git.sha256 }
  const { commit, branch, shallow, origin } = git.repo
  return { commit, branch, ...(shallow && { shallow }), ...(origin && { origin }) }
}

/** Hex sha256 of the shape. */
export function computeRunKey(spec: Omit<RunSpec, 'key'>): string {
  return sha256(canonicalJson(runShape(spec)))
}

/** The task by content: neither its folder nor its skills, which are part of the run. */
function harborContent(task: HarborTask) {
  const { folder: _, skills: __, solution: ___, skill_copies: ____, build_network: _____, ...others } = task
  return others
}

function environmentContent({ files, rules, agents, skills, commands, programs, recordings, ...others }: Environment) {
  return {
    files: listContents(files),
    rules: listContents(rules),
    agents: listContents(agents),
    ...(skills && { skills: listContents(skills) }),
    ...(commands && { commands: listContents(commands) }),
    ...(recordings && {
      recordings: Object.entries(recordings).map(([name, { sha256: content }]) => ({ name, content })),
    }),
    ...(programs && { programs: { ...programs, folder: listContents([programs.folder]) } }),
    ...others,
  }
}

function listContents(files: readonly InputFile[]) {
  return files.map(({ path, kind, sha256: content, executable }) => {
    return { path, kind, content, ...(executable && { executable }) }
  })
}

/** Hex sha256 over each run's id and key, and the options: the same plan id resumes a benchmark. */
export function computePlanId(runs: readonly RunSpec[], options: PlanOptions): string {
  return sha256(canonicalJson({ options, runs: runs.map(({ run_id, key }) => ({ run_id, key })) }))
}
