/** Reads skillgrade's eval.yaml: tasks with an instruction, files of the workspace and graders. https://github.com/mgechev/skillgrade */
import path from 'node:path'
import { readNonEmptyText } from '../../phases/1-plan/formats/evals_json/fields.ts'
import { findNamedFolders, readNamedText } from './named_text.ts'
import {
  dropEmpty,
  hasItems,
  type OtherCase,
  type OtherInput,
  type OtherSystem,
  readEachCase,
  splitCriteria,
} from './other_suite.ts'
import { type Losses, type NamedItem, OtherFields, settingLosses } from './read_fields.ts'

export const skillgrade: OtherSystem = {
  title: 'skillgrade',
  signs: [
    {
      words: 'a list "tasks" whose items have an "instruction"',
      holds: (document) => hasItems(document, ['tasks'], ['instruction']),
    },
  ],
  async read(fields, { base, warn }) {
    const skill = fields.text('skill')
    const defaults = fields.inner('defaults')
    const timeout = defaults.number('timeout')
    defaults.rest('"defaults"', ['timeout'], ofTask)
    const cases = await readEachCase(fields.list('tasks'), warn, (of, one) => readTask(of, one, { base, timeout }))
    fields.rest('the file', ['tasks', 'defaults', 'skill'])
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

async function readTask(
  fields: OtherFields,
  one: OtherCase,
  shared: { base: string; timeout: number | null },
): Promise<void> {
  const { base } = shared
  const name = fields.text('name')
  const instruction = fields.text('instruction')
  const timeout = fields.number('timeout') ?? shared.timeout
  one.inputs = fields.list('workspace').flatMap((item) => readMapping(item, fields))
  const taken = one.inputs.map(({ to }) => to)
  const criteria: unknown[] = []
  for (const grader of fields.items('graders')) criteria.push(...(await readGrader(grader, base, taken)))
  fields.rest('a task', ['name', 'instruction', 'graders', 'workspace'], ofTask)
  const prompt = instruction === null ? null : await readNamedText(instruction, base)
  one.object = dropEmpty({ eval_key: name, name, prompt, timeout, ...splitCriteria(criteria) })
}

/** A text is a path that keeps its last name. */
function readMapping({ value, at }: NamedItem, { notes }: OtherFields): OtherInput[] {
  const text = readNonEmptyText(value)
  if (text !== null) return [{ from: text, to: path.posix.basename(text), at }]
  const fields = new OtherFields(value, at, notes)
  const from = fields.text('src')
  const to = fields.text('dest') ?? from
  fields.rest('a file of the workspace', ['src', 'dest'], { chmod: 'a file that is executable stays so' })
  if (from !== null && to !== null) return [{ from, to: to.replace(/^\/workspace\//, ''), at }]
  notes.refuse(fields.isObject ? `${at} has no "src"` : `${at} names no file`)
  return []
}

const ofGrader: Losses = {
  setup: 'install what the grader needs before you start',
  model: settingLosses.judge,
  provider: settingLosses.judge,
}

/** `taken`: places of the files that the agent gets. */
async function readGrader(fields: OtherFields, base: string, taken: readonly string[]): Promise<unknown[]> {
  const { at, notes } = fields
  const type = fields.text('type')
  const run = fields.text('run')
  const rubric = fields.text('rubric')
  const weight = fields.number('weight')
  fields.rest('a grader', ['type', 'run', 'rubric', 'weight'], ofGrader)
  const marks = weight === null ? {} : { weight }
  if (type === 'deterministic' && run !== null)
    return [{ own: { ...(await buildCommandCheck(run, base, taken)), ...marks } }]
  if (type === 'llm_rubric' && rubric !== null) return [{ text: await readNamedText(rubric, base), ...marks }]
  const known = 'a known grader: "deterministic" with "run", or "llm_rubric" with "rubric"'
  notes.refuse(`${at} is not ${fields.isObject ? known : 'a grader'}`)
  return []
}

const report = 'skillgrade-result.json'

/** Prints { "score", "details", "checks" } on stdout, which the check reads as its report. */
async function buildCommandCheck(given: string, base: string, taken: readonly string[]) {
  const run = await readNamedText(given, base)
  const files = await findNamedFolders(run, base, taken)
  const check = { type: 'command', run: `(\n${run.trimEnd()}\n) > ${report}`, result: 'json', result_file: report }
  return { ...check, ...(files.length > 0 && { files }) }
}
