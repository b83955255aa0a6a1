/** Sessions of `improve` by its flow itself, without a process around it. */
import type { History } from '../../../schemas/history.ts'
import type { FlowContext } from '../../../src/flows/flow_context.ts'
import { improve } from '../../../src/flows/improve/improve.ts'
import type { ImproveRequest } from '../../../src/flows/improve/improve_request.ts'
import { type Limits, noLimits } from '../../../src/flows/limits/limits.ts'
import { usualMargins } from '../../../src/phases/4-report/acceptance/guards.ts'
import { proposer, type World } from '../../e2e/improve/improving.ts'

export interface Wish extends Partial<Omit<ImproveRequest, 'bench' | 'skill'>> {
  limits?: Partial<Limits>
  engine?: string
  remote?: ImproveRequest['bench']['remote']
}

const usual = {
  ...{ totalRuns: 24, goal: 'better' as const, certifyJudge: null, confirmOn: [], seed: 1, margins: usualMargins },
  ...{ proposer: null, proposeTimeout: 60, useDrafts: false, resume: false },
}

type Place = Pick<World, 'skill' | 'workspace' | 'env'>

export function requestHere(
  { skill, workspace }: Place,
  { limits = {}, engine = 'anthropic:practice-1', remote = null, ...wish }: Wish,
): ImproveRequest {
  const bench = {
    ...{ suite: null, engine, model: null, judge: null, concurrency: 4, timeoutSeconds: 60, maxTurns: null },
    ...{ retries: 0, activation: 'natural' as const, onTimeout: 'fail' as const, workspace, passEnv: [] },
    limits: { ...noLimits, ...limits },
    remote,
    sandbox: { mode: 'off' as const, network: null, readable: [], trusted: true },
  }
  return { skill, ...usual, review: null, ...wish, bench }
}

/** `told`: gets what a session says on its way. */
export function contextHere({ env }: Place, told: string[] = []): FlowContext {
  const { signal } = new AbortController()
  return {
    emit: (event) => void (event.type === 'improve_step' && told.push(event.message)),
    env: { PATH: process.env.PATH, ...env },
    ...{ drain: signal, signal },
    now: () => new Date(),
  }
}

/** What it gives, and what it has told on its way. */
export async function improveHere(place: Place, wish: Wish = {}) {
  const told: string[] = []
  const { history } = await improve(requestHere(place, wish), contextHere(place, told))
  return { history, told }
}

export const editsOf = ({ rounds = [] }: History) =>
  rounds.flatMap((one) => one.proposals.flatMap(({ edits }) => edits))

/** Each proposer does these in its copies, one in each. */
export function proposesAll(commands: readonly string[]): string {
  const each = commands.map((command, at) => `(cd ../change-${at + 1} && ${command})`)
  const words = commands.map((_, at) => `CHANGE ${at + 1}: edit ${at + 1}\\nWHY ${at + 1}: reason ${at + 1}`)
  return proposer('all', { command: each.join('; '), words: words.join('\\n') })
}

/** Cases that a judge decides. */
export function judgedSuite(count: number): Record<string, string> {
  const evals = Array.from({ length: count }, (_, at) => {
    const [a, b] = [1000 + 37 * at, 210 + at]
    return { id: at + 1, prompt: `What is ${a} plus ${b}?`, expectations: [`The answer says "sum: ${a + b}"`] }
  })
  return { 'evals/evals.json': JSON.stringify({ skill_name: 'adder', evals }) }
}

/** Judges that pass what the transcript holds. */
export const judges = String.raw`
  - name: the judge reads
    when: { tool: '^(submit|StructuredOutput)$', turn: 1 }
    tool_calls: [{ name: [Read], input: { file_path: transcript.md } }]
  - name: the judge decides
    when: { tool: '^(submit|StructuredOutput)$' }
    tool_calls:
      - name: [submit, StructuredOutput]
        input:
          verdicts:
            $each:
              in: '{{find "<expectations>\n([\s\S]*?)</expectations>" user}}'
              match: '^(?<n>\d+)\. (?<statement>.+)$'
              as:
                n: { $number: '{{n}}' }
                passed: { $found: { needles: '"([^"]+)"', of: '{{statement}}' } }
                evidence: { $line: { needles: '"([^"]+)"', of: '{{statement}}', as: '{{this.line}}', otherwise: 'nothing' } }
          claims: []
          user_notes_summary: { uncertainties: [], needs_review: [], workarounds: [] }
          eval_feedback: null
`
