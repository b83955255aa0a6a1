/** What every format promises, of the core's. */
import { describeFormat, example } from './format_contract.ts'

describeFormat('evals.json', { tree: example('example/invoice-totals'), broken: { 'b/evals/evals.json': '{' } })
