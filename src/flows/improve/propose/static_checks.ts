/** Checks a candidate before any agent runs on it. */
import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { SuiteCase } from '../../../../schemas/suite.ts'
import { errorMessage } from '../../../base/errors/error.ts'
import { copyWalk, type WalkedFile } from '../../../base/fs/files.ts'
import { openTempDir } from '../../../base/fs/temp_dir.ts'
import { runProcess } from '../../../base/process/spawn.ts'
import { findOnPath } from '../../../base/sandbox/programs.ts'
import { startTimeLimit } from '../../../base/time/time_limit.ts'
import { splitFrontmatter } from '../../../phases/1-plan/skill/frontmatter.ts'
import { readSkill } from '../../../phases/1-plan/skill/read_skill.ts'
import { findSkillCommands, isSkillFile } from '../../../phases/1-plan/skill/skill_commands.ts'
import { specificAnswers } from '../../../phases/5-improve/case_specific_answers.ts'
import { type CaseWords, nGrams, readCaseWords, splitIntoWords } from '../../../phases/5-improve/case_words.ts'
import { findAnswerPairs, leastPairs } from '../../../phases/5-improve/find_answer_tables.ts'
import { findParaphrase } from '../../../phases/5-improve/guards/find_paraphrase.ts'
import { findJudgeGaming } from '../../../phases/5-improve/guards/games_judge.ts'
import { findBrokenBound } from '../../../phases/5-improve/proposal_bounds.ts'
import {
  addedText,
  allText,
  changedFiles,
  type SkillEdit,
  type SkillFile,
} from '../../../phases/5-improve/skill_edit.ts'
import type { FlowContext } from '../../flow_context.ts'

export interface StaticCheckRequest {
  edit: SkillEdit
  files: readonly WalkedFile[]
  name: string
  /** The cases that the proposer saw, and all others. */
  seen: readonly SuiteCase[]
  held: readonly SuiteCase[]
  /** Nothing but the description may change. */
  isDescriptionOnly: boolean
  /** The sha256 of every tried version, by name. */
  tried: ReadonlyMap<string, string>
  context: Pick<FlowContext, 'signal' | 'env'>
}

export interface StaticRefusal {
  rule: string
  reason: string
}

/** The first problem; null: there is none. */
export async function findStaticRefusal(request: StaticCheckRequest): Promise<StaticRefusal | null> {
  await using tempDir = await openTempDir()
  const folder = path.join(tempDir.path, request.name)
  await mkdir(folder)
  await copyWalk(request.files, folder)
  const found = await readSkill(folder).catch((error: unknown) =>
    errorMessage(error).replaceAll(`${tempDir.path}/`, ''),
  )
  if (typeof found === 'string') return { rule: 'skill_invalid', reason: found }
  if (found.skill.name !== request.name) {
    return { rule: 'skill_invalid', reason: `it renames the skill from ${request.name} to ${found.skill.name}` }
  }
  const warning = found.warnings[0]
  if (warning !== undefined) return { rule: 'skill_invalid', reason: warning.message }
  const same = request.tried.get(found.skill.sha256)
  if (same !== undefined) return { rule: 'repeated', reason: `it is the same as ${same}` }
  const outside = request.isDescriptionOnly ? findDescriptionMistake(request.edit, found.skill.description) : null
  if (outside !== null) return { rule: 'description', reason: outside }
  const bound = findBrokenBound(request.edit)
  if (bound !== null) return { rule: 'too_large', reason: bound }
  const refusal = commandRefusal(request) ?? findTextRefusal(request)
  if (refusal !== null) return refusal
  const changed = changedFiles(request.edit).filter(({ change }) => change !== 'deleted')
  const broken = await findBrokenScript(
    changed.map(({ path: name }) => name),
    folder,
    request.context,
  )
  return broken === null ? null : { rule: 'script_broken', reason: broken }
}

const longestDescription = 1024

