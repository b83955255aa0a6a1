/** Reads the deterministic tests of an AAM package: skills/<name>/tests and hooks/tests. */
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { pathExists } from '../../base/fs/files.ts'
import { type AamFields, type FieldMistake, leavesFolder, openPackageFile } from './fields.ts'
import type { ExpectedProcess } from './process_checks.ts'

interface TestBase {
  /** File name without its extension. */
  stem: string
  name: string
  description: string | null
  /** Absolute. */
  file: string
  /** Absolute folder where its process starts. */
  cwd: string
  env: Record<string, string>
  timeoutSeconds: number
  expected: ExpectedProcess
  /** Why it cannot run; empty: it can. */
  mistakes: FieldMistake[]
  unknown: FieldMistake[]
}

export type AamTest =
  | (TestBase & { kind: 'skill'; skill: string; command: string; stdin: string | null; files: string[] })
  | (TestBase & {
      kind: 'hook'
      event: string
      /** Index of the event's group. */
      index: number
      /** Absolute; null: an empty payload. */
      fixture: string | null
      /** Keyed by dot paths. */
      overrides: Record<string, unknown>
    })

export interface AamTests {
  /** Absolute folder of the package, or of a single skill. */
  root: string
  tests: AamTest[]
  /** Test folders without a case; `skill` null: tests of hooks. */
  empty: { skill: string | null; folder: string }[]
  warnings: string[]
}

const defaultSeconds = 30

/** Reads all tests of a package or of a skill's folder. Never throws: mistakes go to the test, or to the warnings. */
export async function readAamTests(root: string): Promise<AamTests> {
  const found: AamTests = { root, tests: [], empty: [], warnings: [] }
  if (await pathExists(path.join(root, 'SKILL.md'))) await addSkill(root, found)
  for (const name of await listTestNames(path.join(root, 'skills')))
    await addSkill(path.join(root, 'skills', name), found)
  await addTests({ folder: path.join(root, 'hooks/tests'), skill: null, read: (one) => hookTest(one, root) }, found)
  if (await pathExists(path.join(root, 'commands/tests'))) {
    found.warnings.push(`${path.join(root, 'commands/tests')}: the format does not define such tests; they are not run`)
  }
  return found
}

async function addSkill(folder: string, found: AamTests): Promise<void> {
  const skill = path.basename(folder)
  await addTests({ folder: path.join(folder, 'tests'), skill, read: (one) => skillTest(one, folder, skill) }, found)
}

interface Source {
  fields: AamFields
  shared: Omit<TestBase, 'cwd' | 'expected' | 'name' | 'description' | 'unknown'>
  folder: string
  unknown: () => FieldMistake[]
}

interface TestFolder {
  folder: string
  skill: string | null
  read: (one: Source) => AamTest
}

async function addTests({ folder, skill, read }: TestFolder, found: AamTests): Promise<void> {
  const all = await listTestNames(path.join(folder, 'cases'))
  const names = all.filter((name) => /\.ya?ml$/.test(name))
  const others = all.filter((name) => !names.includes(name))
  if (others.length > 0) found.warnings.push(`${folder}/cases: not read: ${others.join(', ')} (a test is a .yaml file)`)
  if (names.length === 0) {
    const signs = ['cases', 'test-config.json'].map((name) => pathExists(path.join(folder, name)))
    if ((await Promise.all(signs)).includes(true)) found.empty.push({ skill, folder })
    return
  }
  const config = await readTestConfig(path.join(folder, 'test-config.json'), found.root)
  found.warnings.push(...config.warnings)
  for (const name of names) {
    const file = path.join(folder, 'cases', name)
    const opened = await openPackageFile(found.root, file)
    opened.mistakes.push(...config.mistakes)
    const stem = name.replace(/\.ya?ml$/, '')
    const shared = { stem, file, env: config.env, timeoutSeconds: config.timeout, mistakes: opened.mistakes }
    found.tests.push(read({ fields: opened.fields, shared, folder, unknown: opened.unknown }))
  }
}

async function listTestNames(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).filter((name) => !name.startsWith('.')).sort()
}

interface TestConfig {
  timeout: number
  env: Record<string, string>
  mistakes: FieldMistake[]
  warnings: string[]
}

async function readTestConfig(file: string, root: string): Promise<TestConfig> {
  const { fields, mistakes, unknown } = await openPackageFile(root, file)
  const version = fields.number('version')
  const timeout = fields.seconds('timeout')
  const env = fields.textMap('env')
  for (const name of Object.keys(env))
    if (!/^[A-Za-z_]\w*$/.test(name)) fields.wrong('env', `contains ${name}, which is not a variable name`)
  if (version !== 1) fields.wrong('version', version === null ? 'is missing' : `is ${version}; 1 is known`)
  const warnings = unknown().map(({ at, message }) => `${at}: ${message}`)
  return { timeout: timeout ?? defaultSeconds, env, mistakes, warnings }
}

function skillTest({ fields, shared, unknown }: Source, root: string, skill: string): AamTest {
  const told = readNameAndDescription(fields, shared.stem)
  const input = fields.inner('input')
  const command = input.text('command')
  if (command === null || command.trim() === '') input.wrong('command', 'is missing')
  const files = input.texts('files')
  for (const one of files) if (leavesFolder(one)) input.wrong('files', `contains ${one}, which leads out of the skill`)
  const own = { command: command ?? '', stdin: input.text('stdin'), files }
  const expected = readProcessExpectation(fields, 0)
  return { kind: 'skill', skill, ...shared, ...told, cwd: root, ...own, expected, unknown: unknown() }
}

function hookTest({ fields, shared, folder, unknown }: Source, root: string): AamTest {
  const told = readNameAndDescription(fields, shared.stem)
  const event = fields.text('event')
  if (event === null || event === '') fields.wrong('event', 'is missing')
  const index = fields.number('hook-index') ?? 0
  if (!Number.isInteger(index) || index < 0) fields.wrong('hook-index', 'must be a whole number from 0')
  const input = fields.inner('input')
  const fixture = input.text('fixture')
  if (fixture !== null && leavesFolder(fixture))
    input.wrong('fixture', `names ${fixture}, which leads out of the tests`)
  const given = input.json('overrides')
  const isMap = typeof given === 'object' && given !== null && !Array.isArray(given)
  if (given !== null && !isMap) input.wrong('overrides', 'must be a map')
  const expected = readProcessExpectation(fields, null)
  return {
    kind: 'hook',
    ...shared,
    ...told,
    ...{ event: event ?? '', index, cwd: root, expected },
    fixture: fixture === null ? null : path.resolve(folder, fixture),
    overrides: isMap ? { ...given } : {},
    unknown: unknown(),
  }
}

function readNameAndDescription(fields: AamFields, stem: string): Pick<TestBase, 'name' | 'description'> {
  const name = fields.text('name')
  if (name === null || name === '') fields.wrong('name', 'is missing')
  return { name: name || stem, description: fields.text('description') }
}

function readProcessExpectation(fields: AamFields, defaultCode: number | null): ExpectedProcess {
  const expected = fields.inner('expected')
  const code = expected.number('exit-code')
  if (code !== null && !(Number.isInteger(code) && code >= 0 && code <= 255))
    expected.wrong('exit-code', 'must be a whole number from 0 to 255')
  return {
    exitCode: code ?? defaultCode,
    stdoutContains: expected.texts('stdout-contains'),
    stderrContains: expected.texts('stderr-contains'),
    notContains: expected.texts('not-contains'),
    stdoutJson: expected.json('stdout-json') ?? undefined,
  }
}
