/** Nothing of a user's own set-up reaches either arm: the engines that need no agent CLI. */
import { contenders } from '../../engines/contenders.ts'
import { testPollution } from './polluted.ts'

for (const [name, contender] of Object.entries(contenders)) {
  if (contender.cli === undefined) testPollution(name, contender)
}
