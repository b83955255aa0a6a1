/** Decides whether a quote is only a claim of the agent about its own work. */
import type { TranscriptEvent } from '../../../../schemas/transcript.ts'
import { claimsToHaveChecked, findSentence, isSelfAssessment } from '../../../base/text/self_assessment.ts'
import type { QuoteSpan } from './find_quote.ts'
import { normalText } from './normalize_text.ts'

interface QuotePlace {
  file: string
  text: string
  span: QuoteSpan
}

export type IsClaim = (quote: string, place: QuotePlace) => boolean

/** Returns a detector for one run, by the statement that a quote has to prove. */
export function createClaimDetector(events: readonly TranscriptEvent[]): (statement: string) => IsClaim {
  const isByTool = toolTexts(events)
  return (statement) => (quote, place) => {
    if (place.file.startsWith('inputs/') || asksForAssessment(statement)) return false
    const around = findSentence(place.text, place.span)
    const isAssessment = isSelfAssessment(quote) || (!asksForAnswer(statement) && claimsToHaveChecked(around))
    return isAssessment && !isByTool(quote, place.file)
  }
}

const sayingWords =
  /\b(?:says?|states?|tells?|mentions?|confirms?|reports?|claims?|announces?|explains?|answers?|response|reply|replies|message|summary)\b/i
const assessingWords = /\b(?:verif|check|confirm|valid|test|success|complet|done|finish|requirement)/i

/** The statement is about the agent's claims about its work, so a claim is the evidence. */
function asksForAssessment(statement: string): boolean {
  return sayingWords.test(statement) && assessingWords.test(statement)
}

/** The statement is about the answer, so a fact in it is evidence even if the agent claims to have checked it. */
function asksForAnswer(statement: string): boolean {
  return sayingWords.test(statement)
}

/** Whether a program produced the text: it is in a tool result or a file, and the agent never wrote it into a call itself. */
function toolTexts(events: readonly TranscriptEvent[]): (quote: string, file: string) => boolean {
  let texts: { results: string; calls: string } | null = null
  return (quote, file) => {
    texts ??= collectToolTexts(events)
    const wanted = normalText(quote)
    if (texts.calls === '' || texts.calls.includes(wanted)) return false
    return file.startsWith('outputs/') || texts.results.includes(wanted)
  }
}

function collectToolTexts(events: readonly TranscriptEvent[]): { results: string; calls: string } {
  const calls = events.flatMap((event) => (event.type === 'tool_call' ? collectCallStrings(event.input) : []))
  const results = events.flatMap((event) => (event.type === 'tool_result' ? [event.output] : []))
  return { calls: normalText(calls.join('\n')), results: normalText(results.join('\n')) }
}

function collectCallStrings(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(collectCallStrings) : []
}
