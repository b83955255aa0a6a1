/** What every format promises, of this one. */
import path from 'node:path'
import { describeFormat, example } from '../../phases/1-plan/formats/format_contract.ts'
import { describeMutations, filesOf } from '../../phases/1-plan/formats/format_mutations.ts'

describeFormat('aam', {
  tree: example('example-aam'),
  broken: { 'b/package.agent.json': '{"name":"b"}', 'b/evals/eval-config.json': '{"version":2}' },
  golden: path.join(import.meta.dirname, 'golden'),
})

describeMutations('aam', {
  files: filesOf('example-aam'),
  changed: /evals\/(cases\/.*|eval-config)\.(yaml|json)$/,
  unit: /evals\/cases\/.*\.yaml$/,
  free: /^[A-Z_]+$/,
})
