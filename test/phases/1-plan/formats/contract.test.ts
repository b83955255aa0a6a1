/** What every format of the core promises. */
import { describeFormat, example } from './format_contract.ts'

/** A tree with one suite of each format, and a file that makes another of it that is broken. */
const fixtures = {
  'evals.json': { tree: example('example/invoice-totals'), broken: { 'b/evals/evals.json': '{' } },
  aam: {
    tree: example('example-aam'),
    broken: { 'b/package.agent.json': '{"name":"b"}', 'b/evals/eval-config.json': '{"version":2}' },
  },
} satisfies Record<string, Parameters<typeof describeFormat>[1]>

for (const [name, fixture] of Object.entries(fixtures)) describeFormat(name, fixture)
