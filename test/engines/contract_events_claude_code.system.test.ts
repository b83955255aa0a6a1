/** The contract of events, over claude-code. In files of their own, so that the slow ones run side by side. */
import { contractOfEvents } from './contract_events.ts'

contractOfEvents('claude-code')
