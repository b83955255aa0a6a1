/** The other skills of a benchmark: neighbours in both configurations, and what one of them has besides the skill. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { EngineChoice } from '../../../schemas/plan.ts'
import type { Environment, LoadWarning, Skill } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { listEntries } from '../../base/fs/files.ts'
import { findEngine } from '../../engines/table.ts'
import { listUnsupported, noSupport, reduceEnvironment } from '../../flows/environment/unsupported_environment.ts'
import type {
  AdditionWish,
  ExpandedPlugins,
  OtherSkills,
  OtherSkillsRequest,
  OtherSkillsSteps,
} from '../../flows/other_skills.ts'
import { readNeighbours } from '../../flows/read_neighbours.ts'
import type { Addition } from '../../phases/1-plan/plan/plan.ts'
import type { SkillLinks } from '../../phases/1-plan/skill/skill_links.ts'
import { hasSuite, suggestSuite } from '../../phases/1-plan/suite/load_suite.ts'
import { mergeEnvironments, toPluginEnvironment } from './plugin_environment.ts'
import { findPluginRoot, listOtherParts, manifestPath, readPluginName } from './plugin_reading.ts'
import { type Plugin, readPlugin } from './read_plugin.ts'

export const otherSkills: OtherSkillsSteps = { read: readOtherSkills, expandPlugins }

async function readOtherSkills(
  { among = [], addition: wish, links }: OtherSkillsRequest,
  { skill, engine, isHarbor }: { skill: Skill; engine: EngineChoice; isHarbor: boolean },
): Promise<OtherSkills> {
  if (isHarbor) {
    if (among.length === 0 && !wish) return { parts: {}, skills: [], warnings: [], notes: [] }
    const flag = wish?.kind === 'plugin' ? '--whole-plugin' : '--among'
    throw new UserError(`${flag} with a Harbor task`, 'a task brings its own skills: list the others in it')
  }
  const { skills, warnings } = await readOthers({ among, links }, skill)
  const read = !wish ? null : await readAddition(wish, { skill, neighbours: skills, engine, links })
  const added = read?.addition.skills ?? []
  return {
    parts: { neighbours: skills, addition: read?.addition ?? null },
    skills: [...skills, ...added],
    warnings: [...warnings, ...(read?.warnings ?? [])],
    notes: wish === undefined ? listPluginNotes(skill) : [],
  }
}

/** Throws UserError for a list that names only the tested skill, and for two skills of one name: an agent would get only one of them. */
async function readOthers(request: Parameters<typeof readNeighbours>[0], tested: Skill) {
  const read = await readNeighbours(request, tested, refuseTwin)
  if (request.among.length > 0 && read.skills.length === 0)
    throw new UserError('--among: no other skill there', 'pass a folder with skills besides the one under test')
  return read
}

function refuseTwin(twin: Skill, { name, path: place }: Skill): never {
  throw new UserError(
    `two skills are named ${name}: ${twin.path} and ${place}`,
    'an agent gets one skill of each name: rename one, or leave it out',
    'same-name',
  )
}

/** Says that the skill is part of a plugin, and how to measure all of it. */
function listPluginNotes(skill: Skill): string[] {
  const root = findPluginRoot(path.resolve(skill.path))
  if (root === null) return []
  const parts = listOtherParts(root)
  if (parts.length === 0 && listEntries(path.join(root, 'skills')).length < 2) return []
  const others = parts.length === 0 ? '' : `, which also has ${parts.join(', ')}`
  return [`${skill.name} is part of the plugin ${readPluginName(root)}${others}; --whole-plugin measures all of it`]
}

async function expandPlugins(given: readonly string[], suite: string | undefined): Promise<ExpandedPlugins> {
  const expanded: ExpandedPlugins = { places: [], hasPlugin: false, passedOver: [] }
  for (const place of given) {
    const root = path.resolve(place)
    const isPlugin = existsSync(path.join(root, manifestPath)) && !existsSync(path.join(root, 'SKILL.md'))
    if (!isPlugin) {
      expanded.places.push(place)
      continue
    }
    const plugin = await readPlugin(root)
    const { name, skills } = plugin
    if (skills.length > 1 || hasParts(await toPluginEnvironment(plugin))) expanded.hasPlugin = true
    const found: string[] = []
    for (const skill of skills) {
      const shown = path.relative(process.cwd(), skill.path) || '.'
      if (suite !== undefined || (await hasSuite(skill.path))) found.push(shown)
      else expanded.passedOver.push({ place: shown, reason: 'it has no suite' })
    }
    if (found.length === 0)
      throw new UserError(
        `plugin ${name} (${root}): ${skills.length === 0 ? 'it has no skill' : 'none of its skills has a suite'}`,
        skills.length === 0 ? 'add a skill below skills/' : await suggestSuite(root),
      )
    expanded.places.push(...found)
  }
  return expanded
}

interface AdditionContext {
  skill: Skill
  /** In every configuration. */
  neighbours: readonly Skill[]
  engine: EngineChoice
  links?: SkillLinks | undefined
}

interface ReadAddition {
  addition: Addition
  warnings: LoadWarning[]
}

/** Throws UserError for a broken plugin, and if the addition adds nothing on this engine. */
async function readAddition(wish: AdditionWish, context: AdditionContext): Promise<ReadAddition> {
  const { against } = wish
  if (wish.kind === 'plugin') return await readPluginAddition(against, context)
  const { skills, warnings } = await readOthers({ among: wish.among, links: context.links }, context.skill)
  return { addition: { configuration: 'with_neighbours', against, skills, extend: null }, warnings }
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
  for (const one of neighbours) {
    const twin = plugin.skills.find(({ name }) => name === one.name)
    if (twin !== undefined) refuseTwin(twin, one)
  }
  const { environment, lacking } = limitToEngine(await toPluginEnvironment(plugin), engine)
  if (skills.length === 0 && !hasParts(environment)) refuseSameAsSkill(plugin, skill, { engine, lacking })
  const extend = (own: Environment | undefined) => mergeEnvironments(own, environment)
  const file = `plugin ${plugin.name}`
  const left =
    lacking.length === 0 ? [] : [`the engine ${engine.name} does not support ${lacking.join(', ')}: left out`]
  const warnings = [...plugin.warnings, ...left].map((message) => ({ file, at: '$', message }))
  return { addition: { configuration: 'whole_plugin', against, skills, extend }, warnings }
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
  const fix = `bench the skill alone (${path.relative(process.cwd(), skill.path) || '.'})`
  const other = lacking.length === 0 ? '' : ', or choose another engine, such as --engine claude-code'
  throw new UserError(`${why}, so the whole plugin cannot be compared with it`, `${fix}${other}`)
}

/** An environment without what the engine does not support, and what that is. */
function limitToEngine(
  environment: Environment,
  choice: EngineChoice,
): { environment: Environment; lacking: string[] } {
  if (choice.name === 'auto') return { environment, lacking: [] }
  const { supports = noSupport } = findEngine(choice.name)
  if (supports === 'unknown') return { environment, lacking: [] }
  return { environment: reduceEnvironment(supports, environment), lacking: listUnsupported(supports, environment) }
}
