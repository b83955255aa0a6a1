/** The contracts of events and conversations as a whole for the agent CLIs that start slowly; `npm run test:system` plays chosen parts. */
import { slowContenders } from '../engines/contenders.ts'
import { contractOfConversations } from '../engines/contract_conversation.ts'
import { contractOfEvents } from '../engines/contract_events.ts'

for (const name of slowContenders) contractOfEvents(name, 'all')
for (const name of [...slowContenders, 'acp:gemini', 'acp:opencode']) contractOfConversations(name, 'all')
