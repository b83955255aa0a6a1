/** What `check` finds, the dry run and the real start say too: an error refuses both before the first call, a warning is named by both. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { suiteAndPlanRules } from '../../src/phases/1-plan/check/invalid_suite.ts'
import { frontmatterRules } from '../../src/phases/1-plan/check/rules/frontmatter_rules.ts'
import { treeRules } from '../../src/phases/1-plan/check/rules/tree_rules.ts'
import { fresh, makeSkill } from '../e2e/program.ts'
import { runMain, tidyAgent } from './run_main.ts'

const sound = { prompt: 'Tidy up the room', checks: [{ type: 'contains', value: 'TIDY' }] }
const cases = (...first: object[]) => [1, 2, 3, 4, 5, 6, 7].map((id, at) => ({ id, ...(first[at] ?? sound) }))
const front = (lines: string, body = 'Say TIDY.') => ({ 'SKILL.md': `---\n${lines}\n---\n\n${body}\n` })
const usual = 'name: tidy\ndescription: Tidies things up.'
const saying = (body: string) => front(usual, body)

interface Ends {
  check: Awaited<ReturnType<typeof runMain>>
  dry: Awaited<ReturnType<typeof runMain>>
  real: Awaited<ReturnType<typeof runMain>>
  /** Whether the agent was started. */
  isStarted: boolean
  /** The plan of the real start. */
  planned: string
}

async function runAll(skill: string, flags: readonly string[] = []): Promise<Ends> {
  const workspace = path.join(fresh(), 'ws')
  const args = [
    'bench',
    skill,
    '--engine',
    tidyAgent,
    '--runs',
    '1',
    '--sandbox',
    'off',
    '--workspace',
    workspace,
    ...flags,
  ]
  const check = await runMain(['check', skill])
  const dry = await runMain([...args, '--dry-run'])
  const real = await runMain(args)
  const benchmarks = path.join(workspace, 'benchmarks')
  const [folder] = existsSync(benchmarks) ? readdirSync(benchmarks) : []
  const planned = folder === undefined ? '' : readFileSync(path.join(benchmarks, folder, 'plan.json'), 'utf8')
  return { check, dry, real, isStarted: folder !== undefined, planned }
}

test('a sound skill has no warning, and starts', async () => {
  const ends = await runAll(makeSkill(cases().slice(0, 6)))
  expect([ends.check.code, ends.dry.code, ends.real.code, ends.isStarted]).toEqual([0, 0, 0, true])
  const said = ends.check.stdout + ends.dry.stdout + ends.real.stderr
  expect(said.replace('[suite-uniform-only]', '')).not.toMatch(/^\s*warning\b|\[[a-z]+-[a-z-]+\]/m)
})

const errors = [
  ['field-misspelt', { ...sound, expectation: ['It is tidy'] }],
  ['criteria-missing', { prompt: 'Tidy up the room' }],
  ['prompt-empty', { ...sound, prompt: '' }],
  ['input-missing', { ...sound, files: ['evals/files/gone.csv'] }],
  ['own-field', { ...sound, checks: [{ type: 'file_exist', path: 'x' }] }],
] as const

/** Cases that break a rule each, in a skill that breaks three. */
const warnings = [
  ['prompt-states-skill', { ...sound, prompt: leak() }],
  ['check-passes-empty', withCheck({ type: 'regex', pattern: '(TIDY)?' })],
  ['command-file-missing', withCheck({ type: 'command', run: 'sh see.sh' })],
  ['checks-only-absences', { ...sound, checks: [{ type: 'file_absent', path: 'x' }] }],
  ['criterion-twice', withCheck({ type: 'contains', value: 'TIDY' })],
  ['case-passes-empty', { ...sound, checks: [{ type: 'regex', pattern: '.*' }] }],
  ['reference-fails', { ...sound, reference: { answer: 'A mess' } }],
] as const
const skillWarnings = ['file-missing', 'link-broken', 'name-folder']
const warned = front(
  'name: neat\ndescription: Tidies things up.',
  `${steps()}\nRead \`references/gone.md\` first. [More](references/lost.md)`,
)

const small = [{ id: 1, ...sound }]
const skillErrors: [string, Record<string, string>][] = [
  ['script-missing', saying('Run `python3 scripts/gone.py IN OUT`.')],
  ['name-form', front('name: Tidy Up\ndescription: Tidies things up.')],
  ['description-length', front(`name: tidy\ndescription: ${'d'.repeat(1025)}`)],
  ['likely-secret', { 'notes.txt': `${'gh'}p_${'aB3dE5gH'.repeat(5).slice(0, 36)}` }],
]

function steps() {
  return '1. Put the chairs on the tables.\n2. Sweep from the window to the door.'
}

function leak() {
  return 'Tidy up. Put the chairs on the tables and sweep from the window to the door.'
}

function withCheck(check: object) {
  return { ...sound, checks: [...sound.checks, check] }
}

test('errors refuse both starts before anything is paid for, all of them named', async () => {
  const evals = [...errors.map(([, one], at) => ({ id: at + 1, ...one })), { id: 5, ...sound }]
  const { check, dry, real, isStarted } = await runAll(makeSkill(evals))
  expect([check.code, dry.code, real.code, isStarted]).toEqual([1, 2, 2, false])
  for (const rule of [...errors.map(([name]) => name), 'duplicate-id']) {
    expect(check.stdout).toContain(rule)
    expect(dry.stderr).toContain(`[${rule}]`)
    expect(real.stderr).toContain(`[${rule}]`)
  }
})

