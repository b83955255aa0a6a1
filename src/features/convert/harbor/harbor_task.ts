/** Builds the files of a Harbor task from a case. Pure. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { stringify } from 'smol-toml'
import type { Check } from '../../../../schemas/check.ts'
import { pathBelow } from '../../../../schemas/paths.ts'
import type { RepoState } from '../../../../schemas/repo.ts'
import type { Environment, Suite, SuiteCase } from '../../../../schemas/suite.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import { quoteWord } from '../../../base/package_root.ts'
import { usualTimeout } from '../../../phases/1-plan/suite/adapt_for_bench.ts'
import { listLosses } from './losses.ts'
import { planVerifier, type VerifierPlan, type VerifierSpec, verifierSeconds, workingFolder } from './verifier_spec.ts'

/** A file of the task: its text, or the absolute path of the file to copy. */
export type TaskFile = { path: string; text: string; executable?: true } | { path: string; source: string }

/** A file that a case gets, found: `path` in the working folder, `source` absolute. */
export interface TaskInput {
  path: string
  source: string
  sha256: string
}

export interface TaskRequest {
  case: SuiteCase
  suite: Pick<Suite, 'defaults' | 'sandbox'>
  skill_name: string
  inputs: readonly TaskInput[]
  /** Every file that only the grading sees, also those of folders. */
  grading: readonly TaskInput[]
  /** The programs of `script` checks, by their paths in the suite. */
  programs: ReadonlyMap<string, string>
  /** Files of the skill and of further skills, as <name>/… */
  skills: readonly { path: string; source: string }[]
  /** Writes a check in plain words. */
  sentence: (check: Check) => string
}

/** `lost`: sentences about what the task does not contain. */
export type TaskResult = { files: TaskFile[]; lost: string[] } | { refusal: string }

export function buildHarborTask(request: TaskRequest): TaskResult {
  const { case: one, inputs } = request
  const texts = listTexts(one.environment)
  const taken = [...inputs, ...texts].map((file) => file.path)
  const verifier = planVerifier(one, { ...request, taken })
  if (verifier.refusal !== null) return { refusal: verifier.refusal }
  const env = pickVariables(one.environment?.env)
  const start = { ...listHashes(inputs), ...listHashes(texts.map(hashText)) }
  const spec: VerifierSpec = {
    working_folder: workingFolder,
    answer_file: verifier.answer_file,
    start: createsFiles(one) ? null : start,
    checks: verifier.checks,
  }
  const hasFiles = inputs.length + texts.length > 0
  return {
    files: [
      { path: 'task.toml', text: writeTaskToml(request, verifier) },
      { path: 'instruction.md', text: writeInstruction(one.prompt, verifier.answer_file) },
      { path: 'environment/Dockerfile', text: writeDockerfile({ hasFiles, git: one.git, setup: one.setup, env }) },
      ...inputs.map(({ path, source }) => ({ path: `environment/files/${path}`, source })),
      ...texts.map(({ path, text }) => ({ path: `environment/files/${path}`, text })),
      ...(one.git === null || one.git === true ? [] : [{ path: 'environment/start.bundle', source: one.git.bundle }]),
      ...request.skills.map(({ path, source }) => ({ path: `environment/skills/${path}`, source })),
      { path: 'tests/test.sh', text: testScript, executable: true },
      { path: 'tests/verify.py', text: verifyProgram },
      ...request.grading.map(({ path, source }) => ({ path: `tests/files/${path}`, source })),
      { path: 'tests/checks.json', text: `${jsonText(spec, 2)}\n` },
      ...writeSolution(one.reference, verifier.answer_file),
    ],
    lost: [...listLosses(one, request.suite, verifier), ...listStrayFiles(one.reference)],
  }
}

const verifyProgram = readFileSync(new URL('./verify.py', import.meta.url), 'utf8')
// -I: nothing that the agent left in the working folder or the home folder is loaded as a module
const testScript = '#!/bin/bash\nexec python3 -I "$(dirname "$0")/verify.py"\n'

