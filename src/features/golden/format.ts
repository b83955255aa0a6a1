/** Loads golden tests of an Atomic Agent: <agent>/evals/ with rubric.md, judge.md and golden/<category>/*.md. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { glob } from 'tinyglobby'
import type { GoldenJudge, GoldenRubric } from '../../../schemas/golden.ts'
import type { Suite, SuiteCase } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import { isInsideFolder } from '../../base/fs/inside_folder.ts'
import { readText } from '../../base/json/json.ts'
import { guessJudgeEngine } from '../../engines/models/model_family.ts'
import type { InspectedSuite, SuiteFormat } from '../../phases/1-plan/suite/inspected_suite.ts'
import { blankCase, joinReasons } from '../../phases/1-plan/suite/inspected_suite.ts'
import type { OwnJudge } from '../../phases/3-judge/judge_request.ts'
import { readJudge, readRubric } from './config.ts'
import { type GoldenTest, readGoldenTest } from './test.ts'
import { readVault, type Vault } from './vault.ts'

const goldenPlaces = ['evals/rubric.md with evals/judge.md and evals/golden/<category>/<test>.md']

/** Seconds per test; the format's documents give no value. */
const timeout = 120

/** Bytes per file. */
const longest = 1024 * 1024

function isGolden(file: string): boolean {
  return /[/\\]evals[/\\](?:rubric\.md|judge\.md|golden[/\\].*\.md)$/.test(file)
}

async function findGolden(folder: string): Promise<string | null> {
  for (const place of [path.join(folder, 'evals'), folder]) {
    if ((await pathExists(path.join(place, 'rubric.md'))) && (await pathExists(path.join(place, 'golden'))))
      return place
  }
  return null
}

/** Lists every folder evals/ with golden/ and a rubric.md or a judge.md. */
function discoverGolden({ files }: { files: readonly string[] }): string[] {
  const folders = files.flatMap((file) => /^((?:.*\/)?evals)\/(?:rubric|judge)\.md$/.exec(file)?.[1] ?? [])
  const holds = (folder: string) => files.some((file) => file.startsWith(`${folder}/golden/`))
  return [...new Set(folders)].filter(holds)
}

/** Returns the agent's folder. */
function findGoldenRoot(place: string): string {
  const parts = place.split(path.sep)
  const at = parts.lastIndexOf('evals')
  return at < 1 ? path.dirname(place) : parts.slice(0, at).join(path.sep)
}

async function inspectGolden(place: string): Promise<InspectedSuite> {
  const agent = findGoldenRoot(place)
  const name = path.basename(agent)
  const evals = path.join(agent, 'evals')
  const warnings: Suite['warnings'] = []
  const remarkIn = (file: string) => (line: number, message: string) => {
    warnings.push({ file, at: `line ${line}`, message })
  }
  const [rubricFile, judgeFile] = [path.join(evals, 'rubric.md'), path.join(evals, 'judge.md')]
  const rubric = readRubric(await neededText(rubricFile), { file: rubricFile, agent: name }, remarkIn(rubricFile))
  const judge = readJudge(await neededText(judgeFile), { file: judgeFile, agent: name }, remarkIn(judgeFile))
  const vault = await readVault(agent)
  const dimensions = Object.keys(rubric.weights)
  for (const message of vault.warnings) warnings.push({ file: agent, at: '.', message })
  const files = await testFiles(place, evals)
  const cases: SuiteCase[] = []
  for (const [index, file] of files.entries()) {
    const remark = remarkIn(file)
    const reading = await boundedText(file).then(
      (text) => readGoldenTest(text, { agent: name, folder: categoryFolder(file, evals), dimensions }, remark),
      (error: unknown) => ({ ok: false as const, line: 1, column: 1, message: String(error) }),
    )
    const test = reading.ok ? reading.test : brokenTest(file, evals)
    const reasons = reading.ok
      ? listCannotRunReasons(file, { agent, test: reading.test, vault })
      : [`${file}:${reading.line}:${reading.column}: ${reading.message}`]
    cases.push(buildGoldenCase(test, index + 1, { agent, vault, rubric, judge, reasons }))
  }
  warnDuplicateTests(cases, files, warnings)
  const suite: Suite = {
    format: 'golden',
    path: place,
    skill_name: name,
    root: agent,
    defaults: {
      timeout_seconds: timeout,
      ...(vault.model && { model: vault.model, model_file: path.join(agent, 'model.md') }),
      ...listRecommendedJudges(judge, judgeFile, warnings),
    },
    ...(vault.guardrails && { guardrails: vault.guardrails }),
    cases,
    warnings,
  }
  return { suite, places: files.map((file) => ({ file, at: null })), mistakes: [] }
}

/** Output lines, responses and --test identify a test by its id alone. */
function warnDuplicateTests(cases: readonly SuiteCase[], files: readonly string[], warnings: Suite['warnings']): void {
  const first = new Map<string, string>()
  for (const [index, { eval_name: id }] of cases.entries()) {
    const [file = '', other] = [files[index], first.get(id)]
    if (other === undefined) first.set(id, file)
    else
      warnings.push({
        file,
        at: 'test_id',
        message: `test_id ${id} is that of ${path.basename(other)} too: both are run`,
      })
  }
}

