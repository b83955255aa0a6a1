/** The engine interface: anything that takes a task and answers: an agent CLI, an SDK loop, any command. */
import type { Hooks } from '../../schemas/environment.ts'
import type { FailureKind, RunRecord, SkillListing } from '../../schemas/run.ts'
import type { TranscriptEvent } from '../../schemas/transcript.ts'
import type { Cost, Usage } from '../../schemas/usage.ts'
import type { TaskImage } from '../base/fs/image_type.ts'
import type { AccountId } from '../base/rate_limit_slot.ts'
import type { Sandbox } from '../base/sandbox/policy.ts'
import type { RateLimiter } from './limits/rate_limiter.ts'

/** A skill in the folder where the engine's own discovery finds it. `path`: its folder, absolute. */
export interface InstalledSkill {
  name: string
  description: string
  path: string
  /** Copies of it, absolute, where other agents would look; absent: none. */
  copies?: readonly string[]
}

/** The environment that the suite gives the agent, written to the places of the working folder where Claude Code looks. */
export interface InstalledEnvironment {
  /** The folder with the scripts of hooks and servers, absolute; outside the working folder. */
  folder: string
  /** As in .claude/settings.json, with commands that are ready to run. */
  hooks: Hooks
  rules: { name: string; text: string }[]
  /** Absolute path of .mcp.json; null: no servers. */
  mcpConfig: string | null
  mcpServers: string[]
  /** Text of AGENTS.md in the working folder; absent: there is no such file. */
  instructions?: string
  /** Added to the system prompt; absent: nothing. */
  systemPrompt?: string
  /** Of the model; absent: the provider's default. */
  temperature?: number
  /** Tools by Claude Code's names; absent: all. */
  allowedTools?: readonly string[]
  agents?: readonly SubAgent[]
}

/** A sub-agent of the suite. `SupportedEnvironment.agent_fields`: which engines follow what else its file sets. */
export interface SubAgent {
  name: string
  description: string
  prompt: string
  /** Names of the tools that it may use; absent: all that the agent has. */
  tools?: readonly string[]
  /** Names of those that it may not use; absent: none. */
  disallowedTools?: readonly string[]
}

/** Which parts of an environment an engine supports. `hooks`: names of events. */
export interface SupportedEnvironment {
  hooks: 'all' | readonly string[]
  rules: boolean
  agents: boolean
  /** What it follows of a sub-agent's file besides name, description and instructions; absent: nothing. */
  agent_fields?: 'all' | readonly string[]
  mcp_servers: boolean
  system_prompt?: boolean
  /** Absent: not supported. */
  temperature?: boolean
  /** Whether the agent can be limited to some of its tools; absent: it can't. */
  tools?: boolean
  /** Absent: not supported. */
  commands?: boolean
}

export interface TurnAnswer {
  text: string
  /** The last model response of the turn. */
  step: number
}

export interface EngineTask {
  prompt: string
  /** How many characters at its start are the same in other tasks, for APIs that cache on request. Absent: unknown. */
  sharedPrefix?: number
  /** Shown with the prompt by an engine that takes images; absent: none. */
  images?: readonly TaskImage[] | undefined
  /** Model id or the engine's own alias; null: the engine's default. */
  model: string | null
  /** How hard the model thinks, one of the levels in `Engine.efforts`; absent: the engine's default. */
  effort?: string | undefined
  /** The command line of an engine that takes one; null for every other. */
  command: string | null
  /** Working folder, absolute. */
  cwd: string
  /** The whole environment of the agent and its tools, HOME included. Contains no credentials. */
  env: Readonly<Record<string, string>>
  /** Credentials and endpoints, by the names in `Engine.credentials`. An engine passes them only to the agent itself. */
  credentials: Readonly<Record<string, string>>
  skills: readonly InstalledSkill[]
  /** all: the agent's full set; read_only: only tools that read files below cwd (for judges); none: it answers at once. */
  tools: 'all' | 'read_only' | 'none'
  /** True: the prompt contains all that its tools could read, so it can be answered in one response without them. Absent: not known. */
  toolsOptional?: boolean
  /** At most this many model responses; null: Whetstone sets no limit. */
  maxTurns: number | null
  /** JSON Schema of a structured answer, which is returned as `EngineReport.answer` or as JSON in its text; null: free text. */
  answerSchema: Readonly<Record<string, unknown>> | null
  /** A UUID for the engine's session, if the engine accepts one. */
  sessionId: string
  /** No other task has its HOME, so that an engine's own folders there have the same names in every run. Absent: others may. */
  ownsHome?: true
  /**
   * Confines the agent: a CLI runs entirely inside it (`runProcess({ …, sandbox: withEndpoint(task.sandbox, url) })`), an SDK
   * engine runs its tools inside it. null: no sandbox.
   */
  sandbox: Sandbox | null
  environment?: InstalledEnvironment | undefined
  /**
   * Called when the agent ended a turn by itself: the user's next message, to be sent in the same session; null: the conversation is over.
   * It records the message as a `user` event. Absent: the prompt is the only message. Rejects to end the run.
   */
  nextMessage?: ((answer: TurnAnswer) => Promise<string | null>) | undefined
}

