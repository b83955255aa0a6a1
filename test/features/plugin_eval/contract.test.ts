/** What every format promises, of this one. */
import { skillText } from '../../phases/1-plan/folder.ts'
import { describeFormat, written } from '../../phases/1-plan/formats/format_contract.ts'
import { describeMutations } from '../../phases/1-plan/formats/format_mutations.ts'

describeFormat('plugin-eval', {
  tree: written({
    'SKILL.md': skillText,
    'evals/one/prompt.md': 'Add up.',
    'evals/one/graders/g.md': '---\ntype: llm\n---\n\nIt is added up.\n',
  }),
  broken: { 'b/evals/two/case.yaml': 'name: [' },
  golden: import.meta.dirname,
})

describeMutations('plugin-eval', {
  files: {
    'SKILL.md': skillText,
    'evals/one/prompt.md': '---\nname: one\ntimeout_seconds: 9\n---\n\nAdd up.\n',
    'evals/one/graders/g.md': '---\ntype: llm\n---\n\nIt is added up.\n',
    'evals/two/case.yaml':
      'schema_version: "1.0"\nname: two\nexecution:\n  prompt: Add.\ngraders:\n  - name: r\n    type: regex\n    pattern: "2"\n  - name: t\n    type: tool_used\n    tool: Bash\n',
  },
  changed: /(prompt|g)\.md$|case\.yaml$/,
  unit: /prompt\.md$|case\.yaml$/,
  free: /^$/,
})
