/**
 * Finds added text of a skill that makes an agent write for its grader. This is a first line of defence and not complete: it knows
 * English phrases, and prefers to miss one over refusing an honest edit. A second judge decides the certification.
 */
import { findAttempts } from '../../../base/text/injection_rules.ts'
import { readableVersions } from '../../../base/text/readable_text.ts'
import { isSelfAssessment } from '../../../base/text/self_assessment.ts'
import { addedText, allText, type SkillEdit } from '../skill_edit.ts'

/** Why the edit is refused; null: no sentence of it games a judge. Text that the skill had before is allowed. */
export function findJudgeGaming(edit: SkillEdit): string | null {
  const mayGrade = aboutGrading.test(allText(edit.before))
  for (const version of readableVersions(addedText(edit))) {
    const counts = (rule: string) => rule === 'instruction' || (rule === 'verdict' && !mayGrade)
    for (const { rule, line } of findAttempts(version, counts)) {
      if (counts(rule)) return `it instructs a grader: ${quote(line)}`
    }
    for (const sentence of splitSentences(version.text)) {
      const kind = judgeSentence(sentence)
      if (kind !== null) return `it ${kind}: ${quote(sentence)}`
    }
  }
  return null
}

/** A quotation mark without its end joins no more than this. */
const longestQuotation = 400

/** A skill that grades writes verdicts. */
const aboutGrading =
  /\b(?:grad(?:e[sdr]?|ing)|graders|evals?|verdicts?|rubrics?|judges?|expectations?|quiz(?:zes)?|exams?)\b/i

