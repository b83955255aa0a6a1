/** Notes on expectations: those that tell nothing apart, those that the skill adds, those that it breaks. */
import type { BenchmarkRun } from '../../../../schemas/benchmark.ts'
import { meetingOf } from '../arms.ts'
import type { NoteGroup, NoteParts } from '../notes.ts'
import { short } from '../words.ts'

interface Tally {
  evalId: number
  text: string
  /** Passed and decided, by configuration. */
  arms: Map<string, { passed: number; total: number }>
}

export function expectationNotes({ runs, arms }: NoteParts): NoteGroup[] {
  const { candidate, baseline } = arms
  if (candidate === null || baseline === null) return []
  const found: Record<Rule, string[]> = { hurts: [], adds: [], always: [], never: [] }
  const isNamed = meetingOf(arms) === 'names'
  const told = isNamed ? { subject: candidate, value: 'tell the two apart' } : ofSkill
  for (const tally of tallies(runs)) {
    const [a, b] = [tally.arms.get(candidate), tally.arms.get(baseline)]
    if (a === undefined || b === undefined) continue
    const rule = ruleOf(a.passed / a.total, b.passed / b.total)
    if (rule === null) continue
    const numbers = [`${a.passed}/${a.total} ${candidate}`, `${b.passed}/${b.total} ${baseline}`] as const
    found[rule].push(`Expectation '${short(tally.text)}' (eval ${tally.evalId}) ${says[rule](...numbers, told)}`)
  }
  return [
    { notes: found.hurts, more: 'expectations that only the candidate fails' },
    { notes: found.adds, more: 'expectations that only the candidate passes' },
    { notes: found.always, more: 'expectations that pass 100% in both configurations' },
    { notes: found.never, more: 'expectations that pass 0% in both configurations' },
  ]
}

type Rule = 'hurts' | 'adds' | 'always' | 'never'

const ofSkill = { subject: 'the skill', value: 'differentiate skill value' }

const says: Record<Rule, (candidate: string, baseline: string, told: typeof ofSkill) => string> = {
  hurts: (a, b, { subject }) => `passes ${a} and ${b} - ${subject} may break this`,
  adds: (a, b, { subject }) => `passes ${a} and ${b} - ${subject} makes the difference`,
  always: (a, b, { value }) => `passes 100% in both configurations (${a}, ${b}) - may not ${value}`,
  never: (a, b) => `passes 0% in both configurations (${a}, ${b}) - may be too hard, or not decidable`,
}

function ruleOf(candidate: number, baseline: number): Rule | null {
  if (candidate === 1) return baseline === 1 ? 'always' : baseline === 0 ? 'adds' : null
  if (candidate === 0) return baseline === 0 ? 'never' : baseline === 1 ? 'hurts' : null
  return null
}

function tallies(runs: readonly BenchmarkRun[]): Tally[] {
  const found = new Map<number, Map<string, Tally>>()
  for (const run of runs) {
    const own = found.get(run.eval_id) ?? new Map<string, Tally>()
    found.set(run.eval_id, own)
    for (const { text, passed } of run.expectations) {
      const tally = own.get(text) ?? { evalId: run.eval_id, text, arms: new Map() }
      const arm = tally.arms.get(run.configuration) ?? { passed: 0, total: 0 }
      arm.passed += Number(passed)
      arm.total += 1
      tally.arms.set(run.configuration, arm)
      own.set(text, tally)
    }
  }
  return [...found.values()].flatMap((own) => [...own.values()])
}
