/** All that is held of an engine with its real CLI. What contracts see of the CLI is compared with its recording. */
import { test } from 'vitest'
import { contenders, findContender } from './contenders.ts'
import { contract } from './contract.ts'
import { contractOfConversations } from './contract_conversation.ts'
import { contractOfEvents } from './contract_events.ts'
import { contractOfPaths } from './contract_paths.ts'
import { contractOfSizes } from './contract_sizes.ts'
import { surroundings } from './environment/surroundings.ts'
import { recordCli } from './recorded/recording.ts'

export function nightlyContracts(name: string): void {
  const cli = contenders[name]?.recorded
  if (cli === undefined) throw new Error(`${name} drives no CLI`)
  const recording = recordCli(name, cli)
  contractOfConversations(name, recording)
  contract(name, recording)
  findContender(name).suite(`the recording of ${name}`, () => {
    test('has the shape of what the CLI gives', () => recording.compare())
  })
  contractOfEvents(name)
  contractOfPaths(name)
  contractOfSizes(name)
  surroundings(name)
}
