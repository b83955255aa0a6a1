/** Chooses what the verifier of a Harbor task decides, and lists what it leaves out. */
import { type Check, type CheckOf, isReward } from '../../../../schemas/check.ts'
import type { SuiteCase } from '../../../../schemas/suite.ts'
import { commandSeconds, type Translation, translateCheck, type VerifierEntry } from './harbor_checks.ts'

export const workingFolder = '/app'

/** checks.json. */
export interface VerifierSpec {
  working_folder: string
  /** Relative to the working folder; null: no check reads the final answer. */
  answer_file: string | null
  /** path → sha256 of the files before the agent starts; null: the image records them, because its setup creates some. */
  start: Readonly<Record<string, string>> | null
  checks: (VerifierEntry & { text: string; weight: number; counts: boolean })[]
}

export interface VerifierPlan {
  checks: VerifierSpec['checks']
  /** null: no check reads the final answer. */
  answer_file: string | null
  /** Criteria that the verifier does not decide. `kind`: short, for a list. */
  left_out: { kind: string; text: string }[]
  /** Why there is nothing that could give a reward; null: there is. */
  refusal: string | null
}

/** What the verifier's plan depends on besides the case. */
export interface VerifierSources {
  /** Writes a check in plain words. */
  sentence: (check: Check) => string
  /** The program of a `script` check, by its path in the suite. */
  programs: ReadonlyMap<string, string>
  /** Names of files that the case brings. */
  taken: readonly string[]
}

/** An indicator is decided but does not count: only the arm with the skill can pass it. */
export function planVerifier(one: SuiteCase, { sentence, programs, taken }: VerifierSources): VerifierPlan {
  const checks: VerifierSpec['checks'] = []
  const left_out: VerifierPlan['left_out'] = []
  const hasReward = one.checks.some(isReward)
  let readsAnswer = false
  for (const check of one.checks) {
    const translated = check.type === 'script' ? translateScript(check, one, programs) : translateCheck(check)
    const text = sentence(check)
    if ('reason' in translated) {
      left_out.push({ kind: `${isReward(check) ? 'its reward, ' : ''}${check.type} (${translated.reason})`, text })
      continue
    }
    readsAnswer ||= translated.readsAnswer
    const counts = hasReward ? isReward(check) : check.indicator !== true
    checks.push({ text, weight: check.weight ?? 1, counts, ...translated.entry })
  }
  for (const { text } of one.expectations) left_out.push({ kind: 'statements that a judge decides', text })
  const counted = checks.filter(({ counts }) => counts).length
  const refusal = counted > 0 ? null : explainRefusal(checks.length, left_out)
  return { checks, answer_file: readsAnswer ? chooseAnswerFile(one, taken) : null, left_out, refusal }
}

/** A script gets the run as Whetstone gives it, but Harbor has no transcript. */
function translateScript(check: CheckOf<'script'>, one: SuiteCase, programs: VerifierSources['programs']): Translation {
  const program = programs.get(check.script) ?? ''
  if (program.includes('transcript_events_file'))
    return { reason: 'it reads the transcript, which Harbor does not have' }
  const translated = translateCheck(check)
  if ('reason' in translated) return translated
  const { eval_id: id, eval_name: name, prompt, expected_output, reference } = one
  const entry = { ...translated.entry, case: { id, name, prompt, expected_output, reference } }
  return { entry, readsAnswer: program.includes('final_response') }
}

function explainRefusal(indicators: number, left_out: VerifierPlan['left_out']): string {
  const others = indicators === 0 ? [] : ['checks that only a run with the skill can pass']
  const kinds = [...new Set([...left_out.map(({ kind }) => kind), ...others])]
  return kinds.length === 0 ? 'it has no check' : `nothing to verify but ${kinds.join(', ')}`
}

/** A name that neither an input file nor a check of the case uses. */
function chooseAnswerFile(one: SuiteCase, taken: readonly string[]): string {
  const named = one.checks.flatMap((check) => ('path' in check && check.path !== undefined ? [check.path] : []))
  const used = new Set([...taken, ...named, ...Object.keys(one.reference?.files ?? {})])
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? 'answer.txt' : `answer-${number}.txt`
    if (!used.has(name)) return name
  }
}

/** Seconds for all of it: the limits of the commands, and a minute for the rest. */
export function verifierSeconds(checks: VerifierSpec['checks']): number {
  const limits = checks.map(({ timeout }) => (typeof timeout === 'number' ? timeout : 0))
  return limits.reduce((sum, seconds) => sum + seconds, commandSeconds)
}
