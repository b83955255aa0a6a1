/** Who is asked outside a grading, and what it may use; a question in the form that `ask` takes. */
import { runMark } from '../../../base/process_marks.ts'
import type { Sandbox } from '../../../base/sandbox/policy.ts'
import type { Gate } from '../../../engines/gate.ts'
import type { JudgeChoice } from '../judge.ts'

export interface Asking {
  judge: JudgeChoice
  env: Readonly<Record<string, string>>
  /** What it is confined to when these folders are its own. */
  sandboxFor: (writable: readonly string[]) => Sandbox | null
  credentials: Readonly<Record<string, string>>
  gate: Gate | undefined
  signal: AbortSignal
}

export interface Question {
  prompt: string
  cwd: string
  /** Of the room that `cwd` lies in; null: that of the asking. */
  mark: string | null
  tools: 'read_only' | 'none'
}

const maxTurns = 60

export function questionTo(asking: Asking, { prompt, cwd, mark, tools }: Question) {
  const { judge, env, sandboxFor, credentials, gate, signal } = asking
  return {
    engine: judge.engine,
    task: {
      prompt,
      model: judge.model,
      command: judge.command,
      cwd,
      env: mark === null ? env : { ...env, [runMark]: mark },
      credentials,
      skills: [],
      tools,
      maxTurns,
      sandbox: sandboxFor([cwd]),
    },
    context: { signal, emit: () => {}, stderrFile: null, ...(gate && { gate }) },
  }
}
