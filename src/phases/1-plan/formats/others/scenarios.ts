/** Reads the eval.yaml of dotnet/skills: scenarios with assertions, a rubric and a setup. https://github.com/dotnet/skills */
import path from 'node:path'
import { type FieldReader, isJsonObject, openFieldReader } from '../evals_json/fields.ts'
import { folderContents, toolsNotUsed, toolsUsed } from './other_criteria.ts'
import { createFileNotes, dropEmpty, type OtherCase, type OtherSystem, readEachCase } from './other_suite.ts'
import {
  type FieldNotes,
  nameUnread,
  settingLosses,
  takeOtherList,
  takeOtherNumber,
  takeOtherObject,
  takeOtherText,
  takeOtherTexts,
} from './read_fields.ts'
import { hasItems } from './signs.ts'

export const scenarios: OtherSystem = {
  title: 'dotnet/skills',
  signs: [
    {
      words: 'a list "scenarios" whose items have a "prompt"',
      holds: (document) => hasItems(document, ['scenarios'], (item) => isJsonObject(item) && 'prompt' in item),
    },
  ],
  async read(document, { file, warn }) {
    const fields = openFieldReader(isJsonObject(document) ? document : {}, '$')
    const base = path.dirname(file)
    const items = takeOtherList(fields, ['scenarios'])
    const cases = await readEachCase(items, warn, (of, one, notes) => readScenario(of, { one, base, notes }))
    const losses = { config: 'settings of the validator', setup: 'write it in each scenario' }
    nameUnread(fields, { what: 'the file', known: ['scenarios'], losses }, createFileNotes(warn))
    return { skillName: null, base, cases }
  },
}

interface Scenario {
  one: OtherCase
  base: string
  notes: FieldNotes
}

const known = ['name', 'prompt', 'assertions', 'rubric', 'timeout', 'setup', 'expect_tools', 'reject_tools']
const losses = {
  expect_activation: 'whether a run reads the skill is always recorded; `whetstone triggers` measures when it should',
  max_turns: 'choose with --max-turns',
  max_tokens: 'write a check tokens_at_most',
  runs: settingLosses.runs,
  parallel_runs: settingLosses.parallel,
}

function readScenario(fields: FieldReader, { one, base, notes }: Scenario): void {
  const name = takeOtherText(fields, ['name'], notes)
  const setup = takeOtherObject(fields, ['setup'], notes)
  const commands = setup === null ? [] : readSetup(setup.fields, { one, base, notes })
  one.object = dropEmpty({
    eval_key: name,
    name,
    prompt: takeOtherText(fields, ['prompt'], notes),
    timeout: takeOtherNumber(fields, ['timeout'], notes),
    setup: commands,
    expectations: takeOtherTexts(fields, ['rubric'], notes),
    assertions: [
      ...takeOtherList(fields, ['assertions']).flatMap((item) => readAssertion(item, notes)),
      ...toolsUsed(takeOtherTexts(fields, ['expect_tools'], notes)),
      ...toolsNotUsed(takeOtherTexts(fields, ['reject_tools'], notes)),
    ],
  })
  nameUnread(fields, { what: 'a scenario', known, losses }, notes)
}

function readAssertion({ value, at }: { value: unknown; at: string }, { warn, refuse }: FieldNotes): unknown[] {
  if (!isJsonObject(value)) {
    refuse(`${at} is not an assertion`)
    return []
  }
  switch (value.type) {
    case 'exit_success':
      warn(at, 'the assertion "exit_success" is not read: a run that breaks is recorded and graded by itself')
      return []
    case 'output_not_matches':
      return [{ ...value, type: 'not-regex', target: 'output' }]
    case 'output_matches':
      return [{ ...value, type: 'regex', target: 'output' }]
    case 'output_contains':
      return [{ ...value, type: 'icontains', target: 'output' }]
    case 'output_not_contains':
      return [{ ...value, type: 'not-icontains', target: 'output' }]
    default:
      return [value]
  }
}

/** Returns the commands. */
function readSetup(fields: FieldReader, { one, base, notes }: Scenario): string[] {
  const copies = fields.take(['copy_test_files'], (value) => value === true)
  fields.take(['copy_test_files'], (value) => value === false)
  if (copies !== null)
    one.inputs.push(...folderContents(base, '.', copies.at).filter(({ from }) => !/^eval\.ya?ml$/.test(from)))
  for (const { value, at } of takeOtherList(fields, ['files'])) {
    const file = openFieldReader(isJsonObject(value) ? value : {}, at)
    const to = takeOtherText(file, ['path'], notes)
    const from = takeOtherText(file, ['source'], notes)
    const content = file.take(['content'], (text) => typeof text === 'string')
    if (to === null) notes.refuse(`${at} has no "path"`)
    else if (from !== null) one.inputs.push({ from, to, at })
    else if (content !== null) one.texts[to] = String(content.value)
    else notes.refuse(`${at} has neither "source" nor "content"`)
    nameUnread(file, { what: 'a file of a setup', known: ['path', 'source', 'content'], losses: {} }, notes)
  }
  const commands = takeOtherTexts(fields, ['commands'], notes)
  const more = { additional_required_skills: 'install them with --among' }
  nameUnread(fields, { what: 'a setup', known: ['files', 'commands', 'copy_test_files'], losses: more }, notes)
  return commands
}
