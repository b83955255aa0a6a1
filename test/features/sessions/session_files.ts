/** Small sessions of each agent, as their programs write them. */
const at = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`
const lines = (records: readonly unknown[]) => `${records.map((one) => JSON.stringify(one)).join('\n')}\n`

interface ClaudeSessionWish {
  prompt?: string
  answer?: string
  /** false: the skill was not offered. */
  skill?: boolean
  /** Part of the ids of its records. */
  id?: string
  /** What was said after the first answer. */
  more?: readonly { prompt: string; answer: string }[]
}

export function claudeSession(wish: ClaudeSessionWish = {}): string {
  const { prompt = 'Add it up.', answer = 'all done', skill = true, id = '', more: later = [] } = wish
  const entry = (n: number, more: object) => ({
    uuid: `${id}${prompt}${skill}${n}`,
    sessionId: 's',
    cwd: '/w',
    timestamp: at(n),
    ...more,
  })
  const says = (n: number, content: unknown, more = {}) =>
    entry(n, { type: 'user', message: { role: 'user', content }, ...more })
  const answers = (n: number, block: object) =>
    entry(n, {
      type: 'assistant',
      message: { id: `m${n}`, model: 'claude-x', content: [block], usage: { input_tokens: 10, output_tokens: 1 } },
    })
  const listed = `- ${skill ? 'demo' : 'other'}: Shows things.`
  return lines([
    { type: 'queue-operation', operation: 'enqueue', sessionId: 's' },
    says(1, `${prompt}\n<system-reminder>be good</system-reminder>`),
    entry(2, { type: 'attachment', attachment: { type: 'skill_listing', content: listed } }),
    answers(3, { type: 'tool_use', id: 't', name: 'Skill', input: { skill: skill ? 'demo' : 'other' } }),
    says(4, [{ type: 'tool_result', tool_use_id: 't', content: 'ok' }]),
    says(4, [{ type: 'tool_result', tool_use_id: 't', content: 'ok' }]),
    says(5, [{ type: 'text', text: `Base directory for this skill: /w/.claude/skills/${skill ? 'demo' : 'other'}` }], {
      isMeta: true,
    }),
    entry(6, { type: 'assistant', isSidechain: true, message: { content: [{ type: 'text', text: 'SIDE' }] } }),
    says(7, 'SUMMARY of before', { isCompactSummary: true }),
    answers(8, { type: 'tool_use', id: 'open', name: 'Bash', input: { command: 'sleep' } }),
    says(9, '[Request interrupted by user]'),
    says(10, '<command-name>/clear</command-name><command-args></command-args>'),
    answers(11, { type: 'text', text: answer }),
    ...later.flatMap((one, index) => [
      says(12 + 2 * index, one.prompt),
      answers(13 + 2 * index, { type: 'text', text: one.answer }),
    ]),
  ])
}

export const codexSession = lines([
  { timestamp: at(0), type: 'session_meta', payload: { id: 'c', cwd: '/w' } },
  { timestamp: at(1), type: 'turn_context', payload: { model: 'gpt-x' } },
  ...[
    {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: '<environment_context>x</environment_context>' }],
    },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Add it up.' }] },
    {
      type: 'function_call',
      name: 'exec_command',
      arguments: '{"cmd":"cat .agents/skills/demo/SKILL.md"}',
      call_id: 'k',
    },
    { type: 'function_call_output', call_id: 'k', output: 'Process exited with code 0\nOutput:\nBODY' },
    { type: 'function_call', name: 'exec_command', arguments: '{"cmd":"false"}', call_id: 'l' },
    { type: 'function_call_output', call_id: 'l', output: 'Process exited with code 1\nOutput:\n' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'all done' }] },
  ].map((payload, index) => ({ timestamp: at(2 + index), type: 'response_item', payload })),
  {
    timestamp: at(20),
    type: 'token_usage_record',
    payload: { usage: { input_tokens: 9, cached_input_tokens: 4, output_tokens: 2 } },
  },
])

const user = { info: { id: 'm1', role: 'user', time: { created: 1_767_225_600_000 } } }
export const opencodeSession = JSON.stringify(
  {
    info: { id: 'ses_1', directory: '/w', time: { created: 1_767_225_600_000 } },
    messages: [
      {
        ...user,
        parts: [
          { type: 'text', text: 'Add it up.' },
          { type: 'text', synthetic: true, text: 'ADDED' },
        ],
      },
      {
        info: { id: 'm2', role: 'assistant', modelID: 'claude-x' },
        parts: [
          { type: 'step-start' },
          {
            type: 'tool',
            tool: 'skill',
            callID: 'a',
            state: { status: 'completed', input: { name: 'demo' }, output: 'ok' },
          },
          { type: 'tool', tool: 'bash', callID: 'b', state: { status: 'running', input: { command: 'sleep' } } },
          { type: 'text', text: 'all done' },
          { type: 'step-finish', reason: 'stop', cost: 0, tokens: { input: 7, output: 2 } },
        ],
      },
    ],
  },
  null,
  2,
)

export const atifSession = JSON.stringify({
  schema_version: 'ATIF-v1.6',
  session_id: 'a',
  agent: { name: 'some-agent', version: '1', model_name: 'model-x' },
  steps: [
    { step_id: 1, source: 'user', message: 'Add it up.', timestamp: at(1) },
    {
      step_id: 2,
      source: 'agent',
      message: 'reading',
      tool_calls: [{ tool_call_id: 'k', function_name: 'read', arguments: { path: 'skills/demo/SKILL.md' } }],
      observation: { results: [{ source_call_id: 'k', content: 'BODY' }] },
      metrics: { prompt_tokens: 9, cached_tokens: 4, completion_tokens: 2, cost_usd: 0.5 },
    },
    { step_id: 3, source: 'agent', message: 'all done' },
  ],
})

const reading = { path: 'skills/demo/SKILL.md' }
const piUsage = { input: 5, output: 1, cacheRead: 4, cacheWrite: 0, cost: { total: 0.25 } }
const piMessages = [
  { role: 'user', content: [{ type: 'text', text: 'Add it up.' }] },
  {
    ...{ role: 'assistant', model: 'claude-x', usage: piUsage, stopReason: 'toolUse' },
    content: [{ type: 'toolCall', id: 'k', name: 'read', arguments: reading }],
  },
  { role: 'toolResult', toolCallId: 'k', content: [{ type: 'text', text: 'BODY' }], isError: false },
  {
    role: 'assistant',
    content: [{ type: 'text', text: 'all done' }],
    model: 'claude-x',
    usage: piUsage,
    stopReason: 'stop',
  },
]
export const piSession = lines([
  { type: 'session', version: 3, id: 'p', cwd: '/w' },
  { type: 'model_change', modelId: 'claude-x' },
  ...piMessages.map((message, n) => ({ type: 'message', timestamp: at(n), message })),
])

const tokens = { input: 9, output: 1, cached: 4, thoughts: 0 }
const geminiUser = (text: string) => ({ id: text, type: 'user', content: [{ text }] })
const geminiCall = { id: 'k', name: 'activate_skill', args: { name: 'demo' } }
const given = [{ functionResponse: { id: 'k', response: { output: 'BODY' } } }]
/** The call is written again with its result, which the user's message repeats. */
const geminiMessages = [
  geminiUser('<session_context>\nThis is the Gemini CLI.'),
  geminiUser('Add it up.'),
  { id: 'a', timestamp: at(1), type: 'gemini', content: '', tokens, model: 'gemini-x' },
  {
    id: 'a',
    timestamp: at(1),
    type: 'gemini',
    content: '',
    tokens,
    model: 'gemini-x',
    toolCalls: [{ ...geminiCall, result: given }],
  },
  { id: 'r', type: 'user', content: given },
  { id: 'b', timestamp: at(2), type: 'gemini', content: 'all done', tokens, model: 'gemini-x' },
]
export const geminiSession = lines([
  { sessionId: 'g', projectHash: 'h', startTime: at(0) },
  ...geminiMessages,
  { $set: { lastUpdated: at(3) } },
])
export const geminiDocument = JSON.stringify({ sessionId: 'g', projectHash: 'h', messages: geminiMessages })

const skillList = '<available_skills>\n<skill>\n  <name>demo</name>\n</skill>\n</available_skills>'
export const copilotSession = lines(
  [
    ['session.start', { sessionId: 'c', selectedModel: 'claude-x', context: { cwd: '/w' } }],
    ['user.message', { content: 'Add it up.', transformedContent: 'ADDED' }],
    ['system.message', { content: `You are it. ${skillList}` }],
    ['session.usage_record', { usage: { inputTokens: 9, outputTokens: 2, cacheReadTokens: 4, cacheWriteTokens: 0 } }],
    ['assistant.message', { content: '', model: 'claude-x' }],
    ['tool.execution_start', { toolCallId: 'k', toolName: 'skill', arguments: { skill: 'demo' } }],
    ['tool.execution_complete', { toolCallId: 'k', success: true, result: { content: 'loaded' } }],
    ['assistant.message', { content: 'all done', model: 'claude-x' }],
  ].map(([type, data], n) => ({ type, data, timestamp: at(n) })),
)

const chatCall = { id: 'k', type: 'function', function: { name: 'read', arguments: JSON.stringify(reading) } }
/** As Chat Completions has them. */
export const chatMessages = [
  { role: 'system', content: 'Be good.' },
  { role: 'user', content: 'Add it up.' },
  { role: 'assistant', content: null, tool_calls: [chatCall] },
  { role: 'tool', tool_call_id: 'k', content: 'BODY' },
  { role: 'assistant', content: 'all done' },
]
/** As Anthropic's Messages have them. */
export const blockMessages = [
  { role: 'user', content: 'Add it up.' },
  { role: 'assistant', content: [{ type: 'tool_use', id: 'k', name: 'Read', input: reading }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'k', content: 'BODY' }] },
  { role: 'assistant', content: [{ type: 'text', text: 'all done' }] },
]
/** SWE-agent's, without calls of tools: the command is in the answer, its output is a message of the user. */
export const sweMessages = [
  { role: 'user', content: 'A demonstration', is_demo: true },
  { role: 'user', content: 'Add it up.' },
  {
    role: 'assistant',
    content: 'I read it.\n```\ncat skills/demo/SKILL.md\n```',
    action: 'cat skills/demo/SKILL.md\n',
  },
  { role: 'user', content: 'BODY' },
  { role: 'assistant', content: 'all done', action: '' },
]
const inspectCall = { id: 'k', function: 'read', arguments: reading }
/** Inspect's: a long text is an attachment. */
export const inspectLog = {
  eval: { model: 'openai/gpt-x' },
  samples: [
    {
      ...{ id: 1, epoch: 2, attachments: { ab12: 'Add it up.' } },
      messages: [
        { role: 'user', content: 'attachment://ab12' },
        { role: 'assistant', content: '', tool_calls: [inspectCall] },
        { role: 'tool', tool_call_id: 'k', content: '', error: { message: 'no' } },
        { role: 'assistant', content: 'all done' },
      ],
      model_usage: {
        'openai/gpt-x': { input_tokens: 9, output_tokens: 2, total_tokens: 11, input_tokens_cache_read: 4 },
      },
    },
  ],
}
