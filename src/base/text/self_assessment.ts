/** Separates an agent's claims about its own work ("VERIFIED: all requirements are met") from results. English only. */

const doneWords =
  '(?:met|satisfied|fulfilled|passed|passes|pass|passing|completed?|done|verified|addressed|followed|implemented|covered|succeeded|succeeds?|successful|correct|in place|in order|green)'
const demands =
  '(?:requirements?|criteria|criterion|expectations?|conditions?|constraints?|instructions|specifications?|checks?|tests?|test cases?|assertions?|steps?|tasks?|deliverables?|validations?)'
const verbs =
  '(?:checked|verified|confirmed|validated|double-?checked|cross-?checked|re-?checked|ensured|made sure|proofread)'

/** Patterns of a whole sentence. */
const forms: readonly RegExp[] = [
  // VERIFIED: … / Status: complete / Done.
  String.raw`^(?:verified|confirmed|validated|checked|double-?checked)\s*[:\u2013\u2014-]|^(?:verified|validated)$`,
  String.raw`^(?:(?:overall |final )?status|result|outcome|verification|validation)\s*[:\u2013\u2014-]\s*(?:all )?(?:ok|okay|complete[d]?|done|success(?:ful)?|pass(?:ed)?|verified|good)\b`,
  '^(?:all )?(?:done|complete[d]?|finished|good|set|success)$',
  // all requirements are met / 5 of 5 checks passed
  String.raw`\b(?:all|every|each|both|\d+ ?(?:of|/|out of) ?\d+)\b[^.]{0,40}\b${demands}\b[^.]{0,30}\b${doneWords}\b`,
  String.raw`\b(?:all|every|each) ${demands}\s*[:\u2013\u2014-]\s*${doneWords}\b`,
  String.raw`\b(?:everything|nothing)\b[^.]{0,30}\b(?:${doneWords}|as (?:required|requested|specified|expected|instructed)|works?|missing|left to do)\b`,
  // meets all requirements
  String.raw`\b(?:meets?|met|satisf(?:y|ies|ied)|fulfil(?:l|ls|s|led)?|compl(?:y|ies|ied) with|conforms? to|adheres? to|follow(?:s|ed)?)\b[^.]{0,15}\b(?:all|every|each|the|your|these|those)\b[^.]{0,30}\b(?:requirements?|criteria|expectations?|specifications?|constraints?|instructions|guidelines)\b`,
  // I have checked … / it was verified
  String.raw`\b(?:i|we)(?:['\u2019]ve| have| had)?(?: \w+ly| also| now| just| then)* ${verbs}\b`,
  String.raw`\b(?:i|we)(?:['\u2019]ve| have| had)?(?: \w+ly| also| now| just| then)* (?:tested|reviewed|inspected) (?:all|every|each|both|(?:the|my) (?:outputs?|files?|reports?|results?|code|work|scripts?|solution|answers?))\b`,
  String.raw`\b(?:has been|have been|was|were)(?: \w+ly)* (?:checked|verified|validated|double-?checked|cross-?checked)\b`,
  // successfully completed
  String.raw`\bsuccessfully \w+(?:ed|en|t)\b|\b\w+(?:ed|en) successfully\b`,
  String.raw`\b(?:task|work|job|implementation|request|assignment|project)\b[^.]{0,15}\b(?:is|are|was|has been|have been)\b[^.]{0,15}\b(?:complete[d]?|done|finished|correct|ready)\b`,
  String.raw`\b(?:done|completed?|created|written|implemented|works?|everything)\b[^.]{0,40}\bas (?:required|requested|specified|instructed|asked)\b`,
  // tests pass / works as expected / no errors found
  String.raw`\b(?:tests?|test suite|checks?|builds?|validations?)\b(?: (?:all|now|still|also|suite))* (?:pass(?:es|ed)?|are passing|is passing|succeed(?:s|ed)?|(?:is|are) green)\b`,
  String.raw`\bworks? (?:correctly|properly|perfectly|as (?:expected|intended|required))\b`,
  String.raw`\bno (?:errors?|issues?|problems?|mistakes?)\b[^.]{0,15}\b(?:found|remain|detected|left)\b`,
  String.raw`\b(?:is|are|was|were) (?:all |fully |entirely |completely |100% )?(?:correct|accurate|complete|as required|as specified|as requested)(?: and (?:correct|accurate|complete|verified|final))?$`,
].map((form) => new RegExp(form, 'i'))

/** A claim of having checked, before what was checked: "I have verified that the total is 42". */
const leadingClaim = new RegExp(
  String.raw`^(?:verified|confirmed|validated|checked)\s*[:\u2013\u2014-]|\b(?:i|we)(?:['\u2019]ve| have| had)?(?: \w+ly| also| now| just| then)* ${verbs} (?:that|if|whether)\b`,
  'i',
)

/** Whether every sentence is the agent's view of its own work. */
export function isSelfAssessment(text: string): boolean {
  const sentences = text
    .split(/(?<=[.!?])\s+|\n+|;\s/)
    .map(plain)
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))
  return sentences.length > 0 && sentences.every((sentence) => forms.some((form) => form.test(sentence)))
}

/** Whether the sentence only claims that something was checked. */
export function claimsToHaveChecked(sentence: string): boolean {
  return leadingClaim.test(plain(sentence))
}

export function findSentence(text: string, { start, end }: { start: number; end: number }): string {
  const before = text.slice(Math.max(0, start - 400), start)
  const after = text.slice(end, end + 400)
  const head = Math.max(...[...before.matchAll(/[.!?](?=\s)|\n/g)].map(({ index }) => index + 1), 0)
  const tail = after.search(/[.!?](?=\s|$)|\n/)
  return before.slice(head) + text.slice(start, end) + (tail < 0 ? after : after.slice(0, tail))
}

/** Removes list marks, emphasis and the marks of a finished task. */
function plain(sentence: string): string {
  return sentence
    .replaceAll(/[*_`#>|"\u201c\u201d]/g, '')
    .replace(/^(?:\s|[-+\u2022\u2713\u2714\u2611\u2705]|\ufe0f|\[[ x]\])+/i, '')
    .trim()
    .replace(/[.!?:\s]+$/, '')
}
