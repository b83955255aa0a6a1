/** Loads evals.json in skill-creator's dialect, in agentskills.io's and in authors' variants; docs/reference/evals-json.md lists them all. */
import { isUtf8 } from 'node:buffer'
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Suite } from '../../../../schemas/suite.ts'
import { attempt } from '../../../base/errors/attempt.ts'
import { UserError } from '../../../base/errors/error.ts'
import { listEntries, pathExists } from '../../../base/fs/files.ts'
import { isDeadLink } from '../../../base/fs/nearest_path.ts'
import { formatJsonPath, parseJson, readText, tryParseJson } from '../../../base/json/json.ts'
import { readFrontmatter } from '../skill/frontmatter.ts'
import { bothArmsNote, type InspectedSuite, type SuiteFormat } from '../suite/inspected_suite.ts'
import { collectWarnings, type Warn } from '../suite/loader_warnings.ts'
import { readAdditions, readSuiteSandbox } from './evals_json/additions.ts'
import { readCase } from './evals_json/case.ts'
import { isCaseDocument, isSingleCase, openDocument, readAsList } from './evals_json/document.ts'
import { assignIds } from './evals_json/ids.ts'
import { findPrograms, findUnknownPrograms } from './evals_json/programs.ts'

/** Bytes. The largest of 1,700 real files has 187 KB. */
const longest = 16 * 1024 * 1024

const evalsJsonPlaces = ['evals/evals.json', 'evals.json']

/** Returns the evals.json of a skill's folder, or null. A dead link counts too, and whoever reads it reports it. */
async function findEvalsJson(folder: string): Promise<string | null> {
  for (const place of evalsJsonPlaces) {
    const file = path.join(folder, place)
    if ((await pathExists(file)) || isDeadLink(file) || isDeadLink(path.dirname(file))) return file
  }
  const places = (await pathExists(path.join(folder, 'SKILL.md'))) ? ['evals'] : ['evals', '.']
  for (const place of places) {
    const { cases } = await readCaseFiles(path.join(folder, place))
    if (cases.length > 0) return path.join(folder, place)
  }
  return null
}

/** Whether a .json file is a suite, valid or not: judged by its name, its folder or its content. */
async function isEvalsFile(file: string): Promise<boolean> {
  if (path.basename(path.dirname(file)) === 'evals' || /(^|[-_.])evals?(\..*)?\.json$/.test(path.basename(file)))
    return true
  const { size } = await stat(file).catch(() => ({ size: Number.POSITIVE_INFINITY }))
  if (size > longest) return false
  const text = await readText(file)
  return attempt(() => isCaseDocument(parseJson(text, file)), /"(?:evals|prompt)"/.test(text), isUserError)
}

/**
 * Reads an evals.json leniently; each tolerated mistake is a warning of the suite. A case with a missing input stays,
 * with `cannot_run`; one with a mistake in Whetstone's own fields loses these fields. Throws UserError for invalid JSON and for a file
 * without cases.
 */
async function inspectEvalsJson(file: string, skillRoot: string): Promise<InspectedSuite> {
  const found = await stat(file).catch(() => null)
  if (found?.isDirectory()) return await inspectCaseFiles(file, skillRoot)
  if (found !== null && found.size > longest) throw new UserError(`${file}: larger than ${longest} bytes`, 'split it')
  return await inspectText(await readText(file), file, skillRoot)
}

/** Reads a folder of files with one case each as one list, and names the files in all messages. */
async function inspectCaseFiles(folder: string, skillRoot: string): Promise<InspectedSuite> {
  const { cases, others } = await readCaseFiles(folder)
  const read = await inspectText(
    JSON.stringify(cases.map(({ value }) => value)),
    path.join(folder, 'evals.json'),
    skillRoot,
  )
  const toPlace = (at: string) => {
    const [, index, rest = ''] = /^\$\[(\d+)\](.*)$/s.exec(at) ?? []
    const file = index === undefined ? undefined : cases[Number(index)]?.file
    return file === undefined ? { file: folder, at } : { file, at: `$${rest}` }
  }
  const warnings = read.suite.warnings.filter(({ message }) => message !== readAsList)
  const passedOver = others.map((file) => ({
    file,
    at: '$',
    message: 'not a case, and not read: the other files of the folder are one case each',
  }))
  return {
    suite: {
      ...read.suite,
      path: folder,
      warnings: [...passedOver, ...warnings.map((one) => ({ ...one, ...toPlace(one.at) }))],
    },
    // the index stays: it tells the cases apart
    places: read.places.map(({ at }) => ({ file: at === null ? folder : toPlace(at).file, at })),
    mistakes: read.mistakes.map(({ at, message }) => ({
      at,
      message: `${path.basename(toPlace(at).file)}: ${message}`,
    })),
  }
}

