/** The contracts of engines, over opencode. In files of their own, so that they run side by side. */
import { nightlyContracts } from './nightly_contracts.ts'

nightlyContracts('opencode')
