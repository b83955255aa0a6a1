/** A repository with a skill, a branch that changes it, and the job of a pull request that uses the action on it. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { globSync } from 'tinyglobby'
import { parseScenario } from '../../src/features/practice/scenario/scenario.ts'
import { startPractice } from '../../src/features/practice/server.ts'
import type { GithubServer } from './github_server.ts'
import { type Job, type JobEnd, runAction, type StandIn } from './run_job.ts'

const root = path.join(import.meta.dirname, '../..')

/** The agent says what the skill says; without one it has nothing to say. */
const scenario = `
models: [claude-haiku-4-5]
rules:
  - name: reads the skill
    when: { system: 'file: (?<skillfile>\\S+SKILL\\.md)', turn: 1 }
    tool_calls: { name: Read, input: { file_path: '{{skillfile}}' } }
  - name: obeys
    when: { result: 'Say (?<word>[A-Z ]+)\\.' }
    text: '{{word}}'
  - name: has nothing to say
    text: hello
`

/** `latency`: milliseconds before each answer. */
export const startModel = (latency = 0) =>
  startPractice({ scenario: parseScenario(`latency: ${latency}\n${scenario}`, 'action.yaml') })

const skillText = (name: string, word: string) =>
  `---\nname: ${name}\ndescription: Tidies things up.\n---\n\nSay ${word}.\n`

/** Two cases that code decides. */
const checks = (name: string) => ({
  skill_name: name,
  evals: [1, 2].map((id) => ({ id, prompt: `task ${id}`, checks: [{ type: 'contains', value: 'TIDY' }] })),
})

export interface Repository {
  folder: string
  base: string
  head: string
}

/** The files of the base and what the branch changes, by path; null removes nothing and is not written. */
export function makeRepository(
  base: Readonly<Record<string, string>> = {},
  branch: Readonly<Record<string, string>> = { 'skills/tidy/SKILL.md': skillText('tidy', 'TIDY') },
): Repository {
  const folder = mkdtempSync(path.join(tmpdir(), 'checkout-'))
  const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' }).trim()
  const commit = (files: Readonly<Record<string, string>>) => {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
      writeFileSync(path.join(folder, file), text)
    }
    git('add', '--all')
    git('-c', 'user.name=Ada', '-c', 'user.email=ada@skills.example', 'commit', '-qm', 'x', '--allow-empty')
    return git('rev-parse', 'HEAD')
  }
  git('init', '-q', '-b', 'main')
  const first = { ...skillFiles('tidy', 'NOTHING'), '.gitignore': 'workspaces/\n', ...base }
  const start = commit(first)
  git('checkout', '-qb', 'change')
  return { folder, base: start, head: commit(branch) }
}

export function skillFiles(name: string, word: string, suite: object = checks(name)): Record<string, string> {
  return {
    [`skills/${name}/SKILL.md`]: skillText(name, word),
    [`skills/${name}/evals/evals.json`]: JSON.stringify(suite),
  }
}

export interface PullRequestOptions {
  repository: Repository
  github: GithubServer
  /** Address of the practice model. */
  model?: string
  /** The event's name and where the branch is from. */
  event?: string
  from?: string
  inputs?: Readonly<Record<string, string>>
  env?: Readonly<Record<string, string>>
  runId?: string
  /** In place of actions/upload-artifact. */
  uploads?: StandIn
}

/** The caches that jobs saved, by key, as actions/cache keeps them. */
export type Caches = Map<string, string>

function standIns(caches: Caches = new Map()): Record<string, StandIn> {
  const places = (pattern: string, cwd: string) =>
    globSync(
      pattern.split('\n').flatMap((one) => one.trim().replace(/^\.\//, '') || []),
      { cwd, dot: true, onlyDirectories: true, expandDirectories: false },
    )
  return {
    'actions/checkout': () => ({}),
    'actions/setup-node': () => ({}),
    'actions/cache/restore': ({ key = '', 'restore-keys': prefix = '' }, checkout) => {
      const found = [...caches].reverse().find(([one]) => one === key || one.startsWith(prefix.trim()))
      if (found !== undefined) cpSync(found[1], checkout, { recursive: true })
      return { 'cache-matched-key': found?.[0] ?? '' }
    },
    'actions/cache/save': ({ key = '', path: pattern = '' }, checkout) => {
      if (caches.has(key)) throw new Error(`cache ${key} exists`)
      const store = mkdtempSync(path.join(tmpdir(), 'cache-'))
      for (const place of places(pattern, checkout))
        cpSync(path.join(checkout, place), path.join(store, place), { recursive: true })
      caches.set(key, store)
      return {}
    },
    'actions/upload-artifact': ({ path: files = '' }) => {
      const missing = files.split('\n').filter((file) => file.trim() !== '' && !existsSync(file.trim()))
      if (missing.length > 0) throw new Error(`not there: ${missing}`)
      return { 'artifact-url': 'https://github.example/artifact/1' }
    },
  }
}

/** The job, as GitHub describes it. */
export function pullRequestJob(
  { repository, github, event = 'pull_request', from = 'ada/skills', runId = '1', uploads }: PullRequestOptions,
  caches?: Caches,
): Job {
  const { folder, base, head } = repository
  const of = (name: string) => ({ full_name: name })
  return {
    folder,
    github: {
      ...{
        event_name: event,
        repository: 'ada/skills',
        run_id: runId,
        run_attempt: '1',
        sha: head,
        token: 'ghs_token-of-the-job',
      },
      ...{ api_url: github.url, server_url: 'https://github.example', job: 'bench' },
    },
    event: {
      pull_request: { number: 7, base: { sha: base, repo: of('ada/skills') }, head: { sha: head, repo: of(from) } },
    },
    standIns: { ...standIns(caches), ...(uploads && { 'actions/upload-artifact': uploads }) },
  }
}

export const usualInputs = { engine: 'anthropic:claude-haiku-4-5', runs: '1', args: '--trust-suite' }

/** `model`: the address of the practice model. */
export const usualKey = (model = '') => ({ ANTHROPIC_API_KEY: 'practice', ANTHROPIC_BASE_URL: model })

/** The action on the skill's pull request, one run of each case, with the practice model. */
export async function runOnPullRequest(options: PullRequestOptions, caches?: Caches): Promise<JobEnd> {
  const { model, inputs, env = usualKey(model) } = options
  return await runAction(pullRequestJob(options, caches), {
    ...{ action: root, inputs: { ...usualInputs, ...inputs }, env },
  })
}
