/** All that is held of an engine with its real CLI. What contracts see of the CLI is compared with its recording. */
import { contenders, conversationsOnly } from './contenders.ts'
import { contract } from './contract.ts'
import { contractOfConversations } from './contract_conversation.ts'
import { contractOfEvents } from './contract_events.ts'
import { surroundings } from './environment/surroundings.ts'
import { recordCli } from './recorded/recording.ts'

export function nightlyContracts(name: string): void {
  const cli = contenders[name]?.recorded
  if (cli === undefined) throw new Error(`${name} drives no CLI`)
  const recording = recordCli(name, cli)
  contractOfConversations(name, recording)
  if (conversationsOnly.includes(name)) return
  contract(name, recording)
  contractOfEvents(name)
  surroundings(name)
}
