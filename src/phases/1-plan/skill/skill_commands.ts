/** Finds what an agent program starts by itself when it loads a skill: hooks in the frontmatter of a SKILL.md, and commands in its text. */
import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { type HookEntry, hooks as hooksSchema } from '../../../../schemas/environment.ts'
import type { Environment } from '../../../../schemas/suite.ts'
import type { SuiteCommand } from '../../../../schemas/suite_command.ts'
import type { WalkedFile } from '../../../base/fs/files.ts'
import { readYaml } from '../../../base/text/yaml.ts'
import { suiteFormats } from '../formats/table.ts'

export type SkillCommand = Omit<SuiteCommand, 'cases'>

type SkillFile = Pick<WalkedFile, 'path' | 'source'>

/** The skills in a case's working folder. */
export interface LoadedSkills {
  hashes: readonly string[]
  commands: readonly SkillCommand[]
}

export const noSkills: LoadedSkills = { hashes: [], commands: [] }

/** Reads every SKILL.md among the files of a skill, nested ones too: agent programs also find those. */
export async function readSkillCommands(files: readonly SkillFile[], name: string): Promise<SkillCommand[]> {
  return await readCommands(files.filter(isSkillFile).map((file) => ({ ...file, path: `${name}/${file.path}` })))
}

export async function readEnvironmentCommands(environment: Environment | undefined): Promise<SkillCommand[]> {
  const { skills = [], commands = [] } = environment ?? {}
  return await readCommands([
    ...skills.filter(isSkillFile),
    ...commands.map((file) => ({ ...file, path: `.claude/commands/${file.path}` })),
  ])
}

export function isSkillFile({ path: name }: Pick<SkillFile, 'path'>): boolean {
  return /(?:^|\/)SKILL\.md$/i.test(name)
}

async function readCommands(files: readonly SkillFile[]): Promise<SkillCommand[]> {
  const found = files.map(async ({ path: name, source }) =>
    findSkillCommands(await readFile(source, 'utf8').catch(() => ''), name),
  )
  return (await Promise.all(found)).flat()
}

/** `source`: the file, as the list names it. */
export function findSkillCommands(text: string, source: string): SkillCommand[] {
  return [...findHooks(text), ...findTextCommands(text)].map((one) => ({ ...one, source }))
}

type Command = Omit<SkillCommand, 'source'>

/**
 * Commands in the form !`command`, and in blocks that begin with ```!: Claude Code puts their output in their place, also
 * inside fenced blocks. The forms are those of Claude Code 2.1.
 */
function findTextCommands(text: string): Command[] {
  // Claude Code skips code spans, where older versions do not: what either of them finds is listed
  const withoutSpans = text.replaceAll(/`[^`\n]+`/g, (span, at: number) =>
    /[!`]/.test(text[at - 1] ?? '') ? span : `\`${' '.repeat(span.length - 2)}\``,
  )
  const found = [
    ...text.matchAll(/```!\s*\n?([\s\S]*?)\n?```/g),
    ...[text, withoutSpans].flatMap((one) => [...one.matchAll(/(?<=^|\s)!`([^`]+)`/gm)]),
  ].map(([, command = '']) => command.trim())
  return [...new Set(found)].filter(Boolean).map((command) => ({ kind: 'skill_command', command }))
}

const fields = z.record(z.string(), z.unknown())

/** Ends of the frontmatter: a line of its own, and any line that begins so. Agent programs differ. */
const blockEnds = [/\n---[ \t]*(?:\n|$)/, /\n---/]

function findHooks(text: string): Command[] {
  const plain = text.replaceAll('\r\n', '\n')
  const start = /^\uFEFF?---[ \t]*\n/.exec(plain)?.[0]
  if (start === undefined) return []
  const blocks = blockEnds.map((end) => plain.slice(start.length, end.exec(plain)?.index))
  const found = [...new Set(blocks)].flatMap(findBlockHooks)
  return found.filter((one, at) => found.findIndex(({ command }) => command === one.command) === at)
}

function findBlockHooks(block: string): Command[] {
  const yaml = readYaml(block)
  const values = yaml.ok ? fields.safeParse(yaml.value) : null
  // an agent program may read YAML that this parser refuses, and merge keys (<<)
  if (!values?.success || /<<["']?\s*:/.test(block))
    return /hooks["']?\s*:|\\[xuU]/i.test(block) ? [{ kind: 'hook', command: `frontmatter: ${block.trim()}` }] : []
  const { hooks } = values.data
  if (hooks === undefined || hooks === null) return []
  const known = hooksSchema.safeParse(hooks)
  return known.success ? hookCommands(known.data) : [{ kind: 'hook', command: JSON.stringify(hooks) }]
}

type HookGroups = Readonly<Record<string, readonly { hooks: readonly HookEntry[] }[]>>

/** One command for each hook that starts something: a prompt for the agent's own model does not. */
export function hookCommands(hooks: HookGroups): { kind: 'hook'; command: string }[] {
  return Object.entries(hooks).flatMap(([event, groups]) =>
    groups
      .flatMap((group) => group.hooks)
      .filter(({ type }) => type !== 'prompt')
      .map((entry) => ({ kind: 'hook' as const, command: `${event}: ${hookText(entry)}` })),
  )
}

/** An entry without a command calls a server or an agent, so it is shown as JSON. */
function hookText({ command, ...others }: HookEntry): string {
  if (command === undefined) return JSON.stringify(others)
  return Object.values(suiteFormats).reduce((text, { readHookCommand }) => readHookCommand?.(text) ?? text, command)
}
