/** Reads the eval.yaml of dotnet/skills: scenarios with assertions, a rubric and a setup. https://github.com/dotnet/skills */
import { isJsonObject } from '../../phases/1-plan/formats/evals_json/fields.ts'
import { folderContents, toolsNotUsed, toolsUsed } from './other_criteria.ts'
import { dropEmpty, hasItems, type OtherCase, type OtherSystem, readEachCase } from './other_suite.ts'
import { type FieldNotes, type NamedItem, type OtherFields, settingLosses } from './read_fields.ts'

export const scenarios: OtherSystem = {
  title: 'dotnet/skills',
  signs: [
    {
      words: 'a list "scenarios" whose items have a "prompt"',
      holds: (document) => hasItems(document, ['scenarios'], ['prompt']),
    },
  ],
  async read(fields, { base, warn }) {
    const cases = await readEachCase(fields.list('scenarios'), warn, (of, one) => readScenario(of, one, base))
    const losses = { config: 'settings of the validator', setup: 'write it in each scenario' }
    fields.rest('the file', ['scenarios'], losses)
    return { skillName: null, base, cases }
  },
}

const known = ['name', 'prompt', 'assertions', 'rubric', 'timeout', 'setup', 'expect_tools', 'reject_tools']
const losses = {
  expect_activation: 'whether a run reads the skill is always recorded; `whetstone triggers` measures when it should',
  max_turns: 'choose with --max-turns',
  max_tokens: 'write a check tokens_at_most',
  runs: settingLosses.runs,
  parallel_runs: settingLosses.parallel,
}

function readScenario(fields: OtherFields, one: OtherCase, base: string): void {
  const name = fields.text('name')
  const commands = readSetup(fields.inner('setup'), one, base)
  one.object = dropEmpty({
    eval_key: name,
    name,
    prompt: fields.text('prompt'),
    timeout: fields.number('timeout'),
    setup: commands,
    expectations: fields.texts('rubric'),
    assertions: [
      ...fields.list('assertions').flatMap((item) => readAssertion(item, fields.notes)),
      ...toolsUsed(fields.texts('expect_tools')),
      ...toolsNotUsed(fields.texts('reject_tools')),
    ],
  })
  fields.rest('a scenario', known, losses)
}

const typesOfAnswer: Readonly<Record<string, string>> = {
  output_not_matches: 'not-regex',
  output_matches: 'regex',
  output_contains: 'icontains',
  output_not_contains: 'not-icontains',
}

function readAssertion({ value, at }: NamedItem, { warn, refuse }: FieldNotes): unknown[] {
  if (!isJsonObject(value)) {
    refuse(`${at} is not an assertion`)
    return []
  }
  if (value.type === 'exit_success') {
    warn(at, 'the assertion "exit_success" is not read: a run that breaks is recorded and graded by itself')
    return []
  }
  const name = String(value.type)
  return [Object.hasOwn(typesOfAnswer, name) ? { ...value, type: typesOfAnswer[name], target: 'output' } : value]
}

function readSetup(fields: OtherFields, one: OtherCase, base: string): string[] {
  const copies = fields.take('copy_test_files', (value) => typeof value === 'boolean')
  if (copies?.value === true)
    one.inputs.push(...folderContents(base, '.', copies.at).filter(({ from }) => !/^eval\.ya?ml$/.test(from)))
  for (const file of fields.items('files')) {
    const to = file.text('path')
    const from = file.text('source')
    const content = file.take('content', (text) => typeof text === 'string')
    if (to === null) file.notes.refuse(`${file.at} has no "path"`)
    else if (from !== null) one.inputs.push({ from, to, at: file.at })
    else if (content !== null) one.texts[to] = String(content.value)
    else file.notes.refuse(`${file.at} has neither "source" nor "content"`)
    file.rest('a file of a setup', ['path', 'source', 'content'])
  }
  const commands = fields.texts('commands')
  const more = { additional_required_skills: 'install them with --among' }
  fields.rest('a setup', ['files', 'commands', 'copy_test_files'], more)
  return commands
}
