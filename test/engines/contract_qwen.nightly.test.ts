/** The contracts of engines, over qwen. In files of their own, so that they run side by side. */
import { nightlyContracts } from './nightly_contracts.ts'

nightlyContracts('qwen')
