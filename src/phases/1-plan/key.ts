/** Keys: hashes of everything that shapes a run or a plan, and of nothing else. */
import { createHash } from 'node:crypto'
import type { PlanOptions, RunSpec } from '../../../schemas/plan.ts'
import type { Environment, InputFile } from '../../../schemas/suite.ts'
import { canonicalJson, sha256 } from '../../base/json.ts'

/**
 * What shapes a run's result: what the agent gets (files, bundle and skill by content), engine, limits, run number. Paths of this
 * machine, ids, names, the configuration's label and the criteria are not in it, so that the same work under another name or in
 * another checkout is the same.
 */
export function runShape(spec: Omit<RunSpec, 'key'>) {
  const { prompt, setup, skill, absent_skill, engine, max_turns, timeout_seconds, activation, run_number } = spec
  const { files, git, environment, sandbox, among, stop_at } = spec
  return {
    prompt,
    files: contentOf(files),
    setup,
    git: git === null || git === true ? git : { bundle: git.sha256 },
    ...(environment && { environment: environmentContent(environment) }),
    ...(sandbox && { sandbox }),
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

/** Hex sha256 of the shape. */
export function runKey(spec: Omit<RunSpec, 'key'>): string {
  return sha256(canonicalJson(runShape(spec)))
}

/**
 * The spec, given its key in place. (What a spread copies has a hidden class of its own in V8, which costs a run 0.7 KB more, and
 * a plan of 100,000 runs 70 MB.)
 */
export function keyed(spec: RunSpec): RunSpec {
  spec.key = runKey(spec)
  return spec
}

function environmentContent({ files, rules, agents, skills, commands, ...others }: Environment) {
  return {
    files: contentOf(files),
    rules: contentOf(rules),
    agents: contentOf(agents),
    ...(skills && { skills: contentOf(skills) }),
    ...(commands && { commands: contentOf(commands) }),
    ...others,
  }
}

function contentOf(files: readonly InputFile[]) {
  return files.map(({ path, kind, sha256: content, executable }) => {
    return { path, kind, content, ...(executable && { executable }) }
  })
}

/** Hex sha256 over where each run goes and its key, and the options: the same again is a resume. */
export function planId(runs: readonly RunSpec[], options: PlanOptions): string {
  // of the canonical JSON of { options, runs }, piece by piece: of very many runs it is long
  const hash = createHash('sha256').update(`{"options":${canonicalJson(options)},"runs":[`)
  for (const [at, { run_id, key }] of runs.entries())
    hash.update(`${at === 0 ? '' : ','}${canonicalJson({ run_id, key })}`)
  return hash.update(']}').digest('hex')
}
