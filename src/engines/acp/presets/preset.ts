/** What Whetstone knows about an agent that it can start over ACP by name. */
import type { Usage } from '../../../../schemas/usage.ts'
import type { AgentCli } from '../../cli/agent_cli.ts'
import type { CliLaunch } from '../../cli/headless_cli.ts'
import type { KeyedServer } from '../../cli/key_placeholders.ts'
import type { Engine, EngineContext, EngineTask, ProviderError } from '../../engine.ts'
import type { DescribeCall } from '../turn/tool_calls.ts'

export interface AcpPreset {
  cli: AgentCli
  /** The engine of the same agent: its credentials, probe, programs, endpoints and reports are the preset's too. */
  engine: Engine
  /** The model (null: the agent's default) and its provider, or why there is none. */
  model(
    model: string | null,
    credentials: EngineTask['credentials'],
  ): { model: string | null; provider: string } | { mistake: string }
  /** The server that gets the key; null: the agent gets the key itself. */
  server(task: Pick<EngineTask, 'model' | 'credentials'>): KeyedServer | null
  /** Creates its folders and settings. A text: why this task can't be started (`bad_request`). */
  open(task: EngineTask, context: EngineContext): Promise<AcpRun | string>
  describe?: DescribeCall
}

/** What an agent keeps of a session and does not report. null: not there. */
export interface SessionRecord {
  usage: Usage | null
  /** Why the last response ended. */
  stopReason: string | null
  /** The provider's error that ended the turn, though the agent reports it as its answer; absent or null: none did. */
  error?: ProviderError | null
}

/** One run of an agent. */
export interface AcpRun {
  args: readonly string[]
  env: Readonly<Record<string, string>>
  /** It takes MCP servers another way than in `session/new`; absent: there. */
  takesServers?: true
  /** Its own commands, in a list that also has the skills that it offers its model. Absent: skills are not in the list. */
  ownCommands?: readonly string[]
  /**
   * Called every half second, with the ids of the calls without a result: what its provider has failed with so often that the run should
   * end; null: go on. Absent: never.
   */
  poll?(openCalls: readonly string[]): ProviderError | null
  /** What it shows besides the protocol. Absent: nothing. */
  seen?(): { answered: boolean; retrying: ProviderError | null }
  /** Reads its own record of the session, after its process has ended; null: it has none. Absent: the protocol reports all. */
  readRecord?(launch: CliLaunch, sessionId: string): Promise<SessionRecord | null> | SessionRecord
  /** Called when its process is about to be ended. */
  finish?(): void
  clean?(): Promise<void>
}
