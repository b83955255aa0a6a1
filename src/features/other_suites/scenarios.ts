/** Reads the eval.yaml of dotnet/skills: scenarios with assertions, a rubric and a setup. https://github.com/dotnet/skills */
import {
  answerHas,
  answerLacks,
  filesAbsent,
  filesExist,
  fileText,
  folderContents,
  type Item,
  toolsNotUsed,
  toolsUsed,
} from './other_criteria.ts'
import { dropEmpty, hasItems, type OtherCase, type OtherSystem, readEachCase } from './other_suite.ts'
import { type OtherFields, settingLosses } from './read_fields.ts'

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
    fields.rest('the file', ['scenarios'], { config: 'settings of the validator' })
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
  one.object = dropEmpty({
    eval_key: name,
    name,
    prompt: fields.text('prompt'),
    timeout: fields.number('timeout'),
    setup: readSetup(fields.inner('setup'), one, base),
    expectations: fields.texts('rubric'),
    assertions: [
      ...fields.items('assertions').flatMap(readAssertion),
      ...toolsUsed(fields.texts('expect_tools')),
      ...toolsNotUsed(fields.texts('reject_tools')),
    ],
  })
  fields.rest('a scenario', known, losses)
}

/** By the type of the assertion. */
const readings: Readonly<Record<string, (assertion: OtherFields, marks: Item) => unknown[]>> = {
  output_contains: (assertion, marks) => answerHas.textsInAnyCase(assertion.texts('value'), marks),
  output_not_contains: (assertion, marks) => answerLacks.textsInAnyCase(assertion.texts('value'), marks),
  output_matches: (assertion, marks) => answerHas.patterns(assertion.texts('pattern', 'value'), marks),
  output_not_matches: (assertion, marks) => answerLacks.patterns(assertion.texts('pattern', 'value'), marks),
  file_exists: (assertion, marks) => filesExist(assertion.texts('path'), marks),
  file_not_exists: (assertion, marks) => filesAbsent(assertion.texts('path'), marks),
  file_contains: fileText('file_contains'),
  file_not_contains: fileText('file_not_contains'),
}

const why = { exit_success: 'a run that breaks is recorded and graded by itself' }

function readAssertion(assertion: OtherFields): readonly unknown[] {
  const read = assertion.chooseRow(readings, why)
  if (read === null) return []
  const found = read(assertion, dropEmpty({ description: assertion.text('description', 'text') }))
  assertion.rest('an assertion', ['type', 'value', 'pattern', 'path'])
  return assertion.requireCriteria(found, `an assertion "${assertion.object.type}"`)
}

function readSetup(fields: OtherFields, one: OtherCase, base: string): string[] {
  if (fields.flag('copy_test_files'))
    one.inputs.push(
      ...folderContents(base, '.', `${fields.at}.copy_test_files`).filter(({ from }) => !/^eval\.ya?ml$/.test(from)),
    )
  for (const file of fields.items('files')) {
    const to = file.text('path')
    const from = file.text('source')
    const content = file.take('content', (text) => typeof text === 'string')
    if (from !== null && content !== null) file.notes.refuse(`${file.at} has both "source" and "content": remove one`)
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