/** Files that the case brings as texts. */
function listTexts({ texts = {}, instructions }: Partial<Environment> = {}): { path: string; text: string }[] {
  const told = instructions === undefined ? {} : { 'AGENTS.md': instructions, '.claude/CLAUDE.md': instructions }
  return Object.entries({ ...texts, ...told }).map(([path, text]) => ({ path, text }))
}

function hashText({ path, text }: { path: string; text: string }): { path: string; sha256: string } {
  return { path, sha256: hash('sha256', text) }
}

function listHashes(files: readonly { path: string; sha256: string }[]): Record<string, string> {
  return Object.fromEntries(files.map(({ path, sha256 }) => [path, sha256]))
}

/** Without values that no line of a Dockerfile can contain. */
function pickVariables(env: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => !/[\r\n]/.test(value)))
}

function writeInstruction(prompt: string, answerFile: string | null): string {
  const text = prompt.endsWith('\n') ? prompt : `${prompt}\n`
  if (answerFile === null) return text
  return `${text}\nWrite your final answer to the file \`${workingFolder}/${answerFile}\`.\n`
}

function writeTaskToml({ case: one, suite, skill_name }: TaskRequest, verifier: VerifierPlan): string {
  const { eval_id, eval_key, eval_name, category } = one
  return stringify({
    schema_version: '1.1',
    version: '1.0',
    metadata: {
      eval_id,
      ...(eval_key !== null && { eval_key }),
      eval_name,
      skill_name,
      ...(category !== undefined && { category }),
      not_verified: verifier.left_out.map(({ text }) => text),
    },
    verifier: { timeout_sec: verifierSeconds(verifier.checks) },
    agent: { timeout_sec: one.timeout_seconds ?? suite.defaults?.timeout_seconds ?? usualTimeout },
    environment: {
      build_timeout_sec: 600,
      cpus: 1,
      memory_mb: 2048,
      storage_mb: 10240,
      allow_internet: suite.sandbox?.network === 'open',
    },
  })
}

function listStrayFiles(reference: SuiteCase['reference']): string[] {
  const stray = Object.keys(reference?.files ?? {}).filter((path) => !pathBelow.safeParse(path).success)
  return stray.map((path) => `the file ${path} of the reference, which is not in the working folder`)
}

/** solve.sh puts the files and the answer of the reference where the agent would; none without a reference. */
function writeSolution(reference: SuiteCase['reference'], answerFile: string | null): TaskFile[] {
  const { files = {}, answer } = reference ?? {}
  const own = Object.entries(files)
    .filter(([path]) => pathBelow.safeParse(path).success)
    .map(([path, text]) => ({ path: `solution/files/${path}`, text }))
  const hasAnswer = answer !== undefined && answerFile !== null
  if (own.length === 0 && !hasAnswer) return []
  const lines = [
    '#!/bin/bash',
    'set -e',
    'here="$(cd "$(dirname "$0")" && pwd)"',
    ...(own.length > 0 ? [`cp -R "$here/files/." ${workingFolder}/`] : []),
    ...(hasAnswer ? [`cp "$here/answer.txt" ${workingFolder}/${answerFile}`] : []),
    '',
  ]
  return [
    { path: 'solution/solve.sh', text: lines.join('\n'), executable: true },
    ...own,
    ...(hasAnswer ? [{ path: 'solution/answer.txt', text: answer }] : []),
  ]
}

const baseImage = 'python:3.12-slim-bookworm'

const skillFolders = [
  ...['.claude/skills', '.codex/skills', '.opencode/skill', '.goose/skills', '.factory/skills'],
  ...['.agents/skills', '.gemini/skills', '.qwen/skills', '.cursor/skills'],
]

interface ImageParts {
  hasFiles: boolean
  git: SuiteCase['git']
  setup: string | null
  env: Readonly<Record<string, string>>
}

/** Whether files are created while the image is built, so that their list is only known there. */
function createsFiles({ git, setup }: Pick<ImageParts, 'git' | 'setup'>): boolean {
  return setup !== null || (git !== null && git !== true)
}

function writeDockerfile(parts: ImageParts): string {
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
