/** Grades a run of these files by a judge that answers in the test's own process: for tests of what a grading makes of its answers. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { RunRecord } from '../../../schemas/run.ts'
import { type Engine, emptyReport } from '../../../src/engines/engine.ts'
import { type GradeRunRequest, gradeRun } from '../../../src/phases/3-judge/grade/grade_run.ts'
import type { JudgeChoice } from '../../../src/phases/3-judge/judge_request.ts'
import { record } from '../../fixtures/record.ts'
import { suiteCase } from '../../fixtures/suite_case.ts'
import { environment, temporary, write } from './scene.ts'

interface Question {
  prompt: string
  /** Numbers of the expectations that are asked about. */
  numbers: number[]
  /** How often it was asked before. */
  call: number
  /** A file of the judge's folder. */
  read: (name: string) => string
}

/** `prompts`: what it was asked. An answer that is not a text is given as JSON. */
export function judgeBy(answer: (question: Question) => unknown): { judge: JudgeChoice; prompts: string[] } {
  const prompts: string[] = []
  const engine: Engine = {
    name: 'command',
    takesCommand: { example: './judge.sh', agents: {} },
    credentials: [],
    skillsFolder: '.claude/skills',
    probe: async () => ({ ok: true, version: null, detail: 'in this process' }),
    async run({ prompt, cwd }) {
      const [, block = ''] = /<expectations>\n([\s\S]*?)<\/expectations>/.exec(prompt) ?? []
      const numbers = [...block.matchAll(/^(\d+)\. /gm)].map(([, n]) => Number(n))
      const read = (name: string) => readFileSync(path.join(cwd, name), 'utf8')
      const said = answer({ prompt, numbers, call: prompts.push(prompt) - 1, read })
      const finalResponse = typeof said === 'string' ? said : JSON.stringify(said)
      return { status: 'completed', report: { ...emptyReport, finalResponse, answered: true } }
    },
  }
  return { judge: { engine, model: null, command: null }, prompts }
}

/** Passes everything with the n-th evidence on its n-th call (the last one stays); `fail: …` fails, `prose` is no answer. */
export function quoter(...evidences: readonly string[]) {
  return judgeBy(({ numbers, call }) => {
    const evidence = evidences[Math.min(call, evidences.length - 1)] ?? ''
    if (evidence === 'prose') return 'All fine, I would say.'
    const passed = !evidence.startsWith('fail')
    return { verdicts: numbers.map((n) => ({ n, passed, evidence: evidence.replace('#', `${n}`) })) }
  })
}

export const toLines = (events: readonly object[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('')

interface Graded extends Partial<GradeRunRequest> {
  /** Of the run's folder. */
  files: Readonly<Record<string, string | Buffer>>
  /** What the case has. */
  parts: Record<string, unknown>
  of?: RunRecord
}

export async function gradeFiles({ files, parts, of = record({ final_response: 'done' }), ...changes }: Graded) {
  const runFolder = await temporary()
  await write(runFolder, files)
  return gradeRun({
    case: suiteCase({ prompt: 'Add up.', ...parts }),
    record: of,
    runFolder,
    judge: null,
    onTimeout: 'fail',
    restore: async () => {},
    env: environment,
    credentials: {},
    signal: new AbortController().signal,
    ...changes,
  })
}
