/** Reads one evals/cases/*.yaml of an AAM package. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { Check } from '../../../schemas/check.ts'
import type { Environment, InputFile, SuiteCase } from '../../../schemas/suite.ts'
import { suggestChoice } from '../../base/text/did_you_mean.ts'
import { placeInputs } from '../../phases/1-plan/suite/input_files.ts'
import { blankCase, joinReasons } from '../../phases/1-plan/suite/inspected_suite.ts'
import type { Warn } from '../../phases/1-plan/suite/loader_warnings.ts'
import {
  type AamFields,
  type FieldMistake,
  leavesFolder,
  openPackageFile,
  toUnreadValues,
  type UnreadField,
} from './fields.ts'
import { claudeEvents } from './hooks.ts'
import type { AamPackage } from './package.ts'

export interface AamCasePlace {
  /** Absolute path of the case. */
  file: string
  /** eval-config.json, absolute. */
  config: string
  package: AamPackage
  env: Record<string, string>
  unread: Record<string, unknown>
  warn: Warn
}

export interface AamCase {
  one: Omit<SuiteCase, 'eval_id'>
  /** Fields of `expected` that are no check. */
  lostChecks: FieldMistake[]
}

/** Never throws: mistakes become the reason why the case cannot run. */
export async function readAamCase(place: AamCasePlace): Promise<AamCase> {
  const stem = path.basename(place.file).replace(/\.ya?ml$/, '')
  const { fields, mistakes, unknown } = await openPackageFile(place.package.root, place.file)
  const told = {
    name: fields.text('name'),
    description: fields.text('description'),
    target: fields.text('target'),
    ...readCaseInput(fields),
    ...readExpected(fields),
    criteria: readCriteriaText(fields),
  }
  checkName(told.name, fields)
  const all = unknown()
  const unread = all.filter((one) => !isUnknownCheck(one))
  for (const { at, message, meant } of unread) if (meant === null) place.warn(at, message)
  const target = resolveCaseTarget(told.target, place.package)
  const inputs = await placeFixtures(told.files, place)
  const start = await placeStartFiles(told.workspaceFiles, inputs.files, place)
  const given = new Set([...inputs.files, ...start.files].map((one) => one.path))
  const reasons = [
    ...[...mistakes, ...place.package.mistakes].map(({ at, message }) => `${at}: ${message}`),
    ...unread.flatMap(({ at, message, meant }) => (meant === null ? [] : [`${at}: ${message}`])),
    ...target.reasons.map((reason) => `${fields.at('target')}: ${reason}`),
    ...inputs.reasons.map((reason) => `${told.at.files}: ${reason}`),
    ...start.reasons.map((reason) => `${told.at.workspaceFiles}: ${reason}`),
  ]
  const one = {
    ...blank(told.name || stem, reasons),
    prompt: told.prompt ?? '',
    files: [...inputs.files, ...start.files],
    expectations: told.criteria === null ? [] : [{ text: told.criteria }],
    checks: buildAamChecks(told, target.event),
    ...(told.target !== null && { target: told.target }),
    ...collectNotes(told.description, toUnreadValues(all), { target, place }),
    skill_path: target.skill,
    environment: buildCaseEnvironment(place, { target, texts: start.texts, given, blocks: told.blocked !== null }),
  }
  return { one, lostChecks: all.filter(isUnknownCheck).map(explainUnknownCheck) }
}

function blank(name: string, reasons: readonly string[]): Omit<SuiteCase, 'eval_id'> {
  return {
    eval_key: name,
    eval_name: name,
    ...blankCase,
    cannot_run: joinReasons(reasons),
  }
}

/** The author's notes, kept with the case: its description, its agent's version, and unknown fields. */
function collectNotes(
  description: string | null,
  unread: Readonly<Record<string, unknown>>,
  { target, place }: { target: Target; place: AamCasePlace },
): Pick<SuiteCase, 'metadata'> {
  const version = place.package.agents.find(({ name }) => name === target.agent)?.version ?? null
  const metadata = {
    ...(description !== null && { description }),
    ...(version !== null && { agent_version: version }),
    ...unread,
    ...(Object.keys(place.unread).length > 0 && { 'eval-config': place.unread }),
  }
  return Object.keys(metadata).length === 0 ? {} : { metadata }
}