type WithoutTime<E> = E extends unknown ? Omit<E, 'at'> : never
/** A transcript event as an engine emits it; the collector adds the time. */
export type EmittedEvent = WithoutTime<TranscriptEvent>

/** What a run reports to, and is limited by, while it lasts. */
export interface EngineContext {
  /** Aborted on timeout, Ctrl-C or budget: the engine ends the agent within a bounded time and rejects with `signal.reason`. */
  signal: AbortSignal
  emit: (event: EmittedEvent) => void
  /** File for the agent's stderr (appended, capped); null: stderr is discarded. */
  stderrFile: string | null
  /** Rate limiter of the provider's account; absent: nothing is limited. */
  gate?: RateLimiter
  /**
   * Receives a function that returns the report as far as it is known. It is called after the engine has rejected, to learn what was
   * spent until then; absent: nobody needs it.
   */
  soFar?: (report: () => Promise<EngineReport>) => void
}

/** What the engine knows at the end of a run, however it ended. Null or empty: it does not say. */
export interface EngineReport {
  finalResponse: string
  /** The structured answer, unchecked, of an engine that has a channel for it; undefined: the answer is in `finalResponse`, or there is none. */
  answer: unknown
  version: string | null
  model: string | null
  provider: string | null
  sessionId: string | null
  usage: Usage | null
  /** Tokens of the longest prompt, as its server counts them; absent: not known. */
  longestPrompt?: number
  cost: Cost | null
  /** max_tokens: the last response was cut at the model's output limit. */
  stopReason: string | null
  /** Output tokens at which the last response was cut; absent: it was not cut, or the engine does not say. */
  outputLimit?: number
  exitCode: number | null
  signal: string | null
  loaded: RunRecord['loaded']
  /** How the description of each skill of the task reached the model, by name; absent: not known. */
  offers?: Readonly<Record<string, SkillListing['description']>>
  permissionDenials: string[] | null
  /** Milliseconds that the engine waited for a server's limits while the agent was at work; not counted in the run's time. */
  waitedMs: number
  /** Whether the model has given at least one complete response. */
  answered: boolean
  /** Whether it was answered in a batch, at half the price; absent: it was not. */
  isBatched?: boolean
  /** Model calls of the run that the agent itself does not report, and their tokens, which `usage` and `cost` include; absent: none. */
  furtherCalls?: RunRecord['further_calls']
  /** Requests with the run's placeholder that the credential proxy did not forward, such as "DELETE /v1/files/x"; absent: none. */
  refusedRequests?: readonly string[]
  /** The provider's error that made the engine resend its last request, if that has not been answered yet; null: none. */
  retrying: ProviderError | null
}

export type ProviderError = Pick<EngineError, 'kind' | 'message'>

export interface EngineError {
  kind: FailureKind
  message: string
  /** Whether the same task may succeed later. */
  retryable: boolean
  /** What the server asked for (Retry-After), in milliseconds. */
  retryAfterMs: number | null
}

/** How a run ended. Both ends have a report, with nulls for what is not known. */
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
 * `detail` is one line for a person, such as "claude 2.1.329 at /usr/bin/claude". `identity`: facts besides the version, by name, that
 * tell this engine from another with its name (such as the content of its files); they are part of the key of a cached run. `context`: the
 * tokens of one request and its answer, if the server says. `warning`: why its runs may be wrong all the same; absent: nothing is known.
 */
export type Probe =
  | ({ ok: true; version: string | null; detail: string; identity?: Readonly<Record<string, string>> } & ProbeNotes)
  | { ok: false; kind: FailureKind; message: string; fix: string }

type ProbeNotes = { context?: number; warning?: string }

/** A model, by the id that the provider's price list uses. */
export interface PricedModel {
  model: string
  provider: string
}

