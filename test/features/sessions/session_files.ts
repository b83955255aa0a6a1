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