/** Throws UserError if it is missing, and says which files belong together. */
async function neededText(file: string): Promise<string> {
  if (await pathExists(file)) return await boundedText(file)
  throw new UserError(`${file}: no such file`, 'add rubric.md and judge.md next to golden/ (docs/reference/formats.md)')
}

async function boundedText(file: string): Promise<string> {
  const size = (await stat(file).catch(() => null))?.size ?? 0
  if (size > longest) throw new UserError(`${file}: larger than ${longest} bytes`)
  return await readText(file)
}

/** The test file itself, or all of golden/, by path. */
async function testFiles(place: string, evals: string): Promise<string[]> {
  if (/[/\\]golden[/\\].*\.md$/.test(place)) return [place]
  const found = await glob('golden/**/*.md', { cwd: evals, followSymbolicLinks: false })
  return found.sort().map((name) => path.join(evals, name))
}

function listCannotRunReasons(
  file: string,
  { agent, test, vault }: { agent: string; test: GoldenTest; vault: Vault },
): string[] {
  const gone = test.sources.flatMap(({ path: name, line }) => {
    const source = parseSourceFile(name)
    if (source === null || isInVault(agent, source)) return []
    return [`${file}:${line}: ${name} is not in the vault: update the test`]
  })
  return [...vault.reasons, ...gone]
}

function categoryFolder(file: string, evals: string): string | null {
  const [folder, ...below] = path.relative(path.join(evals, 'golden'), file).split(path.sep)
  return folder === undefined || below.length === 0 ? null : folder
}

function brokenTest(file: string, evals: string): GoldenTest {
  const category = categoryFolder(file, evals) ?? 'unknown'
  const texts = { input: '', setup: '', expected_behavior: '', pass_criteria: '', notes: '' }
  const none = { ...texts, expected_facts: [], sources: [], noted: {} }
  const criteria = { thresholds: [], no_hard_fails: false, left_to_judge: [] }
  return { test_id: path.basename(file, '.md'), category, criteria, ...none }
}

interface CaseContext {
  agent: string
  vault: Vault
  rubric: GoldenRubric
  judge: GoldenJudge
  reasons: readonly string[]
}

function buildGoldenCase(
  { sources: _, noted, ...test }: GoldenTest,
  id: number,
  { agent, vault, rubric, judge, reasons }: CaseContext,
): SuiteCase {
  return {
    eval_id: id,
    eval_key: test.test_id,
    eval_name: test.test_id,
    ...blankCase,
    prompt: goldenPrompt(test),
    expected_output: test.expected_behavior || null,
    files: vault.files,
    expectations: [{ text: `a weighted score of ${rubric.threshold_pass} at least, and no hard fail` }],
    environment: vault.environment,
    cannot_run: joinReasons(reasons),
    target: `agent:${path.basename(agent)}`,
    category: test.category,
    skill_path: null,
    ...(Object.keys(noted).length > 0 && { metadata: noted }),
    judging: { kind: 'golden', golden: { ...test, rubric, judge } },
  }
}

/** The input as written; with a Setup, preceded by it as the assumed state. */
function goldenPrompt({ setup, input }: Pick<GoldenTest, 'setup' | 'input'>): string {
  if (setup === '') return input
  return `[EVAL SETUP CONTEXT: the state of the vault assumed for this test]\n\n${setup}\n\n---\n\n${input}`
}

/** Judges of another family first, in the form of --judge. */
function listRecommendedJudges(judge: GoldenJudge, file: string, warnings: Suite['warnings']): { judge?: string } {
  const all = [...judge.cross_family, ...judge.same_family_fallback]
  const known = all.filter((model) => guessJudgeEngine(model) !== null)
  for (const model of all) {
    if (!known.includes(model))
      warnings.push({
        file,
        at: 'recommended_judge',
        message: `the judge ${model} belongs to no provider that Whetstone can ask`,
      })
  }
  return known.length === 0 ? {} : { judge: known.join(',') }
}

/** `memory/x.md#section` and `memory/x.md (line 3)` name memory/x.md; a source in prose names no file. */
function parseSourceFile(source: string): string | null {
  return /^[`"']?([\w./~-]+\.\w{1,8})(?![\w.])/.exec(source.trim())?.[1] ?? null
}

/** Whether a file of this path is in the vault, and not outside it by the path or a link. */
function isInVault(vault: string, file: string): boolean {
  const isBelow = !path.isAbsolute(file) && !path.normalize(file).startsWith('..')
  return isBelow && isInsideFolder(vault, path.join(vault, file))
}

export const goldenFormat: SuiteFormat = {
  places: goldenPlaces,
  find: findGolden,
  needsNoSkill: true,
  discover: discoverGolden,
  rootOf: findGoldenRoot,
  reads: isGolden,
  inspect: inspectGolden,
}

export const ownGoldenJudge: OwnJudge = {
  promptVersion: 'verdict-1',
  load: async () => (await import('./judge.ts')).judgeGolden,
}

export const atomicAgentsKeys = {
  ATOMIC_AGENTS_ANTHROPIC_KEY: 'ANTHROPIC_API_KEY',
  ATOMIC_AGENTS_OPENAI_KEY: 'OPENAI_API_KEY',
}
