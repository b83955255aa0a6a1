/** Finds checks that decide nothing before anything is run: each is decided on an empty answer and on the case's reference. */
import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type Check, isProgramCheck } from '../../../schemas/check.ts'
import type { Problem } from '../../../schemas/check_report.ts'
import type { SuiteCase } from '../../../schemas/suite.ts'
import { openScratch } from '../../base/fs/temp_dir.ts'
import { deadCheckProblems, type ForeseenCheck } from '../../phases/1-plan/check/rules/dead_check_rules.ts'
import type { InspectedSuite } from '../../phases/1-plan/suite/inspected_suite.ts'
import { checkText } from '../../phases/3-judge/checks/check_text.ts'
import { decideCheck } from '../../phases/3-judge/checks/decide_check.ts'
import type { CheckContext } from '../../phases/3-judge/checks/inputs/check_input.ts'
import { isConductCheck } from '../../phases/3-judge/checks/inputs/events.ts'
import { normalizeInnerPath } from '../../phases/3-judge/checks/inputs/locate_output.ts'
import { createDocumentReads } from '../../phases/3-judge/documents/document_reads.ts'

/** Starts nothing: what takes a command or the case's `setup` is not decided. Rejects only when aborted or on a bug. */
export async function findDeadChecks(inspected: InspectedSuite, signal: AbortSignal): Promise<Problem[]> {
  const { suite, places, mistakes } = inspected
  if (mistakes.length > 0) return [] // its checks are not fully known
  const found: Problem[] = []
  for (const [index, one] of suite.cases.entries()) {
    if (one.cannot_run !== null || one.checks.length === 0) continue
    const place = places[index] ?? { file: suite.path, at: null }
    found.push(...deadCheckProblems({ case: one, place, checks: await foreseeChecks(one, signal) }))
  }
  return found
}

async function foreseeChecks(one: SuiteCase, signal: AbortSignal): Promise<ForeseenCheck[]> {
  await using outputs = await writeReference(one)
  const empty = buildContext(one, { answer: '', files: [], folder: '', signal })
  const { answer = '' } = one.reference ?? {}
  const reference = buildContext(one, { answer, files: outputs?.files ?? [], folder: outputs?.path ?? '', signal })
  return await Promise.all(
    one.checks.map(async (check) => ({
      check,
      text: checkText(check),
      passesEmpty: await foreseeEmpty(check, one, empty),
      referenceFailure: await foreseeReferenceFailure(check, one, reference),
    })),
  )
}

async function foreseeReferenceFailure(check: Check, one: SuiteCase, context: CheckContext): Promise<string | null> {
  if (!isAboutReference(check, one)) return null
  const verdict = await decideCheck(check, context)
  return 'passed' in verdict && !verdict.passed ? verdict.evidence : null
}

async function foreseeEmpty(check: Check, one: SuiteCase, context: CheckContext): Promise<boolean | null> {
  if (check.type === 'script' || check.type === 'javascript') return null
  if ('turn' in check && check.turn !== undefined)
    return await foreseeEmpty({ ...check, turn: undefined }, one, context)
  if (check.type === 'command') {
    const succeeds = (check.exit_code ?? 0) === 0 && alwaysSucceeds(check.run, (file) => isInput(file, one) === true)
    return succeeds ? true : null
  }
  if (check.type === 'regex' && check.path === undefined && (check.target ?? 'answer') === 'answer')
    return new RegExp(check.pattern, check.flags).test('') !== (check.absent === true) // on no text a pattern can't take long
  const verdict = await decideCheck(check, context)
  return 'passed' in verdict ? verdict.passed : null
}

/** Whether the case gives the agent that file; null: not known. */
function isInput(name: string, { files, setup, git, repo }: SuiteCase): boolean | null {
  const plain = path.posix.normalize(name).replace(/\/$/, '')
  if (plain === '.' || files.some((file) => file.path === plain || file.path.startsWith(`${plain}/`))) return true
  const isOpen = setup !== null || repo !== undefined || (git !== null && git !== true)
  const isInFolder = files.some(({ kind, path: folder }) => kind === 'directory' && plain.startsWith(`${folder}/`))
  return isOpen || isInFolder ? null : false
}

