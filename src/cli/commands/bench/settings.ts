/** Combines the command line of `bench` with the configuration file nearest to each skill's suite. */
import type { ArgumentsCamelCase, Argv } from 'yargs'
import { UserError } from '../../../base/errors/error.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import { type ConfiguredArguments, configureCommand } from '../../config/configure.ts'
import { locateSkillConfig } from '../../config/configured_command.ts'
import type { Flag } from '../options/flag.ts'
import { benchFlags } from './options.ts'

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
