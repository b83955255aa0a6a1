/** What every format of the core promises. */
import { describeFormat, example, written } from './format_contract.ts'

/** A tree with one suite of each format, and a file that makes another of it that is broken. */
const fixtures = {
  'evals.json': { tree: example('example/invoice-totals'), broken: { 'b/evals/evals.json': '{' } },
  'eval.md': {
    tree: example('example-eval-md', { 'package.json': '{}' }),
    broken: { 'b/EVAL.md': '---\nskills: [\n---\n## a\n### Prompt\nx\n' },
  },
  'eval-comment': {
    tree: written({
      'package.json': '{}',
      'add.ts': '/**\n * @eval\n * ## adds\n * ### Prompt\n * Add 1 and 1.\n * ### Expect\n * 2\n */\n',
    }),
    broken: { 'b/sub.ts': '/**\n * @eval\n * ## subtracts\n * ### Prompt\n * x\n */\n' },
  },
  aam: {
    tree: example('example-aam'),
    broken: { 'b/package.agent.json': '{"name":"b"}', 'b/evals/eval-config.json': '{"version":2}' },
  },
} satisfies Record<string, Parameters<typeof describeFormat>[1]>

for (const [name, fixture] of Object.entries(fixtures)) describeFormat(name, fixture)
