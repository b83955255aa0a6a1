/** The rules for a skill's files: links that lead nowhere or out, and suites that an agent would find. */
import path from 'node:path'
import type { Walk } from '../../../base/files.ts'
import { isHiddenFromAgents } from '../skill.ts'
import type { MarkdownLink } from './markdown_links.ts'
import type { Finding, Rule } from './rule.ts'
import { type SkillFileText, secretRule } from './secrets.ts'

export interface SkillTree {
  /** The skill's folder, absolute. */
  root: string
  /** Line of the body's first line. */
  bodyLine: number
  /** Of the body of SKILL.md. */
  links: readonly MarkdownLink[]
  /** Of every file that an agent gets. */
  files: readonly string[]
  leftOut: Walk['leftOut']
  /** All that is text in the folder, evals included. */
  texts: readonly SkillFileText[]
}

export const treeRules: readonly Rule<SkillTree>[] = [
  {
    id: 'link-out',
    severity: 'error',
    about:
      'A symbolic link, or a link in SKILL.md, leads out of the skill: agents get the skill without what is there.',
    find: (tree) => [
      ...tree.leftOut
        .filter(({ reason }) => reason === 'a link out of the folder')
        .map((one) => inTree(tree, one.path, 'a link out of the skill', 'put the file itself there')),
      ...linksOf(tree)
        .filter(({ target }) => isOut(target))
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
        .map((one) => inTree(tree, one.path, 'a broken link', 'mend it or remove it')),
      ...linksOf(tree)
        .filter(({ target }) => isBroken(tree, target))
        .map(({ target, line }) => ({
          message: `no file ${target} in the skill`,
          fix: 'mend the link or add the file',
          line,
        })),
    ],
  },
  {
    id: 'file-left-out',
    severity: 'warning',
    about: 'Something in the skill cannot be given to agents (unreadable, a device, a link to a folder above it).',
    find: (tree) =>
      tree.leftOut
        .filter(({ reason }) => !ownReasons.includes(reason))
        .map((one) => inTree(tree, one.path, `left out: ${one.reason}`, 'mend it or remove it')),
  },
  {
    id: 'evals-in-sight',
    severity: 'error',
    about: 'A suite, or a link to one, lies where agents find it: they could read the answers.',
    find: (tree) => [
      ...tree.files
        .filter((name) => /(^|\/)evals?\.json$|\.evals?\.json$|(^|\/)evals\//.test(name))
        .map((name) => inTree(tree, name, 'agents would find this suite', 'move it to evals/ at the top of the skill')),
      ...tree.leftOut
        .filter(({ reason }) => reason === hiddenLink)
        .map((one) => inTree(tree, one.path, 'a link to what agents must not see', 'remove it')),
      ...linksOf(tree)
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

function inTree({ root }: SkillTree, name: string, message: string, fix: string): Finding {
  return { message, fix, file: path.join(root, name) }
}

/** Relative targets of SKILL.md's links, normalised, without #parts. */
function linksOf({ links, bodyLine }: SkillTree): MarkdownLink[] {
  return links.flatMap(({ target: raw, line }) => {
    const target = relativeTarget(raw)
    return target === null ? [] : [{ target, line: bodyLine + line }]
  })
}

function isOut(target: string): boolean {
  return target === '..' || target.startsWith('../')
}

/** null: an address, a path of a site, or a placeholder. */
function relativeTarget(raw: string): string | null {
  const bare = raw.replace(/[#?].*$/, '')
  if (bare === '' || /^[a-z][a-z0-9+.-]*:|^\/|[{}<>$*]|\.\.\.|…/i.test(raw)) return null
  return path.posix.normalize(decoded(bare))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function isBroken({ files }: SkillTree, target: string): boolean {
  if (isOut(target) || isHiddenFromAgents(target)) return false
  const folder = target.endsWith('/') ? target : `${target}/`
  return target !== '.' && target !== './' && !files.some((name) => name === target || name.startsWith(folder))
}