/** Whether the check looks at something that the reference has: its answer or its files. */
function isAboutReference(check: Check, one: SuiteCase): boolean {
  const { reference } = one
  if ('turn' in check && check.turn !== undefined) return false // the reference is the end of a conversation
  if (reference === null || isConductCheck(check) || isProgramCheck(check)) return false
  if (check.type === 'file_modified' && isInput(check.path, one) === null) return false
  const isOfFiles =
    check.type.startsWith('file_') ||
    ('path' in check && check.path !== undefined) ||
    ('target' in check && check.target === 'outputs')
  return isOfFiles ? Object.keys(reference.files ?? {}).length > 0 : reference.answer !== undefined
}

/** Writes the files of the reference that differ from what the case gives; null: there are none. Dispose it. */
async function writeReference({ reference, files: given }: SuiteCase) {
  const inputs = new Map(given.map((file) => [file.path, file.sha256]))
  const texts = Object.entries(reference?.files ?? {}).flatMap(([wanted, text]) => {
    const name = normalizeInnerPath(wanted)
    const isSame = name !== null && inputs.get(name) === createHash('sha256').update(text).digest('hex')
    return name === null || isSame ? [] : [{ name, text }]
  })
  if (texts.length === 0) return null
  const scratch = await openScratch()
  for (const { name, text } of texts) {
    const file = path.join(scratch.path, name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  return {
    path: scratch.path,
    files: texts.map(({ name }) => name),
    [Symbol.asyncDispose]: () => scratch[Symbol.asyncDispose](),
  }
}

interface ForeseenAnswer {
  answer: string
  files: readonly string[]
  folder: string
  signal: AbortSignal
}

/** A run of an agent that used no tool and left this. */
function buildContext(one: SuiteCase, { answer, files, folder, signal }: ForeseenAnswer): CheckContext {
  const given = new Set(one.files.map((file) => file.path))
  const record = files.map((name) => ({
    ...{ path: name, bytes: 0, sha256: '' },
    change: given.has(name) ? ('modified' as const) : ('created' as const),
  }))
  return {
    finalResponse: answer,
    transcript: async () => `## Eval Prompt\n\n${one.prompt}\n\n${answer}\n`,
    events: async () => [],
    programCalls: async () => [],
    showsTools: true,
    outputsFolder: folder,
    outputs: files,
    documents: createDocumentReads(),
    leftOut: [],
    record: {
      status: 'completed',
      steps: 0,
      usage: { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 },
      cost: { usd: 0, source: 'estimated' },
      duration_ms: 0,
      skill: { offered: null, read: false, read_at_step: null },
      outputs: { files: record, deleted: [], left_out: [] },
    },
    skill: null,
    start: one,
    restore: async () => {
      throw new Error('nothing is started here')
    },
    env: {},
    signal,
  }
}

const succeeding = new Set(['true', ':', 'echo', 'printf', 'pwd'])
const readers = new Set(['cat', 'ls', 'head', 'tail', 'wc', 'sort'])

/** Reads plain words only; anything else (variables, substitutions, loops, other programs) returns false. `isGiven`: an input of the case. */
function alwaysSucceeds(run: string, isGiven: (file: string) => boolean): boolean {
  const unquoted = run.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double = '', single = '') =>
    `${double}${single}`.replaceAll(/[\s;|&]/g, '_'),
  )
  const text = unquoted.trim().replaceAll(/\d?>>?\s*(?:&\d|[^\s;&|]+)/g, ' ')
  if (/[`(){}<$*?!]/.test(text)) return false
  const parts = text.split(/;|\n|\|\|/)
  if (parts.slice(0, -1).some((part) => /(?:^|&&)\s*(?:exit|set|exec)\b/.test(part))) return false
  return (parts.at(-1) ?? '').split('&&').every((part) => pipelineSucceeds(part, isGiven))
}

/** The last program of a pipeline decides. */
function pipelineSucceeds(pipeline: string, isGiven: (file: string) => boolean): boolean {
  const stages = pipeline.split('|')
  const [name = '', ...args] = (stages.at(-1) ?? '').trim().split(/\s+/)
  const files = args.filter((word) => !word.startsWith('-') && word !== ']')
  const areGiven = files.length > 0 && files.every(isGiven)
  if (name === 'exit') return (args[0] ?? '0') === '0'
  if (name === 'test' || name === '[') return /^-[defrs]$/.test(args[0] ?? '') && areGiven
  if (readers.has(name)) return areGiven || (stages.length > 1 && files.length === 0)
  return succeeding.has(name)
}