/** The .json files of a folder: those that are one case, and the rest. Files for triggers are neither. */
async function readCaseFiles(folder: string): Promise<{ cases: { file: string; value: unknown }[]; others: string[] }> {
  const names = listEntries(folder).filter(
    (entry) => entry.isFile() && entry.name.endsWith('.json') && !/trigger/i.test(entry.name),
  )
  const cases = []
  const others = []
  for (const file of names.map(({ name }) => path.join(folder, name)).sort()) {
    const { size } = await stat(file)
    const value = size > longest ? null : tryParseJson(await readText(file))
    if (isSingleCase(value)) cases.push({ file, value })
    else others.push(file)
  }
  return { cases, others }
}

async function inspectText(text: string, file: string, skillRoot: string): Promise<InspectedSuite> {
  const { warn, list } = collectWarnings(file)
  const { cases, skillName, sandbox: asked, mistakes: ofFile } = openDocument(parseJson(text, file), file, warn)
  await warnLostContent(text, file, warn)
  const { additions, mistakes: ofCases } = await readAdditions(cases, { root: skillRoot, warn })
  const { programs, mistakes: ofPrograms } = await findPrograms({ file, root: skillRoot, warn })
  const asking = cases.map(({ at }, index) => ({ at, checks: additions[index]?.checks }))
  const ofCalls = ofPrograms.length > 0 ? [] : findUnknownPrograms(asking, programs)
  const mistakes = [...ofFile, ...ofCases, ...ofPrograms, ...ofCalls]
  const sandbox = readSuiteSandbox(asked, mistakes)
  const ids = assignIds(cases, warn)
  const place = { file, root: skillRoot, warn, programs }
  const read: Suite['cases'] = []
  for (const [index, source] of cases.entries()) {
    const [own, id] = [additions[index], ids[index]]
    if (own !== undefined && id !== undefined) read.push(await readCase({ source, own, id }, place))
  }
  const skill_name = skillName ?? (await findFolderSkillName(skillRoot, warn))
  const own = sandbox === undefined ? {} : { sandbox }
  const suite = { format: 'evals.json', path: file, skill_name, ...own, cases: read, warnings: list() }
  return { suite, places: cases.map(({ at }) => ({ file, at })), mistakes }
}

/** Returns the name in the folder's SKILL.md, or else the folder's own. */
export async function findFolderSkillName(root: string, warn: Warn): Promise<string> {
  const file = path.join(root, 'SKILL.md')
  const text = await readText(file).catch(() => null)
  const name = text === null ? null : parseSkillName(text, file)
  const from = name === null ? "the folder's name" : "SKILL.md's name"
  warn('$', `names no skill; ${from} is used`)
  return name ?? (path.basename(root) || 'skill')
}

const isUserError = (error: unknown) => error instanceof UserError

function parseSkillName(text: string, file: string): string | null {
  return attempt(() => readFrontmatter(text, file).name, null, isUserError)
}

/** `text` is the file's text, and valid JSON. */
async function warnLostContent(text: string, file: string, warn: Warn): Promise<void> {
  for (const at of findDuplicateFields(text)) warn(at, 'the field occurs twice; the last one counts')
  if (text.includes('\uFFFD') && !isUtf8(await readFile(file)))
    warn('$', 'the file is not UTF-8: characters of it are lost, read as \uFFFD')
}

interface Level {
  /** null: a list. */
  keys: Set<string> | null
  /** Current key or index. */
  at: string | number
}

/** JSON paths of fields whose name occurs earlier in the same object. */
function findDuplicateFields(text: string): string[] {
  const found: string[] = []
  const levels: Level[] = []
  let last = ''
  for (const part of scanJsonParts(text)) {
    const level = levels.at(-1)
    if (part === '{') levels.push({ keys: new Set(), at: '' })
    else if (part === '[') levels.push({ keys: null, at: 0 })
    else if (part === '}' || part === ']') levels.pop()
    else if (part === ',' && typeof level?.at === 'number') level.at += 1
    else if (part === ':' && level?.keys) {
      level.at = JSON.parse(last)
      if (level.keys.has(String(level.at))) found.push(formatJsonPath(levels.map(({ at }) => at)))
      level.keys.add(String(level.at))
    }
    last = part
  }
  return found
}

/** Yields strings and structural characters; other tokens of valid JSON do not concern keys. */
function* scanJsonParts(text: string): Generator<string> {
  const sign = /["{}[\],:]/g
  for (let found = sign.exec(text); found !== null; found = sign.exec(text)) {
    if (found[0] === '"') sign.lastIndex = endOfString(text, found.index)
    yield text.slice(found.index, sign.lastIndex)
  }
}

/** Reads character by character: a nested-star pattern keeps a backtracking point per escape, too many for millions of them. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

export const evalsJsonFormat: SuiteFormat = {
  places: evalsJsonPlaces,
  find: findEvalsJson,
  isAnywhere: true,
  note: bothArmsNote,
  discover: ({ files }) => files.filter((file) => /(^|\/)evals\.json$/.test(file)),
  reads: (file) => file.endsWith('.json') && !file.endsWith('eval-config.json'),
  isMeant: isEvalsFile,
  inspect: inspectEvalsJson,
}
