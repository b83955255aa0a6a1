/** The contract of conversations, over copilot. In files of their own, so that the slow ones run side by side. */
import { contractOfConversations } from './contract_conversation.ts'

contractOfConversations('copilot')
