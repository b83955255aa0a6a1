/** What judges say about the suite itself (eval_feedback), collected by case. Pure. */
import {
  type CritiqueInput,
  findExpectationFact,
  quoteStatement,
  readArmVerdicts,
  type UnplacedFinding,
} from './discrimination.ts'

interface Suggestion {
  evalId: number
  /** The statement of the suite that it is about; null: the whole case. */
  expectation: string | null
  /** Each remark once, with the number of gradings that contain it. */
  reasons: Map<string, number>
}

const mostReasons = 3

export function feedbackFindings(input: CritiqueInput): UnplacedFinding[] {
  const gradings = new Map<number, number>()
  const all = new Map<string, Suggestion>()
  for (const { eval_id, feedback, expectations } of input.gradings) {
    if (feedback === undefined) continue
    gradings.set(eval_id, (gradings.get(eval_id) ?? 0) + 1)
    for (const { assertion, reason } of feedback.suggestions) {
      if (reason.trim() === '') continue
      const texts = expectations.map(({ text }) => text)
      const expectation = assertion === undefined ? null : (matchStatement(assertion, texts) ?? null)
      const key = JSON.stringify([eval_id, expectation ?? plain(reason)])
      const known = all.get(key) ?? { evalId: eval_id, expectation, reasons: new Map<string, number>() }
      const same = [...known.reasons.keys()].find((one) => plain(one) === plain(reason)) ?? reason.trim()
      known.reasons.set(same, (known.reasons.get(same) ?? 0) + 1)
      all.set(key, known)
    }
  }
  return [...all.values()].map((one) => toFeedbackFinding(input, one, gradings.get(one.evalId) ?? 0))
}

function toFeedbackFinding(
  input: CritiqueInput,
  { evalId, expectation, reasons }: Suggestion,
  of: number,
): UnplacedFinding {
  const ranked = [...reasons].sort(([, a], [, b]) => b - a)
  const times = ranked.reduce((sum, [, count]) => sum + count, 0)
  const shown = ranked.slice(0, mostReasons).map(([reason]) => quoteStatement(reason.slice(0, 300)))
  const more = ranked.length > mostReasons ? ` and ${ranked.length - mostReasons} more` : ''
  const verdicts = expectation === null ? {} : readArmVerdicts(input, findExpectationFact(input, evalId, expectation))
  return {
    kind: 'feedback',
    severity: 'info',
    eval_id: evalId,
    expectation,
    message: `the judge remarks on it in ${Math.min(times, of)} of ${of} gradings with remarks: ${shown.join('; ')}${more}`,
    numbers: { verdicts, of, found: Math.min(times, of) },
    edit:
      expectation === null
        ? { op: 'add', text: 'add an expectation that asks for this, if a good answer should have it' }
        : { op: 'reword', text: 'if you agree with this remark, reword the statement accordingly' },
  }
}

/** A judge may quote a statement with different white space, or only a part of it. */
function matchStatement(assertion: string, texts: readonly string[]): string | undefined {
  const wanted = plain(assertion)
  const same = texts.find((text) => plain(text) === wanted)
  if (same !== undefined || wanted.length < 12) return same
  const parts = texts.filter((text) => plain(text).includes(wanted) || wanted.includes(plain(text)))
  return parts.length === 1 ? parts[0] : undefined
}

function plain(text: string): string {
  return text
    .trim()
    .replace(/[.\s]+$/, '')
    .replaceAll(/\s+/g, ' ')
    .toLowerCase()
}
