/** Nothing of a user's own set-up reaches either arm: each real agent CLI. */
import { vi } from 'vitest'
import { contenders } from '../../engines/contenders.ts'
import { testPollution } from './polluted.ts'

// opencode takes seconds of CPU to start, and a machine may be busy
vi.setConfig({ testTimeout: 240_000 })

for (const [name, contender] of Object.entries(contenders)) {
  if (contender.cli !== undefined) testPollution(name, contender)
}
