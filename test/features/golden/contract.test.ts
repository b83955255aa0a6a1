/** What every format promises, of this one. */
import { describeFormat, example } from '../../phases/1-plan/formats/format_contract.ts'
import { describeMutations, filesOf } from '../../phases/1-plan/formats/format_mutations.ts'

describeFormat('golden', {
  tree: example('example-golden'),
  broken: {
    'b/evals/rubric.md': '---\nweights: [\n---\n',
    'b/evals/judge.md': 'x',
    'b/evals/golden/happy/1.md': '---\ntest_id: "1"\ncategory: happy\n---\n## Input\nx\n',
  },
  golden: import.meta.dirname,
})

describeMutations('golden', {
  files: filesOf('example-golden'),
  changed: /evals\/.*\.md$/,
  unit: /golden\/.*\.md$/,
  free: /^(persona_fidelity|output_quality|agent|created)$/,
})
