/** Reads skillgrade's eval.yaml: tasks with an instruction, files of the workspace and graders. https://github.com/mgechev/skillgrade */
import path from 'node:path'
import { isJsonObject, openFieldReader, readNonEmptyText } from '../evals_json/fields.ts'
import { findNamedFolders, readNamedText } from './named_text.ts'
import { blankOtherCase, type OtherCase, type OtherInput, type OtherSystem } from './other_suite.ts'
import {
  type FieldNotes,
  type Losses,
  nameUnread,
  settingLosses,
  takeOtherList,
  takeOtherNumber,
  takeOtherObject,
  takeOtherText,
} from './read_fields.ts'
import { hasItems } from './signs.ts'

export const skillgrade: OtherSystem = {
  title: 'skillgrade',
  signs: [
    {
      words: 'a list "tasks" whose items have an "instruction"',
      holds: (document) => hasItems(document, ['tasks'], (item) => isJsonObject(item) && 'instruction' in item),
    },
  ],
  async read(document, place) {
    const { file, warn } = place
    const fields = openFieldReader(isJsonObject(document) ? document : {}, '$')
    const notes: FieldNotes = { warn, refuse: (reason) => warn('$', `${reason}; it is not read`) }
    const base = path.dirname(file)
    const skill = takeOtherText(fields, ['skill'], notes)
    const defaults = takeOtherObject(fields, ['defaults'], notes)
    const timeout = defaults === null ? null : takeOtherNumber(defaults.fields, ['timeout'], notes)
    if (defaults !== null)
      nameUnread(defaults.fields, { what: '"defaults"', known: ['timeout'], losses: ofTask }, notes)
    const cases: OtherCase[] = []
    for (const item of takeOtherList(fields, ['tasks'])) cases.push(await readTask(item, { base, timeout, notes }))
    nameUnread(fields, { what: 'the file', known: ['tasks', 'defaults', 'skill'], losses: {} }, notes)
    return { skillName: skill === null ? null : skillNameOf(skill), base, cases }
  },
}

/** A path of a SKILL.md or of its folder, or a name. */
function skillNameOf(skill: string): string | null {
  const name = path.basename(skill.replace(/\/?SKILL\.md$/i, ''))
  return name === '' || name === '.' ? null : name
}

const ofTask: Losses = {
  agent: settingLosses.engine,
  acp: settingLosses.engine,
  provider: settingLosses.sandbox,
  docker: settingLosses.sandbox,
  environment: settingLosses.sandbox,
  trials: settingLosses.runs,
  threshold: settingLosses.threshold,
  grader_model: settingLosses.judge,
  grader_provider: settingLosses.judge,
  solution: 'write the reference into "reference" of an evals.json',
}

interface TaskPlace {
  base: string
  timeout: number | null
  notes: FieldNotes
}

async function readTask({ value, at }: { value: unknown; at: string }, place: TaskPlace): Promise<OtherCase> {
  const one = blankOtherCase(at)
  const notes: FieldNotes = { warn: place.notes.warn, refuse: (reason) => one.reasons.push(reason) }
  if (!isJsonObject(value)) {
    notes.refuse('it is not an object')
    return one
  }
  const fields = openFieldReader(value, at)
  const name = takeOtherText(fields, ['name'], notes)
  const instruction = takeOtherText(fields, ['instruction'], notes)
  const timeout = takeOtherNumber(fields, ['timeout'], notes) ?? place.timeout
  const checks: unknown[] = []
  const assertions: unknown[] = []
  one.inputs = takeOtherList(fields, ['workspace']).flatMap((item) => readMapping(item, notes))
  const world = { base: place.base, taken: one.inputs.map(({ to }) => to) }
  for (const grader of takeOtherList(fields, ['graders'])) {
    const read = await readGrader(grader, world, notes)
    if (read?.kind === 'check') checks.push(read.item)
    else if (read !== null) assertions.push(read.item)
  }
  nameUnread(fields, { what: 'a task', known: ['name', 'instruction', 'graders', 'workspace'], losses: ofTask }, notes)
  one.object = {
    ...(name !== null && { eval_key: name, name }),
    ...(instruction !== null && { prompt: await readNamedText(instruction, place.base) }),
    ...(timeout !== null && { timeout }),
    ...(checks.length > 0 && { checks }),
    ...(assertions.length > 0 && { assertions }),
  }
  return one
}

/** A text is a path that keeps its last name. */
function readMapping({ value, at }: { value: unknown; at: string }, notes: FieldNotes): OtherInput[] {
  const text = readNonEmptyText(value)
  if (text !== null) return [{ from: text, to: path.posix.basename(text), at }]
  if (!isJsonObject(value)) {
    notes.refuse(`${at} names no file`)
    return []
  }
  const fields = openFieldReader(value, at)
  const from = takeOtherText(fields, ['src'], notes)
  const to = takeOtherText(fields, ['dest'], notes) ?? from
  const losses = { chmod: 'a file that is executable stays so' }
  nameUnread(fields, { what: 'a file of the workspace', known: ['src', 'dest'], losses }, notes)
  if (from === null || to === null) {
    notes.refuse(`${at} has no "src"`)
    return []
  }
  return [{ from, to: to.replace(/^\/workspace\//, ''), at }]
}

/** `taken`: places of the files that the agent gets. */
interface GraderWorld {
  base: string
  taken: readonly string[]
}

type Grader = { kind: 'check' | 'assertion'; item: Record<string, unknown> }

const ofGrader: Losses = {
  setup: 'install what the grader needs before you start',
  model: settingLosses.judge,
  provider: settingLosses.judge,
}

async function readGrader(
  { value, at }: { value: unknown; at: string },
  world: GraderWorld,
  notes: FieldNotes,
): Promise<Grader | null> {
  if (!isJsonObject(value)) {
    notes.refuse(`${at} is not a grader`)
    return null
  }
  const fields = openFieldReader(value, at)
  const type = takeOtherText(fields, ['type'], notes)
  const run = takeOtherText(fields, ['run'], notes)
  const rubric = takeOtherText(fields, ['rubric'], notes)
  const weight = takeOtherNumber(fields, ['weight'], notes)
  nameUnread(fields, { what: 'a grader', known: ['type', 'run', 'rubric', 'weight'], losses: ofGrader }, notes)
  const marks = weight === null ? {} : { weight }
  if (type === 'deterministic' && run !== null) {
    return { kind: 'check', item: { ...(await commandOf(run, world)), ...marks } }
  }
  if (type === 'llm_rubric' && rubric !== null) {
    return { kind: 'assertion', item: { text: await readNamedText(rubric, world.base), ...marks } }
  }
  notes.refuse(`${at} is not a known grader: "deterministic" with "run", or "llm_rubric" with "rubric"`)
  return null
}

const report = 'skillgrade-result.json'

/** Prints { "score", "details", "checks" } on stdout, which the check reads as its report. */
async function commandOf(given: string, { base, taken }: GraderWorld): Promise<Record<string, unknown>> {
  const run = await readNamedText(given, base)
  const files = await findNamedFolders(run, base, taken)
  const check = { type: 'command', run: `(\n${run.trimEnd()}\n) > ${report}`, result: 'json', result_file: report }
  return { ...check, ...(files.length > 0 && { files }) }
}
