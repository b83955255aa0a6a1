/** Rules for a skill's files: broken links, links out of the skill, and suites that an agent could find. */
import path from 'node:path'
import { attempt } from '../../../../base/errors/attempt.ts'
import { brokenLinkReason, linkOutReason, type Walk } from '../../../../base/fs/files.ts'
import { isHiddenFromAgents } from '../../skill/read_skill.ts'
import { dropKnown, isForbidden, isPlaceholder, type MissingFile, missingScripts } from '../text/command_scripts.ts'
import type { MarkdownLink } from '../text/markdown_links.ts'
import { type SkillFileText, secretRule } from '../text/secrets.ts'
import type { LintFinding, LintRule } from './rule.ts'

export interface SkillDocument {
  /** Relative to the skill, with /. */
  path: string
  lines: readonly string[]
  /** Line of the first one in the file, from 1. */
  firstLine: number
}

export interface SkillTree {
  /** The skill's folder, absolute. */
  root: string
  /** Line of the body's first line, from 1. */
  bodyLine: number
  body: readonly string[]
  links: readonly MarkdownLink[]
  /** Paths of every file that an agent gets. */
  files: readonly string[]
  leftOut: Walk['leftOut']
  /** SKILL.md's body, and the Markdown files of the skill that it names. */
  documents: readonly SkillDocument[]
  /** Every text file in the folder, evals included. */
  texts: readonly SkillFileText[]
}

