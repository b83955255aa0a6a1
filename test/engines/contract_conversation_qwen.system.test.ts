/** The contract of conversations, over qwen. In files of their own, so that the slow ones run side by side. */
import { contractOfConversations } from './contract_conversation.ts'

contractOfConversations('qwen')
