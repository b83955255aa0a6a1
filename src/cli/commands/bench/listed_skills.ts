/** Lists the skills that `bench` starts with (those named, or with --changed those of them that a branch touches), and reads their settings. */
import path from 'node:path'
import type { ArgumentsCamelCase, Argv } from 'yargs'
import { UserError } from '../../../base/errors/error.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import { type ConfiguredArguments, configureCommand } from '../../config/configure.ts'
import { locateSkillConfig } from '../../config/configured_command.ts'
import { exitCodes } from '../../exit_codes.ts'
import { toSafeLine } from '../../terminal/style.ts'
import type { Flag } from '../options/flag.ts'
import { withFlow } from '../options/run_flow.ts'
import { benchFlags } from './options.ts'

interface NamedSkills {
  skill: readonly string[]
  suite?: string | undefined
  changed?: string | undefined
  json: boolean
  printConfig: boolean
  wholePlugin: boolean
}

interface BenchedSkills {
  skills: string[]
  /** Asked for, or a plugin was named: its skills are measured alone and with all of it. */
  wholePlugin: boolean
}

/** The skills to benchmark; empty: --changed found none. Reports skipped ones. */
export async function listBenchedSkills(asked: NamedSkills): Promise<BenchedSkills> {
  const { suite, changed, json, printConfig } = asked
  const { expandSkillFolders, resolveSkills } = await import('../../../flows/prepare/resolve_skills.ts')
  const { loadOtherSkills } = await import('../../../flows/other_skills.ts')
  const plugins = await (await loadOtherSkills()).expandPlugins(asked.skill, suite)
  const wholePlugin = asked.wholePlugin || plugins.hasPlugin
  const named = changed === undefined ? plugins.places : await expandSkillFolders(plugins.places)
  const resolved = await resolveSkills(named)
  const { skills } = resolved
  const passedOver = [...plugins.passedOver, ...resolved.passedOver]
  if (printConfig || (passedOver.length === 0 && changed === undefined)) return { skills, wholePlugin }
  const { selectChanged } = await import('../../../flows/changes/find_changes.ts')
  const { result } = await withFlow({ json, concurrency: 1 }, async (context) => {
    for (const one of passedOver) context.emit({ type: 'place_passed_over', ...one })
    if (changed === undefined) return skills
    const { resolveSkillFolder } = await import('../../../flows/prepare/prepare_bench.ts')
    const listFolders = async (place: string) => {
      const folder = await resolveSkillFolder(path.resolve(place))
      return [folder, ...(suite === undefined ? [] : [path.resolve(suite)])]
    }
    return await selectChanged(skills, { ref: changed, noun: 'skill', listFolders }, context)
  })
  return { skills: result, wholePlugin }
}

/**
 * Ends with 0 where a pipeline may leave nothing to do. `codes`: of errors that are no mistake there, such as a skill that agents get
 * unchanged because only its suite changed.
 */
export async function allowNothing(
  work: () => Promise<number>,
  codes: readonly string[],
  json: boolean,
): Promise<number> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof UserError) || !codes.some((code) => code === error.code)) throw error
    return sayNothingToDo(`Nothing to do: ${error.message}.`, json)
  }
}

/** Prints why nothing runs; returns exit code 0. */
export function sayNothingToDo(message: string, json: boolean, more: { folder?: string } = {}): number {
  const line = { type: 'result', exit_code: exitCodes.done, ...more, message }
  process.stdout.write(`${json ? jsonText(line) : toSafeLine(message)}\n`)
  return exitCodes.done
}

export interface SkillSettings<T> {
  /** As given. */
  skill: string
  configured: ConfiguredArguments<T>
}

export interface SettingsRequest<T> {
  argv: readonly string[]
  options: (args: Argv) => Argv<T>
  args: ArgumentsCamelCase<T>
}

interface SkillArguments {
  skill: string[]
  suite?: string | undefined
}

/** Throws UserError for a mistake in a file, and if two skills' files differ in a setting that all skills share. */
export async function readSkillSettings<T extends SkillArguments>(
  request: SettingsRequest<T>,
): Promise<SkillSettings<T>[]> {
  const all: SkillSettings<T>[] = []
  for (const skill of request.args.skill) {
    const start = await locateSkillConfig(skill, request.args.suite)
    const configured = await configureCommand({ ...request, command: 'bench', usage: 'bench <skill..>', start })
    all.push({ skill, configured })
  }
  for (const [key, { forAll }] of Object.entries<Flag>(benchFlags)) if (forAll) refuseDifferent(key, all)
  return all
}

function refuseDifferent<T extends SkillArguments>(key: string, all: readonly SkillSettings<T>[]): void {
  const [first, ...others] = all
  const text = ({ configured }: SkillSettings<T>) => jsonText(configured.args[key] ?? null)
  const other = others.find((one) => first !== undefined && text(one) !== text(first))
  if (first === undefined || other === undefined) return
  const said = [first, other].map((one) => `${text(one)} for ${one.skill} (${one.configured.file ?? 'no file'})`)
  throw new UserError(`${key}: ${said.join(', ')}`, `pass --${key} for all skills, or benchmark them one by one`)
}
