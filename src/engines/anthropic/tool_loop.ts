/** The agent loop: ask the model, do what it asks of the tools, until it has finished. */
import { realpath } from 'node:fs/promises'
import { VERSION } from '@anthropic-ai/sdk/version'
import type { EngineContext, EngineError, EngineOutcome, EngineReport, EngineTask } from '../engine.ts'
import { emptyReport } from '../engine.ts'
import { complete, fail } from '../outcome.ts'
import { followSkillReads } from '../skill_read.ts'
import { hasKey, openClient } from './client.ts'
import {
  beginConversation,
  type Conversation,
  nextRequest,
  submitTool,
  takeResponse,
  userMessage,
} from './conversation.ts'
import { estimateCost } from './cost.ts'
import { type Sender, type Sent, send } from './send.ts'
import { performCalls, type Workshop } from './tool_calls.ts'
import { toolsFor } from './tools/table.ts'

/** Tries of one request once the agent is at work. */
const triesAtWork = 4

const nudge = `You ended without an answer. Give it now: call ${submitTool}.`

/** Runs a task to its end, whatever that is; rejects only when aborted. */
export async function runLoop(task: EngineTask, context: EngineContext, skillsFolder: string): Promise<EngineOutcome> {
  context.signal.throwIfAborted()
  if (!hasKey(task.credentials)) return fail(context, noKey, { report: emptyReport, step: 0 })
  const tools = toolsFor(task.tools)
  const conversation = beginConversation(task, tools)
  const { emit, signal } = context
  const loaded = { skills: task.skills.map(({ name }) => name), tools: tools.map(({ name }) => name), mcp_servers: [] }
  emit({ type: 'system', step: 0, subtype: 'init', model: conversation.model, ...loaded })
  const workshop: Workshop = {
    tools,
    place: { cwd: await realpath(task.cwd), env: task.env, confined: task.tools !== 'all', signal },
    skillReads: followSkillReads({ skills: task.skills, skillsFolder, emit }),
    submits: task.answerSchema !== null,
    emit,
  }
  const end = await converse(conversation, { workshop, maxTurns: task.maxTurns, client: openClient(task.credentials) })
  const report = await reportOf(conversation, loaded)
  if ('kind' in end) return fail(context, end, { report, step: conversation.step })
  return complete(context, { ...report, stopReason: end.stopReason }, conversation.step)
}

const noKey: EngineError = {
  kind: 'credentials',
  message: 'neither ANTHROPIC_API_KEY nor ANTHROPIC_AUTH_TOKEN is set',
  retryable: false,
  retryAfterMs: null,
}

interface Loop {
  workshop: Workshop
  maxTurns: number | null
  client: Sender['client']
}

async function converse(conversation: Conversation, loop: Loop): Promise<{ stopReason: string } | EngineError> {
  const { workshop, maxTurns } = loop
  const sender: Sender = {
    client: loop.client,
    signal: workshop.place.signal,
    onWait: (ms) => {
      conversation.waitedMs += ms
    },
  }
  const isLast = () => maxTurns !== null && conversation.step >= maxTurns
  let nudged = false
  for (;;) {
    const sent = await ask(conversation, sender, nudged)
    if (!sent.ok) return sent.error
    const calls = takeResponse(conversation, sent.message, workshop.emit)
    const stopReason = sent.message.stop_reason ?? 'end_turn'
    if (calls.length > 0) {
      await performCalls(conversation, { calls, lastIsCut: isCut(sent.message) }, workshop)
      if (conversation.answer !== null) return { stopReason: 'submitted' }
    }
    if (nudged) return { stopReason }
    const goesOn = calls.length > 0 || stopReason === 'pause_turn'
    if (goesOn && !isLast()) continue
    if (!workshop.submits || stopReason === 'refusal') return { stopReason: goesOn ? 'max_turns' : stopReason }
    nudged = true
    conversation.messages.push(userMessage(nudge))
    workshop.emit({ type: 'user', step: conversation.step, text: nudge })
  }
}

/** Whether the response was cut inside its last block, a tool call. */
function isCut({
  stop_reason,
  content,
}: {
  stop_reason: string | null
  content: readonly { type: string }[]
}): boolean {
  return stop_reason === 'max_tokens' && content.at(-1)?.type === 'tool_use'
}

/** After the nudge the answer is forced; a model that refuses to be forced is asked without. */
async function ask(conversation: Conversation, sender: Sender, forced: boolean): Promise<Sent> {
  const request = nextRequest(conversation)
  const tries = conversation.step === 0 ? 1 : triesAtWork
  if (!forced) return send(request, sender, tries)
  const sent = await send({ ...request, tool_choice: { type: 'tool', name: submitTool } }, sender, tries)
  return sent.ok || sent.error.kind !== 'bad_request' ? sent : send(request, sender, tries)
}

async function reportOf(conversation: Conversation, loaded: EngineReport['loaded']): Promise<EngineReport> {
  const { step, usage, model, answer, text } = conversation
  return {
    ...emptyReport,
    finalResponse: text,
    answer: answer?.value,
    version: VERSION,
    model,
    provider: 'anthropic',
    usage: step === 0 ? null : usage,
    cost: step === 0 ? null : await estimateCost(usage, model),
    loaded,
    waitedMs: conversation.waitedMs,
  }
}