export const treeRules: readonly LintRule<SkillTree>[] = [
  {
    id: 'link-out',
    severity: 'warning',
    about:
      'A symbolic link leads out of the git repository of the skill, which `bench` refuses without `--links copy`; or a link in SKILL.md leads out of the skill, where agents do not get its target.',
    find: (tree) => [
      ...tree.leftOut
        .filter(({ reason }) => reason === linkOutReason)
        .map((one) => {
          const message = `a link that leads out of the skill, to ${one.target}`
          return buildTreeFinding(tree, one.path, message, 'put the file itself there, or bench with --links copy')
        }),
      ...listRelativeLinks(tree)
        .filter(({ target }) => isOutsideSkill(target))
        .map(({ target, line }) => ({
          message: `${target} leads out of the skill`,
          fix: 'move the file into the skill',
          line,
        })),
    ],
  },
  {
    id: 'link-broken',
    severity: 'warning',
    about: 'A symbolic link, or a relative link in SKILL.md, leads to nothing.',
    find: (tree) => [
      ...tree.leftOut
        .filter(({ reason }) => reason === brokenLinkReason)
        .map((one) => buildTreeFinding(tree, one.path, `a broken link to ${one.target}`, 'fix it or remove it')),
      ...listRelativeLinks(tree)
        .filter(({ target }) => isBroken(tree, target))
        .map(({ target, line }) => ({
          message: `no file ${target} in the skill`,
          fix: 'fix the link or add the file',
          line,
        })),
    ],
  },
  {
    id: 'script-missing',
    severity: 'error',
    about: 'SKILL.md has agents run a script of the skill (`python scripts/x.py`, `./scripts/x`) that is not there.',
    find: (tree) =>
      missingScripts(tree.body, tree.files, tree.root).map(({ name, line }) => ({
        message: `SKILL.md calls ${name}, which does not exist`,
        fix: 'add the script, or correct its path in SKILL.md',
        line: tree.bodyLine + line,
      })),
  },
  {
    id: 'file-missing',
    severity: 'warning',
    about:
      'SKILL.md, or a Markdown file that it names, names a file of the skill in backticks (`references/x.md`, `scripts/x.py`, `assets/x.svg`) that is not there.',
    find: findUnknownFiles,
  },
  {
    id: 'evals-in-sight',
    severity: 'error',
    about: 'Agents could read a suite with its answers, because it is in the skill outside of `evals/`.',
    find: (tree) => [
      ...tree.files
        .filter((name) => /(^|\/)evals?\.json$|\.evals?\.json$|(^|\/)evals\//.test(name))
        .map((name) =>
          buildTreeFinding(tree, name, 'agents would find this suite', 'move it to evals/ at the top of the skill'),
        ),
      ...tree.leftOut
        .filter(({ reason }) => reason === hiddenLink)
        .map((one) => buildTreeFinding(tree, one.path, 'a link to what agents must not see', 'remove it')),
      ...listRelativeLinks(tree)
        .filter(({ target }) => /^evals(\/|\.json)/.test(target))
        .map(({ target, line }) => ({
          message: `sends agents to ${target}`,
          fix: 'take the link out of SKILL.md',
          line,
        })),
    ],
  },
  { ...secretRule, find: ({ texts }) => secretRule.find(texts) },
]

const hiddenLink = 'a link into a part that is left out'

function buildTreeFinding({ root }: SkillTree, name: string, message: string, fix: string): LintFinding {
  return { message, fix, file: path.join(root, name) }
}

/** Relative targets of the links in SKILL.md, normalised, without #fragments. */
function listRelativeLinks({ links, bodyLine }: SkillTree): MarkdownLink[] {
  return links.flatMap(({ target: raw, line }) => {
    const target = relativeTarget(raw)
    return target === null ? [] : [{ target, line: bodyLine + line }]
  })
}

/** A script that SKILL.md has agents run is reported as that. */
function findUnknownFiles({ root, body, files, documents }: SkillTree): LintFinding[] {
  const reported = new Set(missingScripts(body, files, root).map(({ name }) => name))
  return documents.flatMap(({ path: name, lines, firstLine }) => {
    const folder = path.posix.dirname(name)
    return findMissingFiles({ folder: folder === '.' ? '' : folder, lines }, { files, folder: root })
      .filter((missing) => !reported.has(missing.name))
      .map((missing) => {
        reported.add(missing.name)
        const message = `${name} names ${missing.name}, which does not exist`
        const fix = 'add the file, or correct its path'
        return { message, fix, file: path.join(root, name), line: firstLine + missing.line }
      })
  })
}

function isOutsideSkill(target: string): boolean {
  return target === '..' || target.startsWith('../')
}

/** null: a URL, an absolute path, or a placeholder. */
function relativeTarget(raw: string): string | null {
  const bare = raw.replace(/[#?].*$/, '')
  if (bare === '' || /^[a-z][a-z0-9+.-]*:|^\/|[{}<>$*]|\.\.\.|…/i.test(raw)) return null
  return path.posix.normalize(attempt(() => decodeURIComponent(bare), bare))
}

function isBroken({ files }: SkillTree, target: string): boolean {
  if (isOutsideSkill(target) || isHiddenFromAgents(target)) return false
  const folder = target.endsWith('/') ? target : `${target}/`
  return target !== '.' && target !== './' && !files.some((name) => name === target || name.startsWith(folder))
}

/** In backticks: a path in a folder that the specification gives to skills, at most followed by arguments. */
const span =
  /(?<!`)`(?:\.\/|\$\{?(?:CLAUDE_SKILL_DIR|SKILL_DIR)\}?\/|\{baseDir\}\/)?((?:scripts|references?|assets|templates)\/[\w./-]*\w\.[a-z][a-z0-9]{0,7})(?:#[\w-]+)?(?: [^`]*)?`(?!`)/g

/** The paragraph says that the file is an example, may be absent, or is somebody else's. */
const otherFile =
  /\b(?:e\.g|for example|such as|for instance|would|could|optional(?:ly)?|whether|missing|absent|exists?|projects?|repo(?:sitory)?|codebase|workspace|target|produc\w+|export\w*|emit\w*|bundle[ds]?|copy|rename|split|extract|old|former\w*|plugin|another|sibling|upstream|downstream|skill['’]s)\b|^\W*examples?\b|['’]s `/i

/** Returns each once, at its first line. `folder`: of the text, relative to the skill; `skill`: its files, as agents see them, and its folder. */
function findMissingFiles(
  { folder, lines }: { folder: string; lines: readonly string[] },
  skill: { files: readonly string[]; folder: string },
): MissingFile[] {
  const found = new Map<string, number>()
  let isCode = false
  for (const [line, text] of lines.entries()) {
    if (/^\s*(?:```|~~~)/.test(text)) isCode = !isCode
    if (isCode || !text.includes('`') || otherFile.test(readParagraph(lines, line))) continue
    for (const { 1: named = '', index } of text.matchAll(span)) {
      const name = path.posix.normalize(named)
      if (isForbidden(lines, line, index)) continue
      const isBeside = skill.files.includes(path.join(folder, name))
      if (!isBeside && !isPlaceholder.test(name) && !found.has(name)) found.set(name, line)
    }
  }
  return dropKnown(found, lines, skill)
}

/** The line with those before it in its paragraph, item or row. */
function readParagraph(lines: readonly string[], line: number): string {
  let first = line
  while (first > 0 && !begins.test(lines[first] ?? '') && (lines[first - 1] ?? '').trim() !== '') first -= 1
  return lines.slice(first, line + 1).join(' ')
}

const begins = /^\s*(?:[-*+]|\d+[.)]|#{1,6}|\|)\s?/
