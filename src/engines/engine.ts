/** The engine interface: anything that takes a task and answers: an agent CLI, an SDK loop, any command. */
import type { Hooks } from '../../schemas/environment.ts'
import type { FailureKind, RunRecord } from '../../schemas/run.ts'
import type { TranscriptEvent } from '../../schemas/transcript.ts'
import type { Cost, Usage } from '../../schemas/usage.ts'
import type { Sandbox } from '../base/sandbox/policy.ts'
import type { AccountId } from '../base/slot.ts'
import type { Gate } from './gate.ts'

/** A skill that lies where the engine's own discovery finds it. `path`: its folder, absolute. */
export interface InstalledSkill {
  name: string
  description: string
  path: string
}

/** What the suite puts around the agent, laid out in Claude Code's places of the working folder. */
export interface InstalledEnvironment {
  /** Where the scripts of hooks and servers lie, absolute; outside of the working folder. */
  folder: string
  /** As in .claude/settings.json, commands ready to run. */
  hooks: Hooks
  /** Those of .claude/rules/. */
  rules: { name: string; text: string }[]
  /** Absolute path of .mcp.json; null: no servers. */
  mcpConfig: string | null
  mcpServers: string[]
  /** What AGENTS.md of the working folder says; absent: there is none. */
  instructions?: string
  /** Added to the system prompt; absent: nothing. */
  systemPrompt?: string
  /** Of the model; absent: the provider's. */
  temperature?: number
  /** By Claude Code's names; absent: all. */
  allowedTools?: readonly string[]
  /** Whether there are sub-agents. */
  hasAgents?: boolean
}

/** Which of it an engine honours; hooks by event. */
export interface Honours {
  hooks: 'all' | readonly string[]
  rules: boolean
  agents: boolean
  mcp_servers: boolean
  /** Absent: not. */
  system_prompt?: boolean
  /** Absent: not. */
  temperature?: boolean
  /** Whether it can be kept to some of its tools; absent: not. */
  tools?: boolean
  /** Absent: not. */
  commands?: boolean
}

export interface EngineTask {
  /** What the user says. */
  prompt: string
  /** So many characters at its beginning are the same in other tasks: an API that caches on request is told so. Absent: unknown. */
  sharedPrefix?: number
  /** Model id or the engine's own alias; null: the engine's default. */
  model: string | null
  /** The command line of the command engine; null for every other. */
  command: string | null
  /** Working folder, absolute. */
  cwd: string
  /** The whole environment of the agent and its tools, HOME included. Holds no credential. */
  env: Readonly<Record<string, string>>
  /** Credentials and endpoints, by the names in `Engine.credentials`. An engine hands them to a child only if the child is the agent itself. */
  credentials: Readonly<Record<string, string>>
  skills: readonly InstalledSkill[]
  /** all: the agent's full set; read_only: only tools that read files below cwd (judges); none: answer at once. */
  tools: 'all' | 'read_only' | 'none'
  /** At most this many model responses; null: no limit of ours. */
  maxTurns: number | null
  /** JSON Schema of a structured answer, which then comes back as `EngineReport.answer`; null: free text. */
  answerSchema: Readonly<Record<string, unknown>> | null
  /** A UUID for the engine's session where it takes one. */
  sessionId: string
  /**
   * Confines the agent: a CLI runs whole inside (`runProcess({ …, sandbox: withEndpoint(task.sandbox, url) })`), an SDK
   * engine runs its tools inside. null: no sandbox.
   */
  sandbox: Sandbox | null
  /** Absent: none. */
  environment?: InstalledEnvironment | undefined
}

type WithoutTime<E> = E extends unknown ? Omit<E, 'at'> : never
/** A transcript event as an engine emits it; the collector adds the time. */
export type EmittedEvent = WithoutTime<TranscriptEvent>

export interface EngineContext {
  /** Aborted on timeout, Ctrl-C or budget: the engine ends the agent (bounded) and rejects with `signal.reason`. */
  signal: AbortSignal
  emit: (event: EmittedEvent) => void
  /** Where the agent's stderr goes (appended, capped); null: thrown away. */
  stderrFile: string | null
  /** The gate before the provider's account; absent: an open one. */
  gate?: Gate
  /**
   * Takes what gives the report as far as it is known by then. It is asked once the engine has rejected, for what was paid until
   * then; absent: nobody asks.
   */
  soFar?: (report: () => Promise<EngineReport>) => void
}

