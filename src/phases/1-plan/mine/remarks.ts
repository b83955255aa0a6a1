/** Tells from the person's later messages what was accepted and what was corrected. Pure; English and German words. */

export interface Remarks {
  /** Later messages that ask for something else, each in at most two sentences. */
  corrections: string[]
  /** The last message that says something says that the result is good. */
  accepted: boolean
}

const praise =
  /\b(?:thanks?|thank you|thx|perfect|great|awesome|excellent|nice|lovely|looks? good|lgtm|well done|that works|works (?:now|well|fine)|exactly|good job|ship it|love it|danke|super|passt|prima|perfekt)\b/i
const correction =
  /^(?:no\b|nope|not quite|wrong|stop|wait|hmm|actually|almost|nein|nicht)|\b(?:don['’]?t|do not|shouldn['’]?t|should(?:n['’]t)? (?:be|have|not|use|go|come|start|end)|must (?:be|have|not|use)|instead|rather than|wrong|incorrect|mistake|missing|forgot|you (?:left out|missed|skipped|dropped)|not what|still (?:not|has|have|shows?|missing|wrong)|doesn['’]?t|does not|isn['’]?t|aren['’]?t|too (?:long|short|many|few|big|small|much|formal)|i (?:meant|asked|said|wanted)|as i said|always|never|needs? to be|fix|redo|undo|revert|change (?:it|that|the|this)|falsch|sondern|stattdessen|fehlt|bitte (?:nicht|kein))\b/i

const longestQuote = 240

/** `later`: the messages after the task. */
export function readRemarks(later: readonly string[]): Remarks {
  const corrections = later.filter(isCorrection).map(quoteRemark)
  const last = later.findLast((text) => isCorrection(text) || praise.test(text))
  return { corrections: [...new Set(corrections)], accepted: last !== undefined && !isCorrection(last) }
}

/** "Thanks, but use commas" is a correction; "Thanks, that isn't needed" too: better one too many to review. */
function isCorrection(text: string): boolean {
  const plain = text.trim()
  if (plain.length > 1500 || !correction.test(plain)) return false
  return !(praise.test(plain) && plain.length < 60 && !/\bbut\b|\baber\b/i.test(plain) && !/^no\b/i.test(plain))
}

/** On one line, without greetings, cut after a sentence. */
export function quoteRemark(text: string): string {
  const flat = text
    .replaceAll(/```[\s\S]*?(?:```|$)/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  if (flat.length <= longestQuote) return flat
  const cut = flat.slice(0, longestQuote)
  const end = Math.max(cut.lastIndexOf('. '), cut.lastIndexOf('! '), cut.lastIndexOf('? '))
  return end > 60 ? cut.slice(0, end + 1) : `${cut.slice(0, cut.lastIndexOf(' '))} …`
}