const checkNames = ['contains', 'not-contains', 'files-created', 'agent-blocked']

/** It would never be decided and the case would pass, so it is a mistake, even if no known name is similar. */
function isUnknownCheck({ name }: UnreadField): boolean {
  return name.startsWith('expected.')
}

function explainUnknownCheck({ at, name, meant, message }: UnreadField): FieldMistake {
  if (meant !== null) return { at, message }
  return { at, message: `${name} is not a check: ${suggestChoice(name.slice('expected.'.length), checkNames)}` }
}

function checkName(name: string | null, fields: AamFields): void {
  if (name === null || name === '') fields.wrong('name', 'is missing')
  else if (!/^[a-z0-9-]{1,64}$/.test(name)) fields.wrong('name', 'must be 1 to 64 of a-z, 0-9 and -')
}

function readCaseInput(fields: AamFields) {
  const input = fields.inner('input')
  const prompt = input.text('prompt')
  if (prompt === null || prompt.trim() === '') input.wrong('prompt', 'is missing')
  const at = { files: input.at('files'), workspaceFiles: input.at('workspace-files') }
  return { prompt, files: input.texts('files'), workspaceFiles: input.texts('workspace-files'), at }
}

function readExpected(fields: AamFields) {
  const expected = fields.inner('expected')
  const created = expected.texts('files-created')
  for (const one of created) {
    if (leavesFolder(one)) expected.wrong('files-created', `contains ${one}, which leads out of the workspace`)
  }
  return {
    contains: expected.texts('contains'),
    notContains: expected.texts('not-contains'),
    created,
    blocked: expected.flag('agent-blocked'),
  }
}

function readCriteriaText(fields: AamFields): string | null {
  const judge = fields.inner('judge')
  const criteria = judge.text('criteria')
  if (criteria === null || criteria.trim() === '') judge.wrong('criteria', 'is missing')
  return criteria?.trim() || null
}

function buildAamChecks(
  { contains, notContains, created, blocked }: ReturnType<typeof readExpected>,
  event: string | null,
): Check[] {
  return [
    ...contains.map((value) => ({ type: 'contains' as const, value })),
    ...notContains.map((value) => ({ type: 'not_contains' as const, value })),
    ...created.map((one) => ({ type: 'file_exists' as const, path: one })),
    ...(blocked === null
      ? []
      : [{ type: 'agent_blocked' as const, ...(event && { event }), ...(!blocked && { blocked: false }) }]),
  ]
}

interface Target {
  /** Absolute folder of the skill under test; null: none. */
  skill: string | null
  /** Event name of Claude Code; null: it is not about a hook. */
  event: string | null
  /** Name of the agent that is the session; null: none. */
  agent: string | null
  reasons: string[]
}

function resolveCaseTarget(text: string | null, { skills, hooks, agents }: AamPackage): Target {
  const nothing: Target = { skill: null, event: null, agent: null, reasons: [] }
  if (text === null) return nothing
  const [, kind, name = ''] = /^(skill|hook|agent):(.+)$/.exec(text) ?? []
  const missing = (known: readonly string[]) => ({
    ...nothing,
    reasons: [`target ${text}: the package has no such ${kind} (it has ${known.join(', ') || 'none'})`],
  })
  switch (kind) {
    case 'skill': {
      const found = skills.find((skill) => skill.folder === name || skill.name === name)
      return found === undefined ? missing(skills.map((skill) => skill.folder)) : { ...nothing, skill: found.path }
    }
    case 'hook': {
      const event = claudeEvents[name] ?? name
      return (hooks[event] ?? []).length === 0 ? missing(Object.keys(hooks)) : { ...nothing, event }
    }
    case 'agent':
      return agents.some((agent) => agent.name === name)
        ? { ...nothing, agent: name }
        : missing(agents.map((agent) => agent.name))
    default:
      return { ...nothing, reasons: [`target ${text}: neither skill:<name>, hook:<event> nor agent:<name>`] }
  }
}

