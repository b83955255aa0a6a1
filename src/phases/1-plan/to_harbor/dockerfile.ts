/** Writes the Dockerfile of a Harbor task: the working folder as a run of the case finds it, and the skills where agents look for them. */
import type { RepoState } from '../../../../schemas/repo.ts'
import type { SuiteCase } from '../../../../schemas/suite.ts'
import { workingFolder } from './verifier_spec.ts'

const baseImage = 'python:3.12-slim-bookworm'

/** Folders in which agents look for skills. */
const skillFolders = [
  ...['.claude/skills', '.codex/skills', '.opencode/skill', '.goose/skills', '.factory/skills'],
  ...['.agents/skills', '.gemini/skills', '.qwen/skills', '.cursor/skills'],
]

export interface ImageParts {
  /** Whether environment/files has files. */
  hasFiles: boolean
  git: SuiteCase['git']
  setup: string | null
  env: Readonly<Record<string, string>>
}

/** Whether files are created while the image is built, so that their list is only known there. */
export function createsFiles({ git, setup }: Pick<ImageParts, 'git' | 'setup'>): boolean {
  return setup !== null || (git !== null && git !== true)
}

export function writeDockerfile(parts: ImageParts): string {
  const { hasFiles, git, setup, env } = parts
  const isBundle = git !== null && git !== true
  const variables = Object.entries(env).map(([name, value]) => `ENV ${name}=${quoteValue(value)}`)
  return [
    `FROM ${baseImage}`,
    ...(git === null ? [] : [installGit]),
    ...variables,
    `WORKDIR ${workingFolder}`,
    ...(isBundle ? ['COPY start.bundle /tmp/start.bundle', git.repo ? cloneCommit(git.repo) : cloneBundle] : []),
    ...(hasFiles ? [`COPY files ${workingFolder}`] : []),
    ...(git === true ? [startRepository] : []),
    ...(setup === null ? [] : [`RUN ${JSON.stringify(['sh', '-c', setup])}`]),
    ...(createsFiles(parts) ? [recordStart] : []),
    ...skillFolders.map((folder) => `COPY skills /root/${folder}`),
    '',
  ].join('\n')
}

const installGit = 'RUN apt-get update && apt-get install -y --no-install-recommends git && rm -rf /var/lib/apt/lists/*'

/** A bundle without HEAD does not say what to check out, so its first branch is used. */
const cloneBundle = [
  'RUN git clone --quiet /tmp/start.bundle .',
  `  && { git rev-parse --quiet --verify HEAD > /dev/null || git checkout --quiet "$(git for-each-ref --count=1 --format='%(refname:lstrip=3)' refs/remotes/origin)"; }`,
].join(' \\\n')

/** As a run clones the `repo` of a case: its branch at its commit, with its tags. */
function cloneCommit({ commit, branch, shallow = [], origin }: RepoState): string {
  const name = quoteWord(branch)
  const isShallow = shallow.length > 0
  return [
    `RUN git init --quiet --initial-branch=${name}`,
    ...(isShallow ? [`  && printf '%s\\n' ${shallow.join(' ')} > .git/shallow`] : []),
    `  && git fetch --quiet --no-tags /tmp/start.bundle ${quoteWord(`refs/heads/${branch}`)} '+refs/tags/*:refs/tags/*'`,
    `  && git checkout --quiet -B ${name} ${commit}`,
    ...(origin === undefined ? [] : [`  && git remote add -- origin ${quoteWord(origin)}`]),
  ].join(' \\\n')
}

function quoteWord(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}

const startRepository = [
  'RUN git init --quiet --initial-branch=main',
  '  && git add --all',
  '  && git -c user.name=start -c user.email=start@localhost commit --quiet --allow-empty --message=start',
].join(' \\\n')

/** verify.py reads it: what differs from it is the work of the agent. */
const recordStart =
  'RUN mkdir -p /var/lib/whetstone && find . -type f -exec sha256sum --zero {} + > /var/lib/whetstone/start'

function quoteValue(value: string): string {
  return `"${value.replaceAll(/["\\$]/g, '\\$&')}"`
}
