/** Gemini CLI over ACP: `gemini --acp`, in a home of its own, as the gemini engine starts it. */
import { rm } from 'node:fs/promises'
import { runMark } from '../../../base/process/process_marks.ts'
import type { EngineTask } from '../../engine.ts'
import { createGeminiHome, gemini } from '../../gemini/gemini.ts'
import { HeldCommands } from '../../gemini/held_commands.ts'
import { geminiModel, geminiProvider, geminiServer } from '../../gemini/model.ts'
import { geminiCli } from '../../gemini/probe.ts'
import { geminiEnvironment, geminiFolders } from '../../gemini/settings.ts'
import type { ToolCallRecord } from '../protocol/records.ts'
import type { ShownCall } from '../turn/tool_calls.ts'
import type { AcpPreset, AcpRun } from './preset.ts'

export const geminiPreset: AcpPreset = {
  cli: geminiCli,
  engine: gemini,
  model: (name) => ({ model: geminiModel(name), provider: geminiProvider }),
  server: ({ credentials }) => geminiServer(credentials),
  describe,
  open,
}

async function open(task: EngineTask): Promise<AcpRun | string> {
  // Whetstone itself ends the turn after the last allowed response
  const mistake = await createGeminiHome({ ...task, maxTurns: null })
  if (mistake !== null) return mistake
  const held = new HeldCommands(task.env.TMPDIR ?? '/tmp', task.env[runMark] ?? '')
  return {
    args: ['--acp', '--model', geminiModel(task.model)],
    env: geminiEnvironment(task),
    poll(openCalls) {
      if (openCalls.some((id) => id.startsWith('run_shell_command__'))) void held.poll()
      return null
    },
    clean: () => rm(geminiFolders(task).home, { recursive: true, force: true, maxRetries: 3 }),
  }
}

/** It reports no input: the id of a call begins with the tool's name, and its title shows the most important part of the input. */
function describe({ toolCallId, title, locations }: ToolCallRecord): ShownCall | null {
  const [, name] = /^([a-z]\w*?)__/.exec(toolCallId) ?? []
  if (name === undefined) return null
  if (name === 'activate_skill') return { name, input: { name: /^"([^"]+)"/.exec(title ?? '')?.[1] ?? title ?? '' } }
  if (name === 'run_shell_command') return { name, input: { command: title ?? '' } }
  const places = (locations ?? []).map((one) => one.path)
  return { name, input: { title: title ?? '', ...(places.length > 0 && { locations: places }) } }
}