test('warnings are named by all three, with what to do', async () => {
  const { check, dry, real, isStarted, planned } = await runAll(
    makeSkill(cases(...warnings.map(([, one]) => one)), warned),
  )
  expect([check.code, dry.code, isStarted]).toEqual([0, 0, true])
  const lines = check.stdout.split('\n')
  for (const rule of [...warnings.map(([name]) => name), ...skillWarnings]) {
    const fix = lines[lines.findIndex((line) => line.includes(`[${rule}]`)) + 1]?.trim() ?? 'none'
    expect(dry.stdout).toContain(`[${rule}]`)
    expect(dry.stdout).toContain(`         ${fix}`)
    expect(planned).toContain(`[${rule}]`)
    expect(planned).toContain(JSON.stringify(fix))
  }
  expect(real.stderr).toMatch(/\[name-folder\].*\n +rename one of them\n[\s\S]*… \d+ more warnings in plan\.json\n/)
})

test('frontmatter that is not valid YAML refuses both starts', async () => {
  const skill = makeSkill(small, front('name: tidy\ndescription: Tidies: all'))
  const { check, dry, real, isStarted } = await runAll(skill)
  expect([check.code, dry.code, real.code, isStarted]).toEqual([1, 2, 2, false])
  expect(check.stdout).toContain('frontmatter-yaml')
  for (const end of [dry, real]) expect(end.stderr).toContain('the frontmatter is not valid YAML')
})

describe('an error of the skill is named by all three, and its runs count', () => {
  test.each(skillErrors)('%s', async (rule, files) => {
    const { check, dry, real, isStarted } = await runAll(makeSkill(small, files))
    expect([check.code, dry.code, real.code, isStarted]).toEqual([1, 0, 0, true])
    expect(check.stdout).toContain(rule)
    expect(dry.stdout).toContain(`[${rule}]`)
    expect(real.stderr).toContain(`[${rule}]`)
  })
})

describe('two versions of the same content', () => {
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd, stdio: 'pipe' })
  const commit = (skill: string) => {
    git(skill, 'init', '-q')
    git(skill, 'add', '.')
    git(skill, 'commit', '-q', '-m', 'first')
    return skill
  }
  const copy = (skill: string) => {
    const other = path.join(fresh(), 'tidy')
    mkdirSync(other)
    cpSync(path.join(skill, 'SKILL.md'), path.join(other, 'SKILL.md'))
    return other
  }
  const change = (skill: string) =>
    writeFileSync(path.join(skill, 'SKILL.md'), `---\n${usual}\n---\n\nSay TIDY twice.\n`)

  const older = 'hint: edit the skill, or name an older commit'
  const other = 'hint: edit the skill, or name another version'
  test('of the last commit, and in a folder of their own, are refused', async () => {
    const skill = commit(makeSkill(small))
    for (const baseline of ['git:HEAD', copy(skill)]) {
      const { dry, real, isStarted } = await runAll(skill, ['--baseline', baseline])
      expect([dry.code, real.code, isStarted]).toEqual([2, 2, false])
      const lines = baseline.startsWith('git:')
        ? [`error: --baseline ${baseline}: the skill is unchanged since then`, older]
        : [`error: --baseline ${baseline}: the skill is the same there`, other]
      expect(dry.stderr.trim().split('\n')).toEqual(lines)
      expect(real.stderr.trim().split('\n')).toEqual(lines)
    }
  })
  test('a change of the suite alone does not make them differ, one of the skill does', async () => {
    const skill = commit(makeSkill(small))
    writeFileSync(path.join(skill, 'evals/notes.txt'), 'new')
    git(skill, 'add', '.')
    git(skill, 'commit', '-q', '-m', 'notes')
    const { real: same } = await runAll(skill, ['--baseline', 'git:HEAD~1'])
    expect([same.code, same.stderr.trim().split('\n').at(-1)]).toEqual([2, older])
    const other = copy(skill)
    change(skill)
    for (const baseline of ['git:HEAD', other]) {
      const { dry, real } = await runAll(skill, ['--baseline', baseline])
      expect([dry.code, real.code]).toEqual([0, 0])
    }
  })
  test('--calibrate compares the baseline with itself', async () => {
    const skill = commit(makeSkill(small))
    expect((await runAll(skill, ['--baseline', 'git:HEAD', '--calibrate'])).dry.code).toBe(0)
  })
})

test('every error of a suite that needs no trial, and no engine, stops bench; nothing else does', () => {
  const tried = /^`--(?:null|oracle|overlap)`/
  const ofSkill = [...frontmatterRules, ...treeRules].map(({ id }) => id)
  const unread = ['skill-unreadable', 'suite-unreadable', ...ofSkill] // bench can't read the first two either
  const free = suiteAndPlanRules.filter(({ id, severity, stops_bench, about }) => {
    return severity === 'error' && stops_bench !== true && !tried.test(about) && !unread.includes(id)
  })
  expect(free.map(({ id }) => id)).toEqual([])
  expect(suiteAndPlanRules.filter(({ severity, stops_bench }) => stops_bench && severity !== 'error')).toEqual([])
})
