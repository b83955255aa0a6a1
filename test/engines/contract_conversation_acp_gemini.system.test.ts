/** The contract of conversations, over acp:gemini. In files of their own, so that the slow ones run side by side. */
import { contractOfConversations } from './contract_conversation.ts'

contractOfConversations('acp:gemini')
