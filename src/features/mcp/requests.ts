/** How the server gets a flow's request from a command line; the command line interface brings it, with its defaults and files. */
import type { UserPrices } from '../../../schemas/prices.ts'
import type { CompareRequest } from '../../flows/compare/compare.ts'
import type { ImproveRequest } from '../../flows/improve/improve_request.ts'
import type { BenchRequest } from '../../flows/prepare/prepare_bench.ts'

interface ReadRequest<R> {
  request: R
  prices: UserPrices | undefined
}

/** `words`: as after the program's name, such as bench <skill> --runs=3. Throws UserError. */
type ReadWords<R> = (words: readonly string[]) => Promise<ReadRequest<R>>

export interface McpRequests {
  bench: ReadWords<BenchRequest>
  compare: ReadWords<CompareRequest>
  improve: ReadWords<ImproveRequest>
}
