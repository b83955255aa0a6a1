/** Lists the commands of a suite and its skills before they start, for runs or for grading alone; without a sandbox the user must agree first. */
import type { Plan } from '../../../schemas/plan.ts'
import type { Skill, Suite, SuiteCase } from '../../../schemas/suite.ts'
import type { SuiteCommand } from '../../../schemas/suite_command.ts'
import { UserError } from '../../base/errors/error.ts'
import { chooseSandbox, noSandboxWish, type SandboxChoice, type SandboxWish } from '../../base/sandbox/choose.ts'
import { listSkillFiles } from '../../phases/1-plan/skill/read_skill.ts'
import {
  type LoadedSkills,
  noSkills,
  readEnvironmentCommands,
  readSkillCommands,
  type SkillCommand,
} from '../../phases/1-plan/skill/skill_commands.ts'
import { assertNoOpenNetwork } from '../../phases/1-plan/suite/open_network.ts'
import {
  type CommandSource,
  commandHashes,
  listCommands,
  type SkillsOf,
} from '../../phases/1-plan/suite/suite_commands.ts'
import { checkStartsProcesses } from '../../phases/3-judge/checks/inputs/working_folder.ts'
import { isTrusted, rememberTrust } from '../../store/cache/trusted_suites.ts'
import type { FlowContext } from '../flow_context.ts'

/** What a suite would start, and whether the user must agree first. */
export interface CommandReview {
  /** The suite's file, absolute. */
  file: string
  commands: SuiteCommand[]
  /** Hashes of everything that decides what the commands do. */
  hashes: string[]
  confinement: Confinement
}

interface Confinement {
  sandbox: Pick<SandboxChoice, 'mechanism' | 'reason'>
  trusted: boolean
}

/**
 * Reviews the commands of the cases that will run. `folders`: each skill version's folder, by its sha256. Skills are read
 * there and not from the plan, which somebody else may have written.
 */
export async function reviewPlan(
  plan: Plan,
  folders: ReadonlyMap<string, string>,
  confinement: Confinement,
): Promise<CommandReview> {
  const versions = new Map<string, SkillCommand[]>()
  const loaded = new Map<number, { hashes: Set<string>; commands: SkillCommand[] }>()
  const environments = new Map(plan.cases.map((one) => [one.eval_id, one.environment]))
  // the one with a plugin has all of the case's environment too
  for (const { eval_id, environment } of plan.runs) if (environment?.plugin) environments.set(eval_id, environment)
  for (const { eval_id, skill, among = [] } of plan.runs) {
    const known = loaded.get(eval_id) ?? {
      hashes: new Set<string>(),
      commands: await readEnvironmentCommands(environments.get(eval_id)),
    }
    loaded.set(eval_id, known)
    for (const one of [skill, ...among]) {
      if (one === null || known.hashes.has(one.sha256)) continue
      const commands = versions.get(one.sha256) ?? (await readFolderCommands(folders.get(one.sha256), one.name))
      versions.set(one.sha256, commands)
      known.hashes.add(one.sha256)
      known.commands.push(...commands)
    }
  }
  const cases = plan.cases.flatMap((one) => {
    const environment = environments.get(one.eval_id)
    return loaded.has(one.eval_id) ? [{ ...one, ...(environment && { environment }) }] : []
  })
  const skillsOf = ({ eval_id }: CommandSource): LoadedSkills => {
    const { hashes = [], commands = [] } = loaded.get(eval_id) ?? {}
    return { hashes: [...hashes], commands }
  }
  return reviewCases(plan.suite.path, cases, { skillsOf, confinement })
}

/** What a skill's folder starts; undefined: it is not on this machine, so no run gets it. */
export async function readFolderCommands(folder: string | undefined, name: string): Promise<SkillCommand[]> {
  return folder === undefined ? [] : await readSkillCommands((await listSkillFiles(folder)).files, name)
}

export function reviewCases(
  file: string,
  cases: readonly CommandSource[],
  { skillsOf = () => noSkills, confinement }: { skillsOf?: SkillsOf; confinement: Confinement },
): CommandReview {
  return { file, commands: listCommands(cases, skillsOf), hashes: commandHashes(cases, skillsOf), confinement }
}

