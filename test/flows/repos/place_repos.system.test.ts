/** `repo` of a case: what is fetched and from where, what the agent finds, and what is refused before any run. */
import { execFileSync } from 'node:child_process'
import {
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { suiteCase } from '../../../schemas/suite.ts'
import { placeRepos } from '../../../src/flows/repos/place_repos.ts'
import { computeRunKey } from '../../../src/phases/1-plan/keys/plan_keys.ts'
import { locateRepo } from '../../../src/phases/1-plan/repo/locate_repo.ts'
import { noSkills } from '../../../src/phases/1-plan/skill/skill_commands.ts'
import { loadSuite } from '../../../src/phases/1-plan/suite/load_suite.ts'
import { listCommands } from '../../../src/phases/1-plan/suite/suite_commands.ts'
import { prepareWorkspace } from '../../../src/phases/2-run/workspace/working_folder.ts'
import { fresh } from '../../e2e/program.ts'
import { specOf } from '../../fixtures/run_spec.ts'
import { folderOf, skillText, userError } from '../../phases/1-plan/folder.ts'
import { contextAt } from '../eval/evaluate.ts'

function git(cwd: string, ...args: string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@localhost', '-c', 'protocol.file.allow=always']
  return execFileSync('git', [...who, ...args], {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()
}

const template: { root?: string } = {}

/** A repository `project` (tag v1, then a later commit with the solution) and a skill whose case starts from it. */
function repository() {
  template.root ??= createRepository()
  const root = folderOf({})
  cpSync(template.root, root, { recursive: true, verbatimSymlinks: true })
  return { root, project: path.join(root, 'project'), skill: path.join(root, 'skill') }
}

function createRepository(): string {
  const root = fresh()
  const files = folderOf({ 'project/f.txt': 'one', 'project/sub/inner.txt': 'inner', 'skill/SKILL.md': skillText })
  cpSync(files, root, { recursive: true })
  const project = path.join(root, 'project')
  symlinkSync('f.txt', path.join(project, 'link'))
  symlinkSync('/nowhere/at/all', path.join(project, 'out'))
  git(project, 'init', '--quiet', '--initial-branch=main')
  git(project, 'add', '--all')
  git(project, 'commit', '--quiet', '-m', 'first')
  git(project, 'tag', 'v1')
  writeFileSync(path.join(project, 'f.txt'), 'solution')
  git(project, 'commit', '--quiet', '-a', '-m', 'solution')
  git(project, 'tag', 'v2')
  return root
}

/** The places of a suite whose only case has this `repo`. */
async function place(root: string, repo: unknown, { trusted = true, stop = new AbortController() } = {}) {
  const skill = path.join(root, 'skill')
  const evals = { skill_name: 'sums', evals: [{ id: 1, prompt: 'p', expectations: ['e'], repo }] }
  mkdirSync(path.join(skill, 'evals'), { recursive: true })
  writeFileSync(path.join(skill, 'evals/evals.json'), JSON.stringify(evals))
  const suite = await loadSuite(skill)
  const request = { workspace: path.join(root, 'workspace'), skill, wish: { trusted } }
  const { signal } = stop
  const placed = await placeRepos(suite, request, {
    ...contextAt(() => new Date(0), process.env),
    signal,
  })
  return { ...placed, case: suiteCase.parse(placed.cases[0]) }
}

/** Clones it as a run does, and returns the working folder. */
async function startRun(root: string, repo: unknown): Promise<string> {
  const { case: one } = await place(root, repo)
  const cwd = path.join(folderOf({}), 'work')
  const env = { PATH: process.env.PATH ?? '', HOME: folderOf({}) }
  const { signal } = new AbortController()
  await prepareWorkspace({
    cwd,
    files: [],
    git: one.git,
    setup: null,
    skillsFolders: ['.claude/skills'],
    skill: null,
    env,
    signal,
  })
  return cwd
}

/** Serves a folder over HTTP on loopback, as a static web server does. */
async function serve(folder: string): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    const name = decodeURIComponent((request.url ?? '/').replace(/\?.*/, ''))
    requests.push(name)
    const file = path.join(folder, name)
    if (!existsSync(file) || lstatSync(file).isDirectory()) response.writeHead(404).end()
    else response.end(readFileSync(file))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { url: `http://127.0.0.1:${address.port}`, requests }
}

describe('the agent starts from', () => {
  test.each<[string, (at: ReturnType<typeof repository>) => unknown, string]>([
    ['a path', () => '../project', 'solution'],
    ['a tag', () => ({ path: '../project', ref: 'v1' }), 'one'],
    ['an expression', () => ({ path: '../project', ref: 'main~1' }), 'one'],
    ['a commit', ({ project }) => ({ path: '../project', ref: git(project, 'rev-parse', 'v1') }), 'one'],
    ['a file URL', ({ project }) => ({ url: `file://${project}`, ref: 'v1' }), 'one'],
  ])('%s, with a clean git status', async (_, repoOf, text) => {
    const at = repository()
    const cwd = await startRun(at.root, repoOf(at))
    expect(readFileSync(path.join(cwd, 'f.txt'), 'utf8')).toBe(text)
    expect(git(cwd, 'status', '--porcelain')).toBe('')
    expect(git(cwd, 'branch', '--show-current')).toBe('main')
    expect(lstatSync(path.join(cwd, 'link')).isSymbolicLink()).toBe(true)
    expect(lstatSync(path.join(cwd, 'out')).isSymbolicLink()).toBe(true)
    expect(git(cwd, 'remote')).toBe('')
    expect(git(cwd, 'config', '--local', 'user.email'), 'so that commits work').toBe('user@localhost')
  })

  test('nothing later than the commit, and no path of this machine', async () => {
    const at = repository()
    const cwd = await startRun(at.root, { path: '../project', ref: 'v1' })
    expect(git(cwd, 'log', '--all', '--format=%s')).toBe('first')
    expect(git(cwd, 'tag')).toBe('v1')
    const later = git(at.project, 'rev-parse', 'v2')
    expect(() => git(cwd, 'cat-file', '-e', later)).toThrow()
    const texts = readdirSync(path.join(cwd, '.git'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1'))
    expect(texts.filter((text) => text.includes(at.root))).toEqual([])
  })

  test('a folder of it, as one commit that is always the same', async () => {
    const at = repository()
    const repo = { path: '../project', ref: 'v1', subdir: 'sub' }
    const cwd = await startRun(at.root, repo)
    expect(readdirSync(cwd).sort()).toEqual(['.git', 'inner.txt'])
    expect(git(cwd, 'log', '--format=%s')).toBe('start')
    const other = await place(at.root, { ...repo, ref: 'v2' })
    expect(other.case.git).toMatchObject({ repo: { commit: git(cwd, 'rev-parse', 'HEAD') } })
  })

  test('a bundle in the skill', async () => {
    const at = repository()
    git(at.project, 'bundle', 'create', '--quiet', path.join(at.skill, 'start.bundle'), 'main', 'v1')
    const cwd = await startRun(at.root, { bundle: 'start.bundle', ref: 'v1' })
    expect(readFileSync(path.join(cwd, 'f.txt'), 'utf8')).toBe('one')
    expect(readFileSync(path.join(await startRun(at.root, 'start.bundle'), 'f.txt'), 'utf8')).toBe('solution')
  })

  test('a shallow clone, which stays shallow', async () => {
    const at = repository()
    git(at.root, 'clone', '--quiet', '--depth=1', `file://${at.project}`, 'shallow')
    const cwd = await startRun(at.root, '../shallow')
    expect(git(cwd, 'log', '--format=%s')).toBe('solution')
    expect(git(cwd, 'status', '--porcelain')).toBe('')
    expect(git(cwd, 'fsck')).not.toMatch(/missing|broken/)
  })

  test('a URL, fetched once, with its address as remote', async () => {
    const at = repository()
    git(at.project, 'update-server-info')
    const { url, requests } = await serve(at.root)
    const repo = { url: `${url}/project/.git`, ref: git(at.project, 'rev-parse', 'v2') }
    const cwd = await startRun(at.root, repo)
    expect(git(cwd, 'remote', 'get-url', 'origin')).toBe(repo.url)
    expect(git(cwd, 'status', '--porcelain', '--branch')).toBe('## main...origin/main')
    const before = requests.length
    expect(before).toBeGreaterThan(0)
    expect((await place(at.root, repo)).notes).toEqual([expect.stringContaining(`commit ${repo.ref.slice(0, 12)}`)])
    expect(requests).toHaveLength(before)
    rmSync(path.join(at.root, 'workspace'), { recursive: true })
    await place(at.root, repo)
    expect(requests.length).toBeGreaterThan(before)
  })
})

describe('the key of a run', () => {
  const keyOf = async (root: string, repo: unknown) =>
    computeRunKey({ ...specOf(), git: (await place(root, repo)).case.git })

  test('follows the commit, not the place', async () => {
    const [one, two] = [repository(), repository()]
    const first = await keyOf(one.root, { path: '../project', ref: 'v1' })
    expect(await keyOf(one.root, { path: '../project', ref: 'main~1' })).toBe(first)
    expect(await keyOf(one.root, { path: '../project', ref: 'main' })).not.toBe(first)
    git(two.root, 'clone', '--quiet', one.project, 'copy')
    expect(await keyOf(two.root, { path: '../copy', ref: 'v1' })).toBe(first)
  })
})

describe('is refused', () => {
  test.each<[string, unknown, RegExp, RegExp]>([
    ['an unknown ref', { path: '../project', ref: 'mian' }, /no ref "mian"/, /did you mean "main"/],
    ['no repository', '..', /not a git repository/, /top of a repository/],
    ['an unknown folder', { path: '../project', subdir: 'gone' }, /no folder "gone"/, /correct "subdir"/],
    ['a host that is not there', 'http://127.0.0.1:1/x.git', /can't be reached/, /git ls-remote http/],
  ])('%s', async (_, repo, what, fix) => {
    const { root } = repository()
    const error = await userError(place(root, repo))
    expect(error.message).toMatch(what)
    expect(error.fix).toMatch(fix)
  })

  test.each<[unknown, RegExp]>([
    ['ext::sh -c touch% /tmp/x', /remote helper/],
    [{ url: 'ext::sh -c id' }, /remote helper/],
    [{ path: '../project', ref: '--upload-pack=id' }, /begins with -/],
    ['git://example.com/x', /unknown scheme "git"/],
    ['https://me:secret@example.com/x', /credentials/],
    [{ path: '../project', subdir: '../..' }, /leads out of the repository/],
    ['../gone', /no such folder or file/],
  ])('%j keeps its case from running', async (repo, reason) => {
    const { root } = repository()
    const { case: one } = await place(root, repo)
    expect(one.cannot_run).toMatch(reason)
    expect(one.cannot_run, 'reasons are joined with it').not.toContain('; ')
    expect(one.git).toBeNull()
  })

  test('a repository elsewhere on this machine, unless the suite is trusted', async () => {
    const { root } = repository()
    const error = await userError(place(root, '../project', { trusted: false }))
    expect(error.message).toMatch(/outside of the skill's folder and git repository/)
    expect(error.fix).toMatch(/--trust-suite/)
    git(root, 'init', '--quiet')
    await place(root, '../project', { trusted: false })
  })

  test('one with the suite in it, but not a part without it', async () => {
    const at = repository()
    await place(at.root, '../project')
    git(at.root, 'init', '--quiet')
    git(at.root, 'add', 'skill')
    git(at.root, 'commit', '--quiet', '-m', 'skill')
    expect((await userError(place(at.root, '..'))).message).toMatch(/the suite itself/)
    const { warnings } = await place(at.root, '../project')
    expect(warnings).toEqual([])
  })

  test.skipIf(process.getuid?.() !== 0)('one of another user, with the fix', async () => {
    const at = repository()
    for (const name of ['.git', '.']) chownSync(path.join(at.project, name), 12345, 12345)
    const error = await userError(place(at.root, '../project'))
    expect(error.message).toMatch(/belongs to another user/)
    expect(error.fix).toContain(`safe.directory '${at.project}'`)
  })
})

test('no hook, filter or helper of a repository is started', async () => {
  const at = repository()
  const mark = path.join(at.root, 'started')
  for (const name of ['post-checkout', 'pre-auto-gc', 'reference-transaction', 'post-merge']) {
    writeFileSync(path.join(at.project, '.git/hooks', name), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 })
  }
  writeFileSync(path.join(at.project, '.gitattributes'), '* filter=evil\n')
  git(at.project, 'add', '.gitattributes')
  git(at.project, 'commit', '--quiet', '-m', 'attributes')
  rmSync(mark, { force: true })
  git(at.project, 'config', 'filter.evil.smudge', `touch ${mark}; cat`)
  git(at.project, 'config', 'core.fsmonitor', `touch ${mark}`)
  git(at.project, 'config', 'uploadpack.packObjectsHook', `touch ${mark}; exec`)
  const cwd = await startRun(at.root, '../project')
  expect(existsSync(path.join(cwd, 'f.txt'))).toBe(true)
  expect(existsSync(mark)).toBe(false)
  rmSync(path.join(at.project, 'f.txt'))
  git(at.project, 'checkout', '--', 'f.txt') // the control: here the filter does start
  expect(existsSync(mark)).toBe(true)
})

test('a repository among the files of a stranger decides nothing about how git is started', async () => {
  const at = repository()
  const mark = path.join(at.root, 'started')
  const settings = `[core]\n\tbare = true\n\trepositoryformatversion = 0\n\tsshCommand = "touch ${mark}; echo"\n`
  for (const [folder, bare] of [
    ['workspace/.cache', ''],
    ['workspace', '.git/'],
  ] as const) {
    for (const name of ['objects', 'refs']) mkdirSync(path.join(at.root, folder, bare, name), { recursive: true })
    writeFileSync(path.join(at.root, folder, bare, 'HEAD'), 'ref: refs/heads/main\n')
    writeFileSync(
      path.join(at.root, folder, bare, 'config'),
      bare === '' ? settings : settings.replace('true', 'false'),
    )
  }
  await userError(place(at.root, 'ssh://git@127.0.0.1:1/x.git'))
  expect(existsSync(mark)).toBe(false)
  const ask = () => git(path.join(at.root, 'workspace/.cache'), 'ls-remote', 'ssh://git@127.0.0.1:1/x.git')
  expect(ask, 'the control: here it is started').toThrow()
  expect(existsSync(mark)).toBe(true)
})

describe('a stored repository that another user made', () => {
  const stored = (root: string) => {
    const folder = path.join(root, 'workspace/.cache/repos')
    return path.join(folder, readdirSync(folder)[0] ?? '')
  }
  const prepare = async () => {
    const at = repository()
    git(at.project, 'update-server-info')
    const { url, requests } = await serve(at.root)
    const repo = { url: `${url}/project/.git`, ref: git(at.project, 'rev-parse', 'v2') }
    await place(at.root, repo)
    return { at, repo, requests, before: requests.length, facts: path.join(stored(at.root), 'repo.json') }
  }
  test('is not used: it is fetched again', async () => {
    const { at, repo, requests, before, facts } = await prepare()
    const { tree, ...others } = JSON.parse(readFileSync(facts, 'utf8'))
    expect(tree).not.toEqual([])
    writeFileSync(facts, JSON.stringify({ ...others, tree: [] }))
    await place(at.root, repo)
    expect(requests.length).toBeGreaterThan(before)
    expect(JSON.parse(readFileSync(facts, 'utf8')).tree).toEqual(tree)
  })
  test('nor is one of another repository, moved to its place', async () => {
    const { at, repo, requests, facts } = await prepare()
    const first = { url: repo.url, ref: git(at.project, 'rev-parse', 'v1') }
    const own = path.dirname(facts)
    await place(at.root, first)
    const all = readdirSync(path.dirname(own)).map((name) => path.join(path.dirname(own), name))
    const other = all.find((one) => one !== own) ?? ''
    cpSync(own, other, { recursive: true })
    const before = requests.length
    expect((await place(at.root, first)).case.git).toMatchObject({ repo: { commit: first.ref } })
    expect(requests.length).toBeGreaterThan(before)
  })
})

describe('a repository of the suite that leads to another one', () => {
  const elsewhere = () => {
    const at = repository()
    git(at.skill, 'init', '--quiet')
    mkdirSync(path.join(at.skill, 'evals/start'), { recursive: true })
    return { ...at, start: path.join(at.skill, 'evals/start') }
  }
  const forms: [string, (at: ReturnType<typeof elsewhere>) => void][] = [
    ['by a file .git', ({ start }) => writeFileSync(path.join(start, '.git'), 'gitdir: ../../../project/.git\n')],
    ['by a link .git', ({ start }) => symlinkSync('../../../project/.git', path.join(start, '.git'))],
    [
      'by links to its parts',
      ({ start }) => {
        writeFileSync(path.join(start, 'HEAD'), 'ref: refs/heads/main\n')
        for (const name of ['objects', 'refs']) symlinkSync(`../../../project/.git/${name}`, path.join(start, name))
      },
    ],
    [
      'by a link inside of its objects',
      ({ project, start }) => {
        cpSync(path.join(project, '.git'), start, { recursive: true })
        const [name = ''] = readdirSync(path.join(start, 'objects')).filter((one) => one.length === 2)
        rmSync(path.join(start, 'objects', name), { recursive: true })
        symlinkSync(`../../../../project/.git/objects/${name}`, path.join(start, 'objects', name))
      },
    ],
    [
      'by alternates',
      ({ project, start }) => {
        git(start, 'init', '--quiet', '--bare')
        writeFileSync(path.join(start, 'objects/info/alternates'), `${project}/.git/objects\n`)
        mkdirSync(path.join(start, 'refs/heads'), { recursive: true })
        cpSync(path.join(project, '.git/refs/heads/main'), path.join(start, 'refs/heads/main'))
      },
    ],
    [
      'by a file with another name that git tries',
      ({ start }) => {
        writeFileSync(path.join(start, 'README.md'), 'plain')
        writeFileSync(`${start}.git`, 'gitdir: ../../project/.git\n')
      },
    ],
    [
      'by a HEAD that git does not accept',
      ({ start }) => {
        git(start, 'init', '--quiet', '--bare')
        writeFileSync(path.join(start, 'HEAD'), 'none\n')
        writeFileSync(`${start}.git`, 'gitdir: ../../project/.git\n')
      },
    ],
    [
      'by a commondir',
      ({ start }) => {
        writeFileSync(path.join(start, 'HEAD'), 'ref: refs/heads/main\n')
        writeFileSync(path.join(start, 'commondir'), '../../../project/.git\n')
      },
    ],
  ]
  test.each(forms)('%s needs a trusted suite', async (_how, lead) => {
    const at = elsewhere()
    lead(at)
    const error = await userError(place(at.root, 'evals/start', { trusted: false }))
    expect(error.message).toMatch(/outside of the skill's folder and git repository/)
  })
  test('a file that is not a bundle keeps its case from running', async () => {
    const at = elsewhere()
    writeFileSync(path.join(at.skill, 'evals/file'), 'gitdir: ../../project/.git\n')
    expect((await place(at.root, 'evals/file')).case.cannot_run).toMatch(/not a git bundle/)
  })
  test('control: a bundle, a bare repository and one with a working folder do not', async () => {
    const at = elsewhere()
    git(at.project, 'bundle', 'create', '--quiet', path.join(at.skill, 'evals/own.bundle'), 'main')
    git(at.skill, 'clone', '--quiet', '--bare', '--no-hardlinks', at.project, 'evals/bare')
    cpSync(at.project, path.join(at.skill, 'evals/whole'), { recursive: true, verbatimSymlinks: true })
    for (const name of ['own.bundle', 'bare', 'whole'])
      expect((await place(at.root, `evals/${name}`, { trusted: false })).case.git, name).not.toBeNull()
  })
  test('control: a worktree and a submodule of the user do not', async () => {
    const at = repository()
    git(at.project, 'worktree', 'add', '--quiet', path.join(at.root, 'tree/app'), 'v1')
    const skill = path.join(at.root, 'tree/app/skill')
    mkdirSync(skill, { recursive: true })
    writeFileSync(path.join(skill, 'SKILL.md'), skillText)
    expect(locateRepo('..', skill).repo).not.toHaveProperty('outside')
    const outer = folderOf({})
    git(outer, 'init', '--quiet')
    git(outer, 'submodule', '--quiet', 'add', at.project, 'inner')
    mkdirSync(path.join(outer, 'inner/skill'))
    expect(locateRepo('..', path.join(outer, 'inner/skill')).repo).not.toHaveProperty('outside')
  })
})

test('submodules and the skill itself are warnings; settings of agent programs are listed', async () => {
  const at = repository()
  writeFileSync(path.join(at.project, '.gitmodules'), '')
  writeFileSync(path.join(at.project, 'copy.md'), readFileSync(path.join(at.skill, 'SKILL.md')))
  writeFileSync(path.join(at.project, '.mcp.json'), '{}')
  git(at.project, 'add', '--all')
  git(at.project, 'commit', '--quiet', '-m', 'more')
  const { warnings, case: one } = await place(at.root, '../project')
  expect(warnings.map(({ message }) => message)).toEqual([
    "the skill's own SKILL.md is in it (copy.md): both configurations see it",
    'it has submodules, which are not fetched: their folders are empty',
  ])
  expect(listCommands([one], () => noSkills)).toMatchObject([{ kind: 'agent_settings', command: '.mcp.json' }])
})

test('an interrupted fetch ends and leaves nothing', async () => {
  const at = repository()
  const stop = new AbortController()
  const server = createServer(() => stop.abort(new Error('stopped')))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : null
  await expect(place(at.root, `http://127.0.0.1:${port}/x.git`, { stop })).rejects.toThrow('stopped')
  expect(readdirSync(path.join(at.root, 'workspace/.cache/tmp'))).toEqual([])
  server.closeAllConnections()
})