export interface Engine {
  readonly name: string
  /**
   * What follows its name and a colon is the command line of an agent, such as `example`, not a model. `agents`: those without an engine
   * of their own that it can start, and how, by their documentation. Absent: it is a model.
   */
  readonly takesCommand?: { readonly example: string; readonly agents: Readonly<Record<string, string>> }
  /** The program that it starts, and the variable that names another one; absent: none, or that of a command line. */
  readonly cli?: { name: string; variable: string }
  /** Whose models it takes: a provider's, a family's such as google, or those of `every` provider. Absent: unknown without a model. */
  readonly provider?: string
  /** The ids of models that it judges with if they are named alone and have no provider; absent: none. */
  readonly judgeModels?: RegExp
  readonly homeFolder?: string
  /** What it looks for by itself in every folder from the working folder up, besides AGENTS.md and .agents/skills; absent: nothing. */
  readonly projectFiles?: readonly string[]
  /** Its settings in any folder of a project, in small letters: they can name programs that it starts. Absent: none. */
  readonly settings?: readonly string[]
  /** Names of the environment variables that it needs or accepts; they are passed through if the user has set them. */
  readonly credentials: readonly string[]
  /** It asks a server of this machine, without a key. Absent: it needs one. */
  readonly needsNoKey?: true
  /** Which of them holds the address of its server; absent: its server can't be chosen. */
  readonly address?: string
  /** False: it does not read instructions or skills in folders above the working folder. Absent: it may. */
  readonly readsAbove?: boolean
  /**
   * The URLs that a run's sandbox lets the agent reach, and so its tools too; absent: none, because the model is called from outside
   * the sandbox.
   */
  reaches?(task: Pick<EngineTask, 'model' | 'credentials' | 'command'>): readonly string[]
  /**
   * The files of this machine that its process inside the sandbox needs, absolute, because a container has none of them; absent: no
   * process of its own is inside.
   */
  findPrograms?(task: Pick<EngineTask, 'command' | 'env' | 'credentials'>): Promise<readonly string[]>
  /** Short names of models that only it knows, besides those of its provider; absent: none. */
  readonly aliases?: readonly string[]
  /** The levels of --effort that it has with this model; absent: it has none. */
  efforts?(model: string | null): readonly string[]
  /** Where its own discovery finds skills, relative to the working folder. */
  readonly skillsFolder: string
  /** Further ones, where the skill is placed too because it is not known which agent runs; `--skills-folder` replaces all. Absent: none. */
  readonly otherSkillsFolders?: readonly string[]
  /** What it supports of a suite's environment; absent: nothing. unknown: the environment is written, and the program may read it. */
  readonly supports?: SupportedEnvironment | 'unknown'
  /**
   * It keeps skills with `disable-model-invocation: true` from the model. `start`: what a user writes before the prompt to start one; null:
   * there is no way in a run. Absent: it offers them like all others.
   */
  readonly userOnlySkills?: { start: ((name: string) => string) | null }
  /** Names of its tools that ask the user a question; absent: it has none. */
  readonly questionTools?: readonly string[]
  /**
   * How it can show images to its model: attached to the prompt (`EngineTask.images`), or as files in its folder that its own tools open;
   * absent: unknown, or not at all.
   */
  readonly seesImages?: 'attached' | 'in_folder'
  /** Whether it can send `nextMessage` in the session that it has; absent: it can't, and a case with several turns is refused. */
  readonly continuesSession?: true
  /** Its runs show neither tool calls nor turns, whatever the model; absent: they do. */
  readonly hidesWork?: true
  /**
   * Whether its runs report their cost and their tokens on this model; absent: they do not. `priced`: the model that will be used, if
   * that is known beforehand.
   */
  reports?(model: string | null): Promise<{ cost: boolean; tokens: boolean; priced?: PricedModel }>
  /** Whose limit its requests count against, and whether each request or each whole run takes a slot; absent: they count against no limit. */
  readonly account?: {
    slots: 'requests' | 'runs'
    of: (credentials: Readonly<Record<string, string>>, model: string | null) => AccountId
  }
  /** Its runs may wait hours for their answer, so no usual time limit applies. Absent: they do not. */
  readonly answersLater?: true
  /** Whether the server says that this model can't call tools. Absent: the agent always has its tools, so `--activation answer` is refused. */
  lacksTools?(task: Pick<EngineTask, 'model' | 'credentials'>): Promise<boolean>
  /** Whether it can run; called before any paid run, and never a paid call itself. Rejects only when aborted. */
  probe(request: ProbeRequest): Promise<Probe>
  /**
   * Resolves for every outcome of the agent (crash, refusal, bad output, server errors). Rejects only when aborted, or when this
   * machine runs short of a resource (isShortage), which is not the agent's fault.
   */
  run(task: EngineTask, context: EngineContext): Promise<EngineOutcome>
}

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
  answered: false,
  retrying: null,
}
