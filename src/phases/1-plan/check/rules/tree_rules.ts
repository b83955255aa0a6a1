/** Rules for a skill's files: broken links, links out of the skill, and suites that an agent could find. */
import path from 'node:path'
import type { Walk } from '../../../../base/fs/files.ts'
import { isHiddenFromAgents } from '../../skill/read_skill.ts'
import type { MarkdownLink } from '../text/markdown_links.ts'
import { missingScripts } from '../text/missing_scripts.ts'
import { type SkillFileText, secretRule } from '../text/secrets.ts'
import type { LintFinding, LintRule } from './rule.ts'

export interface SkillTree {
  /** The skill's folder, absolute. */
  root: string
  /** Line of the body's first line, from 1. */
  bodyLine: number
  /** Lines of SKILL.md's body. */
  body: readonly string[]
  /** Links in the body of SKILL.md. */
  links: readonly MarkdownLink[]
  /** Paths of every file that an agent gets. */
  files: readonly string[]
  leftOut: Walk['leftOut']
  /** Every text file in the folder, evals included. */
  texts: readonly SkillFileText[]
}

export const treeRules: readonly LintRule<SkillTree>[] = [
  {
    id: 'link-out',
    severity: 'error',
    about:
      'A symbolic link, or a link in SKILL.md, leads out of the skill: agents get the skill without what is there.',
    find: (tree) => [
      ...tree.leftOut
        .filter(({ reason }) => reason === 'a link out of the folder')
        .map((one) => buildTreeFinding(tree, one.path, 'a link out of the skill', 'put the file itself there')),
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
        .filter(({ reason }) => reason === 'broken link')
        .map((one) => buildTreeFinding(tree, one.path, 'a broken link', 'mend it or remove it')),
      ...listRelativeLinks(tree)
        .filter(({ target }) => isBroken(tree, target))
        .map(({ target, line }) => ({
          message: `no file ${target} in the skill`,
          fix: 'mend the link or add the file',
          line,
        })),
    ],
  },
  {
    id: 'script-missing',
    severity: 'error',
    about: 'SKILL.md has agents run a script of the skill (`python scripts/x.py`, `./scripts/x`) that is not there.',
    find: (tree) =>
      missingScripts(tree.body, tree.files).map(({ script, line }) => ({
        message: `runs ${script}, which is not in the skill`,
        fix: 'add the script, or correct its path in SKILL.md',
        line: tree.bodyLine + line,
      })),
  },
  {
    id: 'file-left-out',
    severity: 'warning',
    about: 'Something in the skill cannot be given to agents (unreadable, a device, a link to a folder above it).',
    find: (tree) =>
      tree.leftOut
        .filter(({ reason }) => !ownReasons.includes(reason))
        .map((one) => buildTreeFinding(tree, one.path, `left out: ${one.reason}`, 'mend it or remove it')),
  },
  {
    id: 'evals-in-sight',
    severity: 'error',
    about: 'A suite, or a link to one, lies where agents find it: they could read the answers.',
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
const ownReasons = ['a link out of the folder', 'broken link', hiddenLink]

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

function isOutsideSkill(target: string): boolean {
  return target === '..' || target.startsWith('../')
}

/** null: a URL, an absolute path, or a placeholder. */
function relativeTarget(raw: string): string | null {
  const bare = raw.replace(/[#?].*$/, '')
  if (bare === '' || /^[a-z][a-z0-9+.-]*:|^\/|[{}<>$*]|\.\.\.|…/i.test(raw)) return null
  return path.posix.normalize(decodeTarget(bare))
}

function decodeTarget(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function isBroken({ files }: SkillTree, target: string): boolean {
  if (isOutsideSkill(target) || isHiddenFromAgents(target)) return false
  const folder = target.endsWith('/') ? target : `${target}/`
  return target !== '.' && target !== './' && !files.some((name) => name === target || name.startsWith(folder))
}
