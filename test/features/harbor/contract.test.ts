/** What every format promises, of this one. */
import path from 'node:path'
import { describeFormat, example } from '../../phases/1-plan/formats/format_contract.ts'
import { describeMutations, filesOf } from '../../phases/1-plan/formats/format_mutations.ts'

describeFormat('harbor', {
  tree: example('example-harbor'),
  broken: { 'b/c/task.toml': 'version = ', 'b/c/instruction.md': 'x' },
  golden: path.join(import.meta.dirname, 'golden'),
})

describeMutations('harbor', {
  files: filesOf('example-harbor'),
  changed: /(task\.toml|Dockerfile|instruction\.md)$/,
  unit: /task\.toml$/,
  free: /^(difficulty|category|tags|metadata)$/,
})
