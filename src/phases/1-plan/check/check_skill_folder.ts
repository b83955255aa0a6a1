/** Checks a skill's own files, without its suite: `check` lists the problems, `bench` and `improve` stop at the errors. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Problem } from '../../../../schemas/check_report.ts'
import { errorMessage } from '../../../base/errors/error.ts'
import { pathExists, walk } from '../../../base/fs/files.ts'
import { describeMissingPath } from '../../../base/fs/nearest_path.ts'
import { readText } from '../../../base/json/json.ts'
import { isHiddenFromAgents } from '../skill/read_skill.ts'
import { followSkillLinks, type SkillLinks } from '../skill/skill_links.ts'
import { frontmatterRules } from './rules/frontmatter_rules.ts'
import { placeRules } from './rules/plan_rules.ts'
import { applyRules, toProblem } from './rules/rule.ts'
import { type SkillDocument, treeRules } from './rules/tree_rules.ts'
import type { SuiteSkill } from './suite_problems.ts'
import { readSkillSteps } from './text/leaked_steps.ts'
import { findLinks } from './text/markdown_links.ts'
import type { SkillFileText } from './text/secrets.ts'
import { openSkillText, type SkillText } from './text/skill_text.ts'

export interface CheckedFolder extends SuiteSkill {
  readable: boolean
  problems: Problem[]
}

/** `root`: the skill's folder, absolute. Rejects only on a bug. */
export async function checkSkillFolder(root: string, links: SkillLinks = 'repository'): Promise<CheckedFolder> {
  const file = path.join(root, 'SKILL.md')
  const read = await readText(file).catch((error: unknown) => ({ message: errorMessage(error) }))
  if (typeof read !== 'string') {
    const message = (await pathExists(file)) ? read.message : describeMissingPath(file, 'no such file')
    const problem = toProblem(placeRules.unreadable, { message, fix: 'pass the folder that contains SKILL.md' }, file)
    return { readable: false, problems: [problem], name: null, steps: [], files: [] }
  }
  const text = openSkillText(read, path.basename(root))
  const tree = await checkTree(root, text, links)
  const problems = [...applyRules(frontmatterRules, text, file), ...tree.problems]
  const [name, description] = ['name', 'description'].map((key) => text.entries.get(key)?.value)
  const steps = readSkillSteps(text.body, `${name} ${description}`)
  return { readable: true, problems, name: typeof name === 'string' ? name.trim() : null, steps, files: tree.files }
}

async function checkTree(
  root: string,
  text: SkillText,
  followed: SkillLinks,
): Promise<Pick<CheckedFolder, 'problems' | 'files'>> {
  const outside = followSkillLinks(root, followed, isHiddenFromAgents)
  const seen = await walk(root, { skip: isHiddenFromAgents, outside, unreadable: 'leave_out' })
  const notOurs = (name: string) => /(^|\/)(\.git|node_modules)(\/|$)|^workspaces(\/|$)/.test(name)
  const all = await walk(root, { skip: notOurs, unreadable: 'leave_out' })
  const texts: SkillFileText[] = []
  for (const { path: name, source, bytes } of all.files) {
    const text = bytes > textBytes ? null : await readFile(source, 'utf8').catch(() => null)
    if (text !== null && !text.includes('\0')) texts.push({ path: name, file: path.join(root, name), text })
  }
  const files = seen.files.map(({ path: name }) => name)
  const [{ body, bodyLine }, { leftOut }] = [text, seen]
  const links = await findLinks(body)
  const documents = listDocuments(text, texts)
  const tree = { root, bodyLine, body, links, files, leftOut, documents, texts }
  return { problems: applyRules(treeRules, tree, path.join(root, 'SKILL.md')), files }
}

/** SKILL.md, and the Markdown files of the skill that it names. */
function listDocuments({ body, bodyLine }: SkillText, texts: readonly SkillFileText[]): SkillDocument[] {
  const whole = body.join('\n')
  const named = texts.filter(
    ({ path: name }) => /(?<!^SKILL)\.md$/i.test(name) && !isHiddenFromAgents(name) && whole.includes(name),
  )
  return [
    { path: 'SKILL.md', lines: body, firstLine: bodyLine },
    ...named.map(({ path: name, text }) => ({ path: name, lines: text.split(/\r?\n/), firstLine: 1 })),
  ]
}

/** Larger files count as data and are not searched for secrets. */
const textBytes = 2 ** 20