export function resolveConfinement(
  sandbox: Confinement['sandbox'],
  wish: Pick<SandboxWish, 'trusted'> | null | undefined,
): Confinement {
  return { sandbox, trusted: wish?.trusted === true }
}

/** Emits the list, and asks if consent is needed. Throws UserError unless the commands may start. */
export async function authorizeCommands(review: CommandReview, context: FlowContext): Promise<void> {
  const { file, commands, hashes, confinement } = review
  if (commands.length === 0) return
  context.emit({ type: 'suite_commands', suite: file, confined: isConfined(confinement), commands })
  if (!needsYes(review, context)) return
  if (context.confirm === undefined) throw unauthorizedError(review)
  const question = `These commands of ${commandOwner(commands)} run as you, without a sandbox. Start them?`
  if (!(await context.confirm(question))) {
    throw new UserError(`${file}: refusing to run its commands`, unauthorizedError(review).fix)
  }
  rememberTrust(hashes, context.env)
}

/** For --dry-run: throws UserError if consent is needed and cannot be asked for; emits nothing. */
export function refuseUnauthorized(review: CommandReview, context: FlowContext): void {
  if (needsYes(review, context) && context.confirm === undefined) throw unauthorizedError(review)
}

function isConfined({ sandbox }: Confinement): boolean {
  return sandbox.mechanism !== 'none'
}

function needsYes({ commands, hashes, confinement }: CommandReview, { env }: Pick<FlowContext, 'env'>): boolean {
  if (commands.length === 0 || confinement.trusted || isConfined(confinement)) return false
  return !isTrusted(hashes, env)
}

function unauthorizedError({ file, commands, confinement }: CommandReview): UserError {
  const many = commands.length === 1 ? 'a command' : `${commands.length} commands`
  return new UserError(
    `${file}: ${many} of ${commandOwner(commands)} would run as you, without a sandbox (${confinement.sandbox.reason})`,
    'read the list and add --trust-suite, or install bubblewrap (check it with whetstone doctor)',
  )
}

/** "the suite", "the skill" or "the suite and the skill". */
export function commandOwner(commands: readonly SuiteCommand[]): string {
  const bySkill = commands.filter(({ source }) => source !== undefined).length
  if (bySkill === 0) return 'the suite'
  return bySkill === commands.length ? 'the skill' : 'the suite and the skill'
}

interface GradingStart {
  plan: Plan
  /** Ids of the cases to grade. */
  wanted: ReadonlySet<number>
  sandbox: SandboxChoice
  wish: SandboxWish | null
}

/** Throws UserError unless the commands may start. */
export async function authorizeGrading(
  { plan, wanted, sandbox, wish }: GradingStart,
  context: FlowContext,
): Promise<void> {
  const cases = plan.cases.filter(({ eval_id }) => wanted.has(eval_id)).map(gradedPart)
  const confinement = resolveConfinement(sandbox, wish)
  const review = reviewCases(plan.suite.path, cases, { confinement })
  if (review.commands.length > 0) assertNoOpenNetwork(plan.suite.path, plan.runs[0]?.sandbox, wish)
  await authorizeCommands(review, context)
}

function gradedPart(one: SuiteCase): CommandSource {
  const isRebuilt = one.checks.some((check) => checkStartsProcesses(check, one))
  return { ...one, setup: isRebuilt ? one.setup : null, withoutAgent: true }
}

/** Of all cases that can run. One consent covers all versions of the skill in a session. */
export async function reviewSkillCommands(
  { suite, skill, wish }: { suite: Suite; skill: Skill; wish: SandboxWish | null | undefined },
  context: FlowContext,
): Promise<CommandReview> {
  const asked = wish ?? noSandboxWish
  const cases = suite.cases.filter(({ cannot_run }) => cannot_run === null)
  const confinement = resolveConfinement(await chooseSandbox(asked, context.env.PATH ?? ''), asked)
  const loaded = { hashes: [skill.sha256], commands: await readFolderCommands(skill.path, skill.name) }
  return await reviewCases(suite.path, cases, { skillsOf: () => loaded, confinement })
}