/** Why agents would not take the description, or what else the edit changes; null: nothing. */
function findDescriptionMistake({ before, after }: SkillEdit, description: string): string | null {
  if (description.length > longestDescription)
    return `the description has ${description.length} characters (at most ${longestDescription})`
  if (/[<>]/.test(description)) return 'the description contains < or >, which agents reject'
  const other = changedFiles({ before, after }).find(({ path: file }) => file !== 'SKILL.md')
  if (other !== undefined) return `it changes ${other.path}, not only the description`
  const [had, has] = [before, after].map((files) =>
    dropDescription(files.find(({ path: file }) => file === 'SKILL.md')?.text ?? ''),
  )
  return had === has ? null : 'it changes more of SKILL.md than the description'
}

/** Without its lines: the first, and those that are indented or empty below it. */
function dropDescription(text: string): string {
  const { block, body } = splitFrontmatter(text)
  return `${block?.replace(/^description:.*(?:\n(?:[ \t].*)?(?=\n|$))*/m, '')}\n---\n${body}`
}

/** The user's yes covers the commands that the skill had at the start of the session, and no others. */
function commandRefusal({ edit }: StaticCheckRequest): StaticRefusal | null {
  const list = (files: readonly SkillFile[]) =>
    files.filter(isSkillFile).flatMap(({ path: name, text, readable }) => findSkillCommands(text ?? readable, name))
  const before = new Set(list(edit.before).map(({ command }) => command))
  const added = list(edit.after).find(({ command }) => !before.has(command))
  if (added === undefined) return null
  return { rule: 'starts_commands', reason: `${added.source} adds a command that starts by itself: ${added.command}` }
}

/** Text of the cases in the skill: leaks and hard-coded answers. */
export function findTextRefusal({
  edit,
  seen,
  held,
}: Pick<StaticCheckRequest, 'edit' | 'seen' | 'held'>): StaticRefusal | null {
  const [known, unseen] = [seen.map(readCaseWords), held.map(readCaseWords)]
  const leak = findLeakage({ edit, seen: known, held: unseen })
  if (leak !== null) return { rule: 'leakage', reason: leak }
  const solved = findHardCodedAnswer({ edit, seen: known, held: unseen })
  if (solved !== null) return { rule: 'hard_coded', reason: solved }
  const gaming = findJudgeGaming(edit)
  return gaming === null ? null : { rule: 'games_judge', reason: gaming }
}

/** Programs that parse a file without running it, by extension. */
const parsers: Readonly<Record<string, readonly [program: string, ...args: string[]]>> = {
  js: ['node', '--check'],
  mjs: ['node', '--check'],
  cjs: ['node', '--check'],
  sh: ['bash', '-n'],
  bash: ['bash', '-n'],
  py: ['python3', '-I', '-c', 'import ast, sys; ast.parse(open(sys.argv[1]).read(), sys.argv[1])'],
  json: ['node', '-e', 'JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"))'],
}

/** By extension, else by the first line: `#!/bin/bash`, `#!/usr/bin/env python3`. */
function chooseParser(name: string, text: string) {
  const known = parsers[path.extname(name).slice(1)]
  if (known !== undefined) return known
  const first = text.split('\n', 1)[0] ?? ''
  const [, program = ''] = /^#!.*[/ ](\w+?)(?:3(?:\.\d+)?)?\s*$/.exec(first) ?? []
  return parsers[{ node: 'js', python: 'py' }[program] ?? program]
}

/** A script of the folder that does not parse, and how; null: none. Says nothing of scripts whose parser is not installed. */
export async function findBrokenScript(
  names: readonly string[],
  folder: string,
  { signal, env }: Pick<FlowContext, 'signal' | 'env'>,
): Promise<string | null> {
  for (const name of names) {
    const [program, ...args] = chooseParser(name, await readFile(path.join(folder, name), 'utf8')) ?? ['']
    if (program === '') continue
    const searchPath = env.PATH ?? ''
    const command = program === 'node' ? process.execPath : await findOnPath(program, searchPath)
    if (command === null) continue
    using limit = startTimeLimit(20_000, [signal])
    const options = { cwd: folder, env: { PATH: searchPath }, signal: limit.signal }
    const end = await runProcess({ command, args: [...args, `./${name}`], ...options }) // a name is no option
    if (end.exitCode === 0) continue
    const said = end.stderrTail.split('\n').find((line) => /error|unexpected|line \d/i.test(line)) ?? end.stderrTail
    return `${name} does not parse: ${said.trim().slice(0, 200)}`
  }
  return null
}