/** Fixtures keep their path relative to evals/. */
async function placeFixtures(files: readonly string[], { config, warn, file }: AamCasePlace) {
  const outside = files.filter(leavesFolder).map((one) => `input file ${one}: leads out of the package`)
  const named = files.filter((one) => !leavesFolder(one)).map((one) => ({ path: one, at: `${file} input.files` }))
  const placed = await placeInputs(named, { file: config, root: path.dirname(config), warn })
  return { files: placed.files, reasons: [...outside, ...placed.reasons] }
}

/** Takes the file from evals/fixtures/ or evals/ under that path; otherwise the file is empty. */
async function placeStartFiles(named: readonly string[], inputs: readonly InputFile[], { config, warn }: AamCasePlace) {
  const root = path.dirname(config)
  const made = { files: [] as InputFile[], texts: {} as Record<string, string>, reasons: [] as string[] }
  const paths = new Set(named.map((one) => path.posix.normalize(one)))
  const others = [...paths, ...inputs.map((one) => one.path)]
  const files = [...paths, ...inputs.flatMap((one) => (one.kind === 'file' ? one.path : [])), ...packageTexts]
  for (const one of paths) {
    const above = files.find((file) => one.startsWith(`${file}/`))
    const below = others.find((other) => other.startsWith(`${one}/`))
    const wrong = (text: string) => made.reasons.push(`workspace file ${one}: ${text}`)
    if (leavesFolder(one)) wrong('leads out of the workspace')
    else if (/(^\.|\/)$/.test(one)) wrong('is a folder; name its files')
    else if (above !== undefined) wrong(`${above} is a file, not a folder`)
    else if (below !== undefined) wrong(`is a folder, since there is ${below}`)
    else {
      const found = await findFirstExisting([`fixtures/${one}`, one], root)
      if (found === null) made.texts[one] = ''
      else {
        const placed = await placeInputs([{ path: found, at: one }], { file: config, root, warn })
        made.files.push(...placed.files.map((file) => ({ ...file, path: one })))
        made.reasons.push(...placed.reasons)
      }
    }
  }
  return made
}

/** Files that every workspace has. */
const packageTexts = ['package.agent.json', 'AGENTS.md']

async function findFirstExisting(names: readonly string[], root: string): Promise<string | null> {
  for (const name of names) {
    const info = await stat(path.join(root, name)).catch(() => null)
    if (info?.isFile()) return name
  }
  return null
}

function buildCaseEnvironment(
  { package: own, env }: AamCasePlace,
  about: { target: Target; texts: Record<string, string>; given: ReadonlySet<string>; blocks: boolean },
): Environment {
  const { target, texts } = about
  const agent = own.agents.find(({ name }) => name === target.agent)
  const others = own.agents.filter((one) => one !== agent)
  const listed = agent?.skills ?? null
  const skills = own.skills.filter(
    ({ path: place, folder, name }) =>
      place !== target.skill && (listed === null || listed.includes(folder) || listed.includes(name)),
  )
  const commands = own.commands.filter((one) => agent?.commands?.includes(path.basename(one.path, '.md')) ?? true)
  const needs = [
    ...(target.event === null ? [] : [`hooks of ${target.event}`]),
    ...(about.blocks && target.event === null ? ['hooks of PreToolUse'] : []),
    ...(agent === undefined ? [] : ['a system prompt']),
  ]
  return {
    files: own.files,
    hooks: own.hooks,
    rules: own.rules,
    agents: [],
    mcp_servers: own.servers,
    skills: skills.flatMap((skill) => skill.files),
    commands,
    ...(own.instructions !== null && !about.given.has('AGENTS.md') && { instructions: own.instructions }),
    ...(agent !== undefined && {
      system_prompt: agent.prompt,
      ...(agent.tools !== null && { tools: agent.tools }),
      ...(agent.temperature !== null && { temperature: agent.temperature }),
    }),
    ...(others.length > 0 && { agent_texts: Object.fromEntries(others.map((one) => [one.name, one.asSubAgent])) }),
    ...(Object.keys(env).length > 0 && { env }),
    texts: { ...(!about.given.has('package.agent.json') && { 'package.agent.json': own.minimal }), ...texts },
    may_lack: { needs },
  }
}
