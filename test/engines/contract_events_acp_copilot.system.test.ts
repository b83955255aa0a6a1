/** The contract of events, over acp:copilot. In files of their own, so that the slow ones run side by side. */
import { contractOfEvents } from './contract_events.ts'

contractOfEvents('acp:copilot')