/** What the engine knows at the end, whatever the end was. Null or empty: it does not say. */
export interface EngineReport {
  finalResponse: string
  /** The structured answer as the engine gave it, unchecked; undefined when none was asked for or given. */
  answer: unknown
  version: string | null
  model: string | null
  provider: string | null
  sessionId: string | null
  usage: Usage | null
  cost: Cost | null
  stopReason: string | null
  exitCode: number | null
  signal: string | null
  loaded: RunRecord['loaded']
  permissionDenials: string[] | null
  /** Milliseconds that the engine waited for a server's limits while the agent was at work; left out of the run's time. */
  waitedMs: number
}

export interface EngineError {
  kind: FailureKind
  message: string
  /** Whether the same task may work in a while. */
  retryable: boolean
  /** What the server asked for (Retry-After), in milliseconds. */
  retryAfterMs: number | null
}

export type EngineOutcome =
  | { status: 'completed'; report: EngineReport }
  | { status: 'failed'; error: EngineError; report: EngineReport }

export interface ProbeRequest {
  model: string | null
  command: string | null
  credentials: Readonly<Record<string, string>>
  /** The environment to start a CLI with (own HOME). */
  env: Readonly<Record<string, string>>
  signal: AbortSignal
}

/**
 * `detail` is one line for a person, such as "claude 2.1.329 at /usr/bin/claude". `identity`: what else than the version tells this
 * engine from another of its name (the content of its files), by name; a part of what a cached run is known by.
 */
export type Probe =
  | { ok: true; version: string | null; detail: string; identity?: Readonly<Record<string, string>> }
  | { ok: false; kind: FailureKind; message: string; fix: string }

/** A model by the id under which a provider's price list has it. */
export interface PricedModel {
  model: string
  provider: string
}

export interface Engine {
  readonly name: string
  /** Names of the environment variables that it needs or honours, passed through when the user has them set. */
  readonly credentials: readonly string[]
  /** Which of them is the address of its server; absent: it has none that can be chosen. */
  readonly address?: string
  /** False: it reads no instructions and no skills in folders above the working folder. Absent: it may. */
  readonly readsAbove?: boolean
  /**
   * The URLs that the sandbox of a run lets through for the agent, and so for its tools too; absent: none, as the model is called from
   * outside of it.
   */
  reaches?(task: Pick<EngineTask, 'model' | 'credentials'>): readonly string[]
  /** Where its own discovery finds skills, relative to the working folder. */
  readonly skillsFolder: string
  /** What of a suite's environment it honours; absent: nothing. unknown: it is laid out, and the program may read it. */
  readonly honours?: Honours | 'unknown'
  /** Its runs show neither tools nor turns, whatever model works; absent: they do. */
  readonly hidesWork?: true
  /**
   * Whether its runs say what they cost and how many tokens they took on this model; absent: they do not. `priced`: the model that will
   * work, where that is known beforehand.
   */
  reports?(model: string | null): Promise<{ cost: boolean; tokens: boolean; priced?: PricedModel }>
  /** Whose limit its requests count against, and whether each request or each whole run takes a slot; absent: no one's. */
  readonly account?: {
    slots: 'requests' | 'runs'
    of: (credentials: Readonly<Record<string, string>>) => AccountId
  }
  /** Whether it can work, asked before any paid run; never a paid call itself. Rejects only when aborted. */
  probe(request: ProbeRequest): Promise<Probe>
  /**
   * Resolves for every outcome of the agent (crash, refusal, bad output, server errors); rejects only when aborted, and where this
   * machine is short of something (isShortage): no agent's doing.
   */
  run(task: EngineTask, context: EngineContext): Promise<EngineOutcome>
}

/** A report in which nothing is known. */
export const emptyReport: EngineReport = {
  finalResponse: '',
  answer: undefined,
  version: null,
  model: null,
  provider: null,
  sessionId: null,
  usage: null,
  cost: null,
  stopReason: null,
  exitCode: null,
  signal: null,
  loaded: null,
  permissionDenials: null,
  waitedMs: 0,
}
