/** Decides which links of a skill are followed out of its folder, and refuses the others before anything is paid for. */
import { existsSync, realpathSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { UserError } from '../../../base/errors/error.ts'
import { brokenLinkReason, type LeftOut, linkOutReason, type OutsideLinks } from '../../../base/fs/files.ts'
import { isInsideFolder } from '../../../base/fs/inside_folder.ts'

/**
 * What happens to links that lead out of a skill. `repository`: a target in the same git repository is copied, any other is
 * refused. A SKILL.md that is a link is always followed.
 */
export type SkillLinks = 'copy' | 'refuse' | 'repository'

/** Most bytes and files behind the links of a skill. */
const most = { bytes: 200 * 2 ** 20, files: 10_000 }

/** `hides`: whether a path relative to the skill is hidden from agents. */
export function followSkillLinks(
  folder: string,
  links: SkillLinks,
  hides: (relative: string) => boolean,
): OutsideLinks {
  const root = realpathSync.native(folder)
  const top = findRepositoryTop(root)
  const sum = { bytes: 0, files: 0 }
  return {
    follows: (name, target) => {
      if (name === 'SKILL.md' || links === 'copy') return true
      return links === 'repository' && top !== null && isInsideFolder(top, target)
    },
    // the answers of this skill or of another one, results and .git
    hides: (target) => {
      const parts = path.relative(top !== null && isInsideFolder(top, target) ? top : root, target).split(path.sep)
      return parts.some((_, at) => hides(parts.slice(at).join('/')))
    },
    count: (name, bytes) => {
      sum.files += 1
      sum.bytes += bytes
      if (sum.files <= most.files && sum.bytes <= most.bytes) return
      throw new UserError(
        `${path.join(folder, name)}: more than ${most.files} files or ${most.bytes / 2 ** 20} MB behind the links of the skill`,
        'put the files that the skill needs into its folder, and remove the link',
      )
    },
  }
}

/** The git repository that contains a folder (real path). null: none, or it is the whole home folder. */
export function findRepositoryTop(folder: string): string | null {
  for (let at = folder; at !== os.homedir(); at = path.dirname(at)) {
    const git = path.join(at, '.git')
    // a file in worktrees and submodules
    if (existsSync(path.join(git, 'HEAD')) || statSync(git, { throwIfNoEntry: false })?.isFile()) return at
    if (path.dirname(at) === at) return null
  }
  return null
}

/** Throws UserError for the first link that leads out of the skill and is not followed. */
export function refuseSkillLinks(folder: string, leftOut: readonly LeftOut[]): void {
  const [first, ...others] = leftOut.filter(({ reason, target }) => target !== undefined && reason !== brokenLinkReason)
  if (first === undefined) return
  const more = others.length === 0 ? '' : `, and ${others.length} more`
  const why = first.reason === linkOutReason ? 'a link that leads out of the skill' : first.reason
  throw new UserError(
    `${path.join(folder, first.path)}: ${why}, to ${first.target}${more}`,
    first.reason === linkOutReason
      ? 'add --links copy, so that agents get a copy of what links lead to, or remove the link'
      : 'remove the link: agents may not get what it leads to',
  )
}