/** Why the edit is refused; null: it contains no answer that only training cases expect. */
export function findHardCodedAnswer({ edit, seen, held }: LeakageRequest): string | null {
  const asked = { added: addedText(edit), edit, of: seen, all: [...seen, ...held] }
  const [found] = specificAnswers(asked)
  if (found !== undefined)
    return `it contains "${found.answer.slice(0, 100)}", the answer of training case ${found.evalId}`
  const pairs = findAnswerPairs(asked)
  if (pairs.length < leastPairs) return null
  return `it contains answers of ${pairs.length} training cases next to their prompts, such as "${pairs[0]?.answer}" of case ${pairs[0]?.evalId} (at most ${leastPairs - 1} allowed)`
}

/** The words in a row that are compared. */
const gramSize = 6
/** A shorter prompt leaks as a whole if it has at least this many words. */
const leastWords = 4
/** A held-out case leaks if the edit adds at least this many of its word sequences without another source. */
const leastGrams = 2

export interface LeakageRequest {
  edit: SkillEdit
  /** Cases that the proposer saw: their text is allowed. */
  seen: readonly CaseWords[]
  /** Held-out cases: the edit must not contain their text. */
  held: readonly CaseWords[]
}

/** Why the edit is refused; null: it contains nothing of the held-out cases. Text that the skill had before is allowed. */
export function findLeakage(request: LeakageRequest): string | null {
  const copied = findCopiedText(request)
  if (copied !== null) return copied
  const { edit, seen, held } = request
  const found = findParaphrase({ added: addedText(edit), before: allText(edit.before), seen, held })
  if (found === null) return null
  const shared = found.shared.map((one) => `"${one}"`).join(', ')
  return `it describes held-out case ${found.evalId} in other words: one passage shares ${shared} with it`
}

/** Finds what is copied: word sequences, whole prompts, and answers. */
export function findCopiedText({ edit, seen, held }: LeakageRequest): string | null {
  const added = addedText(edit)
  const known = new Set([...nGrams(allText(edit.before), gramSize), ...seen.flatMap((one) => [...collectGrams(one)])])
  const grams = nGrams(added, gramSize)
  for (const one of held) {
    const shared = [...collectGrams(one)].filter((gram) => grams.has(gram) && !known.has(gram))
    if (shared.length >= leastGrams) {
      return `it contains ${shared.length} sequences of ${gramSize} words from held-out case ${one.evalId}, such as "${shared[0]}" (at most ${leastGrams - 1} allowed)`
    }
    if (isCopied(one, { added, edit, seen })) return `it contains the whole prompt of held-out case ${one.evalId}`
  }
  const request = { added, edit, of: held, all: [...seen, ...held] }
  const found = specificAnswers(request)[0]
  if (found !== undefined) return `it contains "${found.answer}", which only held-out case ${found.evalId} expects`
  const pairs = findAnswerPairs(request)
  if (pairs.length < leastPairs) return null
  return `it contains answers of ${pairs.length} held-out cases next to their prompts, such as "${pairs[0]?.answer}" of case ${pairs[0]?.evalId} (at most ${leastPairs - 1} allowed)`
}

/** Whether a prompt too short for word sequences is copied word by word, and neither the skill nor a training prompt had it. */
function isCopied(
  { prompt }: CaseWords,
  { added, edit, seen }: Pick<LeakageRequest, 'edit' | 'seen'> & { added: string },
): boolean {
  const words = splitIntoWords(prompt)
  if (words.length < leastWords || words.length > gramSize) return false
  const known = [allText(edit.before), ...seen.map((one) => one.prompt)]
  const isIn = (text: string) => nGrams(text, words.length).has(words.join(' '))
  return isIn(added) && !known.some(isIn)
}

function collectGrams({ prompt, answers }: CaseWords): Set<string> {
  return new Set([prompt, ...answers].flatMap((text) => [...nGrams(text, gramSize)]))
}
