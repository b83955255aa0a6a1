/** The files that agent CLIs write besides their output and that engines read: where they are, and which of their records a recording keeps. */

export interface SideFile {
  /** Its path below the home or the working folder. */
  match: RegExp
  /** Its records: a line each, JSON over several lines between two braces, or the whole file. */
  records: 'lines' | 'objects' | 'file'
  /** Only records like this are kept; absent: all. */
  keep?: RegExp
  /** Fields that are left out wherever they are. */
  drop?: readonly string[]
}

/** Below the home, by the name of the CLI. */
export const sideFiles: Readonly<Record<string, readonly SideFile[]>> = {
  claude: [],
  pi: [],
  codex: [
    {
      match: /^\.codex\/[^/]+\/sessions\/.*rollout-.*\.jsonl$/,
      records: 'lines',
      keep: /"type":"(session_meta|turn_context|token_usage_record|response_item)"/,
      drop: [
        ...['base_instructions', 'encrypted_content', 'metadata', 'internal_chat_message_metadata_passthrough'],
        ...['permission_profile', 'sandbox_policy', 'file_system_sandbox_policy', 'collaboration_mode'],
        ...['turn_token_usage', 'thread_token_usage'],
      ],
    },
  ],
  opencode: [
    {
      match: /^\.opencode-run\/[^/]+\/data\/opencode\/log\/opencode\.log$/,
      records: 'lines',
      keep: / message=(created|loop|stream|evaluated|"server unavailable"|"stream error") /,
    },
  ],
  gemini: [
    {
      match: /^\.gemini-run\/[^/]+\/log$/,
      records: 'objects',
      keep: /"event\.name": "(gemini_cli\.api_(request|error|response)|gen_ai\.client\.inference\.operation\.details)"/,
      drop: ['resource', 'request_text', 'response_text', 'gen_ai.input.messages', 'gen_ai.output.messages'],
    },
    { match: /^\.gemini-run\/[^/]+\/debug$/, records: 'lines', keep: /Attempt \d+ failed|MCP server/ },
    { match: /^\.gemini-run\/[^/]+\/\.gemini\/tmp\/[^/]+\/chats\/session-[^/]+\.jsonl$/, records: 'lines' },
  ],
  qwen: [
    {
      match: /^\.qwen-run\/[^/]+\/.*projects\/[^/]+\/chats\/[^/]+\.jsonl$/,
      records: 'lines',
      keep: /qwen-code\.api_(response|error)/,
      drop: ['response_text'],
    },
    { match: /^\.qwen-run\/[^/]+\/.*openai-[^/]*\.json$/, records: 'file', drop: ['tools'] },
  ],
  copilot: [
    {
      match: /^\.copilot-run\/[^/]+\/home\/session-state\/[^/]+\/events\.jsonl$/,
      records: 'lines',
      keep: /"type":"session\.(start|error|usage_record)"/,
    },
    {
      match: /^\.copilot-run\/[^/]+\/home\/logs\/process-.*\.log$/,
      records: 'lines',
      keep: /MCP server connection failed|Model provider request failed/,
    },
  ],
}

/** Below the working folder: a command that has begun says so. */
export const startedFile: SideFile = { match: /^started$/, records: 'file' }
