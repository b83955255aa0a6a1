/** Reads caliper's *.eval.yaml: a list "tasks" with an expectation each. https://github.com/edonadei/caliper */
import { dropEmpty, hasField, hasItems, type OtherSystem, readEachCase } from './other_suite.ts'
import { settingLosses } from './read_fields.ts'

export const caliper: OtherSystem = {
  title: 'caliper',
  signs: [
    {
      words: 'a list "tasks" whose items have "expect", "assert" or "activates", and no "graders"',
      holds: (document) =>
        hasItems(document, ['tasks'], ['expect', 'assert', 'activates']) &&
        !hasField(document, ['config', 'graders', 'metrics']),
    },
  ],
  async read(fields, { base, warn }) {
    const cases = await readEachCase(fields.list('tasks'), warn, (of, one) => {
      const name = of.text('name')
      one.object = dropEmpty({
        eval_key: of.text('id') ?? name,
        name,
        prompt: of.text('prompt'),
        setup: of.text('setup'),
        teardown: of.text('cleanup'),
        expectations: of.texts('expect'),
      })
      if (of.value('assert') !== undefined) of.notes.refuse(`${of.at}.assert ${assertFix}`)
      const losses = { activates: 'whether a run reads the skill is always recorded; `whetstone triggers` measures it' }
      of.rest('a task', ['name', 'prompt', 'expect', 'setup', 'cleanup'], losses)
    })
    if (fields.value('mcp') !== undefined)
      fields.notes.refuse('"mcp" cannot be read: write the servers into "environment" of an evals.json')
    fields.rest('the file', ['tasks'], ofFile)
    return { skillName: null, base, cases }
  },
}

const assertFix =
  'is Python that starts in the folder of the suite, not where the agent worked: write a "command" check in an evals.json'

const ofFile = {
  skill: 'the skill under test is the one that you give',
  skills: 'the skill under test is the one that you give; add others with --among',
  judge: settingLosses.judge,
  sandbox: 'agents never see evals/',
}
