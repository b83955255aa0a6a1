/** Fills in `${{ }}` as GitHub does, with GitHub's own library for expressions. */
import { data, Evaluator, Lexer, Parser } from '@actions/expressions'

export type Contexts = Readonly<Record<string, unknown>>

/** How the steps before ended, for the functions of `if`. */
export interface StepState {
  hasFailed: boolean
}

/** The text with every expression replaced by its value. */
export function fillExpressions(text: string, contexts: Contexts): string {
  return text.replaceAll(/\$\{\{(.*?)\}\}/gs, (_, inner: string) => evaluate(inner, contexts, null).coerceString())
}

/** Whether a step runs; without a status function it needs the success of all before. */
export function isStepDue(condition: string | undefined, contexts: Contexts, state: StepState): boolean {
  const inner = (condition ?? 'success()').replace(/^\s*\$\{\{(.*)\}\}\s*$/s, '$1')
  const whole = /\b(?:always|success|failure|cancelled)\(\)/.test(inner) ? inner : `success() && (${inner})`
  const value = evaluate(whole, contexts, state)
  return value.kind === data.Kind.Boolean ? value.value : value.coerceString() !== ''
}

function evaluate(expression: string, contexts: Contexts, state: StepState | null): data.ExpressionData {
  const answers = { always: true, cancelled: false, success: !state?.hasFailed, failure: state?.hasFailed === true }
  const functions = (state === null ? [] : Object.entries(answers)).map(([name, value]) => ({
    ...{ name, minArgs: 0, maxArgs: 0 },
    call: () => new data.BooleanData(value),
  }))
  const { tokens } = new Lexer(expression.trim()).lex()
  const parsed = new Parser(tokens, Object.keys(contexts), functions).parse()
  const known = JSON.parse(JSON.stringify(contexts), data.reviver)
  return new Evaluator(parsed, known, new Map(functions.map((one) => [one.name, one]))).evaluate()
}