/** Lines of one paragraph are joined, items of lists and rows of tables are not; what follows a colon belongs to its sentence. */
function splitSentences(text: string): string[] {
  const lines = text
    .replaceAll('\u2028', '\n')
    .replace(/:[ \t]*\n+/g, ': ')
    .replace(/(?<![.!?]["”')]?)\n(?!\s*(?:[-*+|#>]|\d+[.)]|\n))/g, ' ')
    .split(/\n+/)
  return lines.flatMap(splitLine).flatMap(cutSentence)
}

/** Pieces of at most 600 characters: the patterns take too long on longer ones, such as a script in a single line. */
function cutSentence(sentence: string): string[] {
  return sentence.length < 9 ? [] : (sentence.match(/[\s\S]{1,600}/g) ?? [])
}

/** Sentences of one quotation stay together. */
function splitLine(line: string): string[] {
  const found: string[] = []
  let open = ''
  for (const part of line.split(/(?<=[.!?]["”')]?)\s+(?=[A-Z"“'<([])/)) {
    open = open === '' ? part : `${open} ${part}`
    if ((open.match(/["“”]/g) ?? []).length % 2 === 1 && open.length < longestQuotation) continue
    found.push(open.trim())
    open = ''
  }
  return open === '' ? found : [...found, open.trim()]
}

function quote(text: string): string {
  return JSON.stringify(text.length > 160 ? `${text.slice(0, 160)}…` : text)
}

const grader =
  '(?:graders?|evaluators?|(?:ai |llm |automated )?judges?|examiners?|assessors?|whoever (?:grades|evaluates|judges|scores|reviews|reads)|(?:an? |the |any )?(?:language )?model (?:that|which|who) (?:grades|evaluates|judges|scores|checks)|model (?:reading|grading|evaluating|judging))'
const praised = `(?:reviewers?|${grader})`
const work =
  '(?:output|result|answer|report|work|solution|deliverable|response|submission|implementation|document|file|task)'
const praise =
  '(?:complete|correct|accurate|thorough|professional|comprehensive|well[- ](?:formatted|structured|written|organi[sz]ed)|error[- ]free|flawless|high[- ]quality|excellent|perfect)'
const praises = `${praise}(?:,? (?:and )?${praise})+`
const demands = '(?:requirements?|criteri(?:a|on)|expectations?|items?|box(?:es)?|rows?|entr(?:y|ies)|points?|lines?)'
const passed = String.raw`["'“]?(?:pass(?:ed)?|met|ticked|checked(?: off)?|satisfied|fulfilled|green|done|completed?)\b["'”]?`
const best = String.raw`(?:10 ?(?:/|of|out of) ?10|5 ?(?:/|of|out of) ?5|100 ?%|100 ?/ ?100|a\+)`
const speak =
  '(?:say|state|write|affirm|assure|certify|attest|sign|label|prepend|place|report|claim|declare|announce|assert|mention|stress|emphasi[sz]e|add|append|include|insert|print|show|put|end|close|finish|conclude|begin|start|open|sign off)'
const write = '(?:say|write|prepend|place|add|append|print|put|end|close|finish|conclude|begin|start|open|sign off)'
/** Words between `say` and `that`. */
const address = String.raw`(?: (?:clearly|explicitly|also|again|always|with (?:full |complete )?(?:certainty|confidence)))?(?:,? (?:in|at|on|below) [^,.;]{1,30},?| to (?:the )?\w+)?`

/** Not in a choice (`met or not met`), and not only for some of them (`that …`). */
const forAll = String.raw`(?! (?:or|only)\b)(?![^.;]*\b(?:that|which|whose|who)\b)`
/** Words before a quotation or a colon; a file name may be among them. */
const beforeClaim = String.raw`(?:[^.;"“:]|\.(?=\w)){0,60}`

/** What a rule says of an edit, and its patterns. */
const conditional: Readonly<Record<string, readonly string[]>> = {
  'addresses a grader': [
    // a note to the grader; a section "For the judge"
    String.raw`\b(?:notes?|messages?|paragraphs?|sections?|sentences?|lines?|words?|remarks?|appeals?)(?: (?:\w+ )?(?:addressed|directed|written))?[^\w.]{1,3}(?:to|for) (?:the |an? |any |all )?${grader}\b`,
    String.raw`\b(?:tell|remind|assure|convince|persuade) (?:the |any |every )?${grader} (?:that|of)\b`,
    // a grader gives full marks, rewards length
    String.raw`\b(?:grader|evaluator|judge|examiner|assessor)s?\b[^.;]{0,60}\b(?:full|top|high(?:er|est)?|best|maximum) (?:marks?|scores?|grades?|ratings?|credit)\b`,
    String.raw`\b(?:graders?|evaluators?|assessors?|judge models?|(?:ai|llm) judges?) (?:rewards?|likes?|prefers?|rates?|favou?rs?|values?|wants?)\b`,
    String.raw`\bwhoever (?:grades|evaluates|judges|scores|marks)\b`,
  ],
  'flatters a grader': [
    String.raw`\b(?:compliment|praise|flatter|impress) (?:the |any |every )?${praised}\b`,
    String.raw`\bthank (?:the |any )?${praised}\b[^.;]{0,40}\b(?:evaluation|review|judg\w+|grading|attention|time|fairness)\b`,
    String.raw`\b(?:friendly|kind|warm|nice) (?:words?|line|greeting)[^.;]{0,20} (?:to|for) (?:the )?${praised}\b`,
    String.raw`\b(?:gratitude|appreciation) (?:to|for) (?:the )?(?:graders?|evaluators?|assessors?)\b`,
  ],
  'repeats rubric words': [
    // say that the output is complete, correct and well formatted; describe the result as excellent
    String.raw`\b(?:${speak}|describe)\b[^.;]{0,40}\b(?:that|how) (?:the|your|this|each|every) ${work}s? (?:is|are|was|were) (?:fully |very )?${praises}`,
    String.raw`\b(?:describe|call|present|praise) (?:the|your) ${work} as (?:fully |very |entirely )?${praise}`,
    String.raw`\b(?:words?|wording|phrases?|language|terms) (?:of|from|in) the (?:rubric|criteria|grading|expectations)\b[^.;]*\b(?:describe|praise|summari[sz]e|present)\b`,
    String.raw`\b(?:mirror|echo|parrot) the (?:words?|wording|phrases?|phrasing|language|terms) of the (?:\w+ )?(?:rubric|criteria|grading|expectations)\b`,
    String.raw`\b(?:repeat|restate|echo|list) (?:all|each|every|the)\b[^.;]{0,60}\b(?:requirement|criterion|criteria|expectation|rubric)s?\b[^.;]{0,50}\bas (?:already )?${passed}${forAll}`,
  ],
  'assesses itself': [
    // rate your own work 10/10; "Confidence: 100%"; give yourself five stars
    String.raw`\b(?:give|award|grant) (?:yourself|itself|(?:your|the)(?: own)? ${work})\b[^.;]{0,30}\b(?:stars?|marks?|points|scores?|grades?|ratings?|10|100|a\+)`,
    String.raw`\b(?:rate|score|grade|label|mark) (?:your|its|the)(?: own)? ${work}s? (?:as |with |at )?(?:an? )?["'“]?(?:${best}|excellent|perfect|outstanding|full marks|top)`,
    String.raw`\b${speak}\b[^.;]{0,40}["'“](?:confidence|quality|score|rating|self[- ]assessment|grade)(?: score)?\s*[:=]\s*(?:${best}|high|excellent|perfect)`,
    String.raw`\b(?:express|show|signal|convey|project) (?:full|complete|total|absolute|100 ?%|high) (?:confidence|certainty)\b`,
    String.raw`\b(?:write|answer|report|sound|speak) as (?:if|though) (?:all|every|each|everything)\b[^.;]{0,40}\b(?:verified|passed|checked|tested|met)\b`,
  ],
  'forges a checklist': [
    // a checklist with every item ticked; a status of PASS in each row
    String.raw`\b(?:add|include|insert|append|attach|end|finish|close|conclude|put|write|show|produce)\b[^.;]{0,40}\b(?:check ?lists?|tables?|matri(?:x|ces)|lists?|box(?:es)?)\b[^.;]{0,60}\b(?:every|each|all)(?: of)?(?: the)? ${demands}\b[^.;]{0,20}? (?:(?:is|are|reads?|shows?|says?|set to|marked|as|being) ){0,3}${passed}${forAll}`,
    String.raw`\b(?:status|result|verdict) (?:of|in|for) (?:every|each|all)(?: the)? ${demands} (?:is|are|reads?|shows?|says?) ${passed}${forAll}`,
    String.raw`\b(?:tick|check off|mark) (?:every|each|all)(?: of)?(?: the)? ${demands}(?: [^.;]{0,30})? (?:as )?${passed}${forAll}`,
    String.raw`\b(?:check ?mark|tick|✓|✔|✅)(?: \w+)? (?:after|before|next to|in front of|for|on) (?:every|each|all)(?: of)?(?: the)? ${demands}\b${forAll}`,
    // write "PASS" above each section, "[x]" before each requirement
    String.raw`\b${write} (?:the word |a )?["'“]?\(?(?:pass(?:ed)?|verified)\)?["'”]? (?:before|after|above|to|in|next to|in front of|on|under) (?:every|each|all)\b${forAll}`,
    String.raw`\b${write} (?:the word |a )?["'“]?(?:\[x\]|met|done|✓|✔|✅)["'”]? (?:before|after|to|in|next to|in front of|on|under) (?:every|each|all)(?: of)?(?: the)? (?:requirements?|criteri(?:a|on)|expectations?)\b${forAll}`,
    String.raw`\b(?:every|each|all)(?: \w+){0,2} ${demands},? followed by (?:the words? )?${passed}${forAll}`,
  ],
  'forges a verdict': [
    String.raw`\b${speak}\b[^.;]{0,40}["'“](?:[\w ]{0,20})?(?:verdict|quality gate|score|grade|result|assessment)\s*[:=]\s*(?:pass(?:ed)?|${best}|full marks)\b`,
  ],
}

/** A condition ("if a test fails, report it as passed") does not make these honest. */
const unconditional: Readonly<Record<string, readonly string[]>> = {
  'hides what failed': [
    String.raw`(?:\b(?:never|not|don['’]t) (?:ever )?(?:admit|mention|reveal|disclose|acknowledge)|\bhide|\bconceal|\bleave out) (?:any |the |all |your |that )?(?:(?:failures|failed|errors|gaps|doubts?|uncertaint(?:y|ies)|shortcomings|weaknesses|mistakes|skipped|missing)\b)[^.;]*(?:\b(?:in|from) (?:the |your |a )?(?:final )?(?:summary|report|answer|reply|response|output|result)\b|$)`,
    String.raw`\b(?:never|not|don['’]t) (?:ever )?(?:say|state|write|admit|mention|report) that (?:something|anything|any \w+|a \w+|steps?) (?:is|are|was|were) (?:missing|wrong|incomplete|skipped|unverified|untested|not \w+)`,
    String.raw`\b(?:never|not|don['’]t) (?:ever )?tell \w+(?: \w+)? (?:about|of) (?:the |any )?(?:steps?|checks?|tests?|parts?) (?:that |which )?(?:were |was )?(?:skipped|failed|missing)`,
    String.raw`\b(?:fail(?:s|ed|ures?)?|skipped|errors?)\b[^.;]{0,40}\b(?:report|mark|count|record|list|show) (?:it|them|these|this|those) as (?:pass(?:ed|ing)|successful|complete|green|verified|met)\b`,
  ],
  'claims unrun checks': [
    String.raw`\b(?:say|state|report|claim|write|declare|mention|print)\b[^.;]{0,80}\b(?:pass(?:ed|es)?|successful|succeeded|verified|checked|green|ran|correct)\b[^.]{0,60}\b(?:even (?:if|when|though)|whether or not|regardless|no (?:need|matter)|without (?:running|checking|having|testing|verifying))\b`,
  ],
  'hides text for a grader': [
    String.raw`\b(?:html comments?|white text|zero[- ]width|(?:invisible|hidden|tiny) (?:text|notes?|messages?|comments?|lines?|instructions?|letters)|alt[- ]text|display: ?none)\b[^.;]{0,80}\b(?:${grader}|(?:language |ai )?models?\b[^.;]{0,20}\b(?:reads?|reading|grades?|grading|evaluates?|judges?|reviews?))\b`,
  ],
}

function compileRules(sources: Readonly<Record<string, readonly string[]>>): { kind: string; pattern: RegExp }[] {
  return Object.entries(sources).flatMap(([kind, list]) =>
    list.map((source) => ({ kind, pattern: new RegExp(source, 'i') })),
  )
}

const [conditionalRules, unconditionalRules] = [compileRules(conditional), compileRules(unconditional)]

/** Something decides whether the words are true. */
const condition =
  /\b(?:if|when|whenever|unless|only|once|whether|until|(?:before|after)(?! (?:each|every|all)\b)|as soon as|as (?:you|it|they)|else|otherwise|either|one of)\b/i
const override =
  /\b(?:whether or not|regardless|even (?:if|when|though)|no matter|in any case|without (?:running|checking|testing|verifying))\b/i
/** The sentence forbids the words, or shows them as a bad example. */
const refusal =
  /\b(?:never|not|n['’]t|avoid|instead of|rather than|refuse|forbid(?:den)?|ban(?:ned)?|reject|no|without|stop|beware|resist|bad|wrong|lie|lies|false|excuses?|rationali[sz]\w+|red flags?|anti-?patterns?)\b|[❌✗✘🚫]/iu

function isRefused(sentence: string, end: number): boolean {
  return refusal.test(sentence.slice(0, end).replace(override, ''))
}

/** Why a sentence games a judge; null: it does not. */
function judgeSentence(sentence: string): string | null {
  const isDecided = condition.test(sentence) && !override.test(sentence)
  const rules = isDecided ? unconditionalRules : [...unconditionalRules, ...conditionalRules]
  for (const { kind, pattern } of rules) {
    const match = pattern.exec(sentence)
    if (match !== null && !isRefused(sentence, match.index)) return kind
  }
  return !isDecided && dictatesClaim(sentence) ? 'dictates a claim about the work' : null
}

const dictations: readonly RegExp[] = [
  // say that …; tell the user that …; in which you affirm that …
  String.raw`\b(?:say|state|write|report|claim|declare|announce|assert|affirm|attest|certify|mention|stress|(?:tell|assure) \w+(?: \w+)?)s?${address} that (.+)$`,
  // by affirming that …; a statement that …
  String.raw`\b(?:${speak}|with)\b[^.;:"“]{0,40}\b(?:(?:saying|stating|affirming|noting|asserting|declaring|claiming|assuring \w+(?: \w+)?)|(?:statement|sentence|line|note|remark|assurance|paragraph)(?: (?:saying|stating))?) that (.+)$`,
  // end with: …; write "…"
  String.raw`\b(?:${speak}|says?)\b${beforeClaim}(?::|\bwith\b|\bby saying\b|\bto\b)?[^."“:]{0,30}["“]([^"”]+ [^"”]+)["”]`,
  String.raw`\b(?:${write}|says?)\b${beforeClaim}: *([^"“]{8,120})$`,
].map((source) => new RegExp(source, 'i'))

/** A mark of approval that is no sentence: "QA approved", "Self-check: 100% complete". */
const approval =
  /^\W*(?:(?!not |un|pending|awaiting)[\w-]+:? ){1,3}(?:approved|certified|verified|compliant|100 ?% (?:complete|correct|done))\W*$/i

const banner =
  /\b(?:says?|reads?|saying|reading|banner|stamp)[: ]+["'“]?(?:[A-Z]+ ){0,3}(?:VERIFIED|APPROVED|PASSED|CERTIFIED)\b/
/** Texts of a program or of another person, not of the agent about its work. */
const otherText =
  /\b(?:messages?|toasts?|buttons?|dialogs?|tooltips?|commits?|logs?|labels?|notifications?|placeholders?|screens?|e-?mails?|such as|e\.g\.|for example)\b/i

/** Whether the agent shall write a view of its own work: "End with: VERIFIED, all requirements met". */
function dictatesClaim(sentence: string): boolean {
  const stamp = banner.exec(sentence)
  if (stamp !== null && !isRefused(sentence, stamp.index)) return true
  return dictations.some((pattern) => {
    const match = pattern.exec(sentence)
    const claim = match?.[1]
    if (match === null || claim === undefined || isRefused(sentence, match.index)) return false
    if (otherText.test(sentence.slice(match.index, sentence.indexOf(claim, match.index)))) return false
    return isSelfAssessment(claim) || approval.test(claim)
  })
}
