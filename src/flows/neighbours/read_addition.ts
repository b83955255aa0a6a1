/** Reads what a configuration has besides the skill: the rest of its plugin, or neighbour skills. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import type { Environment, LoadWarning, Skill } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import type { Addition } from '../../phases/1-plan/plan/plan.ts'
import { findPluginRoot } from '../../phases/1-plan/plugin/find_plugin.ts'
import { toPluginEnvironment } from '../../phases/1-plan/plugin/plugin_environment.ts'
import { type Plugin, readPlugin } from '../../phases/1-plan/plugin/read_plugin.ts'
import type { SkillLinks } from '../../phases/1-plan/skill/skill_links.ts'
import { limitToEngine } from '../environment/unsupported_environment.ts'
import { readNeighbours, refuseTwin } from './read_neighbours.ts'

/** A configuration with more than the skill, and what it is compared with. */
export type AdditionWish = { against: Addition['against'] } & (
  | { kind: 'plugin' }
  | { kind: 'neighbours'; among: readonly string[] }
)

interface AdditionContext {
  skill: Skill
  /** In every configuration. */
  neighbours: readonly Skill[]
  engine: EngineChoice
  links?: SkillLinks | undefined
}

export interface ReadAddition {
  addition: Addition
  warnings: LoadWarning[]
}

/** Throws UserError for a broken plugin, and if the addition adds nothing on this engine. */
export async function readAddition(wish: AdditionWish, context: AdditionContext): Promise<ReadAddition> {
  const { against } = wish
  if (wish.kind === 'plugin') return await readPluginAddition(against, context)
  const { skills, warnings } = await readNeighbours({ among: wish.among, links: context.links }, context.skill)
  return { addition: { configuration: 'with_neighbours', against, skills, environment: null }, warnings }
}

async function readPluginAddition(
  against: Addition['against'],
  { skill, neighbours, engine, links }: AdditionContext,
): Promise<ReadAddition> {
  const root = findPluginRoot(skill.path)
  if (root === null)
    throw new UserError(
      `--whole-plugin: ${skill.path} is in no plugin (no .claude-plugin/plugin.json in a folder above)`,
      'pass a skill of a plugin, or leave --whole-plugin out',
    )
  const plugin = await readPlugin(root, links)
  const skills = plugin.skills.filter((one) => one.path !== skill.path)
  if (skills.length === plugin.skills.length)
    throw new UserError(
      `--whole-plugin: ${skill.path} is not a skill of the plugin ${plugin.name}`,
      'move it below skills/, or name it in .claude-plugin/plugin.json',
    )
  for (const one of neighbours)
    refuseTwin(
      plugin.skills.find(({ name }) => name === one.name),
      one,
    )
  const { environment, lacking } = limitToEngine(await toPluginEnvironment(plugin), engine)
  if (skills.length === 0 && !hasParts(environment)) refuseSameAsSkill(plugin, skill, { engine, lacking })
  const file = `plugin ${plugin.name}`
  const left =
    lacking.length === 0 ? [] : [`the engine ${engine.name} does not support ${lacking.join(', ')}: left out`]
  const warnings = [...plugin.warnings, ...left].map((message) => ({ file, at: '$', message }))
  return { addition: { configuration: 'whole_plugin', against, skills, environment }, warnings }
}

/** Files alone change nothing: the skill can't know where they are. */
function hasParts({ hooks, agents, mcp_servers, commands = [] }: Environment): boolean {
  return Object.keys(hooks).length + Object.keys(mcp_servers).length + agents.length + commands.length > 0
}

function refuseSameAsSkill(
  plugin: Plugin,
  skill: Skill,
  { engine, lacking }: { engine: EngineChoice; lacking: readonly string[] },
): never {
  const why =
    lacking.length === 0
      ? `the plugin ${plugin.name} has nothing besides the skill ${skill.name}`
      : `the engine ${engine.name} supports nothing of the plugin ${plugin.name} besides the skill ${skill.name} (no ${lacking.join(', no ')})`
  const fix = lacking.length === 0 ? 'leave --whole-plugin out' : 'choose another engine, such as --engine claude-code'
  throw new UserError(`--whole-plugin: ${why}`, fix)
}
