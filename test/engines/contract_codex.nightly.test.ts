/** The contracts of engines, over codex. In files of their own, so that they run side by side. */
import { nightlyContracts } from './nightly_contracts.ts'

nightlyContracts('codex')
