/** Lists the skills that `bench` starts with: those named, or with --changed those of them that a branch touches. */
import path from 'node:path'
import { UserError } from '../../../base/errors/error.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import { exitCodes } from '../../exit_codes.ts'
import { toSafeLine } from '../../terminal/style.ts'
import { withFlow } from '../options/run_flow.ts'

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
