/** What every format promises, of this one. */
import { skillText } from '../../phases/1-plan/folder.ts'
import { describeFormat, written } from '../../phases/1-plan/formats/format_contract.ts'

describeFormat('others', {
  tree: written({
    'SKILL.md': skillText,
    'evals/eval.yaml':
      'version: "1"\ntasks:\n  - name: add\n    instruction: Add up.\n    graders:\n      - { type: llm_rubric, rubric: It is added up. }\n',
  }),
  broken: { 'b/evals/eval.yaml': 'tasks:\n  - { instruction: [1] }\n' },
  golden: import.meta.dirname,
})
