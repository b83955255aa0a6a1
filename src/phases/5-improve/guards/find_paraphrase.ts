/**
 * Finds passages that tell a held-out case in other words: they share rare words, names and numbers with it, in any order. It knows no
 * synonyms, so a paraphrase that keeps no name, no number and few words is not found.
 */
import { countEach } from '../../../base/totals.ts'
import type { CaseWords } from '../case_words.ts'

/** A passage: at most this many content words and lines. */
const passageWords = 25
const passageLines = 4
/** A word is rare if at most this many cases, or this share of them, have it. */
const fewCases = 2
const smallShare = 0.1
/** What a passage shares with a case: a name or a number says more than a word, a number of one digit or a year says less. */
const weights = { word: 1, name: 1.5, number: 1.5, smallNumber: 0.5 } as const
/** A paraphrase shares at least this much of what is new in the passage. */
const leastShare = 0.6
/** With a name or a number among it, this score is enough; without, it takes this many words. */
const leastScore = 5
const leastWords = 6

/** Numbers that say nothing. */
const everywhere: ReadonlySet<string> = new Set(['0', '1', '2'])

type Kind = keyof typeof weights

interface ParaphraseRequest {
  added: string
  /** All text of the skill as it was. */
  before: string
  seen: readonly CaseWords[]
  held: readonly CaseWords[]
}

interface Paraphrase {
  evalId: number
  /** What the passage shares with the case, in the order of the passage. */
  shared: string[]
}

/** The first passage that paraphrases a held-out case; null: there is none. */
export function findParaphrase({ added, before, seen, held }: ParaphraseRequest): Paraphrase | null {
  const known = new Set([before, ...seen.map(joinCaseTexts)].flatMap(listContentWords).map(({ value }) => value))
  const isNew = ({ value, kind }: ContentWord) =>
    !known.has(value) && !(kind === 'word' ? commonStems : everywhere).has(value)
  const heldWords = held.map((one) => listContentWords(joinCaseTexts(one)).filter(isNew))
  const counts = countEach(heldWords.flatMap((words) => [...new Set(words.map(({ value }) => value))]))
  const most = Math.max(fewCases, Math.floor(smallShare * (seen.length + held.length)))
  const passage = listContentWords(added).filter(isNew)
  for (const [at, one] of held.entries()) {
    const names = listProperNames(joinCaseTexts(one))
    const rare = new Map<string, Kind>()
    for (const { value, kind } of heldWords[at] ?? []) {
      if (kind === 'number') rare.set(value, isSmall(value) ? 'smallNumber' : 'number')
      else if ((counts.get(value) ?? 0) <= most) rare.set(value, names.has(value) ? 'name' : 'word')
    }
    const shared = findSharingPassage(passage, rare)
    if (shared !== null) return { evalId: one.evalId, shared }
  }
  return null
}

function joinCaseTexts({ prompt, answers }: CaseWords): string {
  return [prompt, ...answers].join('\n')
}

/** One digit besides zeros at the end (7, 100), a year, or a version: they are in many texts. */
function isSmall(value: string): boolean {
  return /^\d0*$|^(?:19|20)\d\d$|\..*\./.test(value)
}

/** `words`: the new ones of the added text. Every passage begins and ends with a rare word. */
function findSharingPassage(words: readonly ContentWord[], rare: ReadonlyMap<string, Kind>): string[] | null {
  for (const [start, first] of words.entries()) {
    if (!rare.has(first.value)) continue
    const [all, shared, texts] = [new Set<string>(), new Map<string, Kind>(), new Map<string, string>()]
    for (const { value, line, position, text } of words.slice(start, start + passageWords)) {
      if (line >= first.line + passageLines || position >= first.position + passageWords) break
      all.add(value)
      const kind = rare.get(value)
      if (kind === undefined) continue
      shared.set(value, kind)
      texts.set(value, text)
      if (isParaphrase([...shared.values()], all.size)) return [...texts.values()]
    }
  }
  return null
}

/** `size`: the number of new words in the passage. */
function isParaphrase(kinds: readonly Kind[], size: number): boolean {
  const words = kinds.filter((kind) => kind === 'word').length
  if (kinds.length / size < leastShare) return false
  if (words >= leastWords) return true
  const hasAnchor = kinds.some((kind) => kind === 'name' || kind === 'number')
  const hasWord = kinds.some((kind) => kind === 'name' || kind === 'word')
  const score = kinds.reduce((sum, kind) => sum + weights[kind], 0)
  return hasAnchor && hasWord && score >= leastScore
}

/** Reduces a text to the stems of its words and its numbers, so that a paraphrase has the same ones. */
interface ContentWord {
  /** A stem, or a number in its shortest form: `1,248` and `1248.00` are 1248. */
  value: string
  kind: 'word' | 'number'
  /** As written. */
  text: string
  /** The line of the text, from 0. */
  line: number
  /** The place among the content words of the text, from 0. */
  position: number
}

const numberWords = (
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen ' +
  'seventeen eighteen nineteen twenty'
).split(' ')

/** In the order of the text, without stop words, single letters and the numbers of lists. */
export function listContentWords(text: string): ContentWord[] {
  const found: ContentWord[] = []
  for (const [line, content] of text.split('\n').entries()) {
    for (const [token] of splitIdentifiers(content).matchAll(/\d+(?:\.\d+)*|\p{L}[\p{L}\p{M}]*/gu)) {
      const word = token.toLowerCase()
      const number = /^\d/.test(word) ? shortenNumber(word) : numberWords.indexOf(word)
      const at = { text: token, line, position: found.length }
      if (number !== -1) found.push({ value: String(number), kind: 'number', ...at })
      else if (word.length > 1 && !stopWords.has(word)) found.push({ value: stemWord(word), kind: 'word', ...at })
    }
  }
  return found
}

/** Stems of capitalised words that do not begin a sentence, and of the words of identifiers. */
export function listProperNames(text: string): Set<string> {
  const capitalised = /(?<=[\p{L}\p{N},;)'’] )\p{Lu}[\p{Ll}\p{M}][\p{L}\p{M}]*/gu
  const identifiers = /\p{L}+(?=_\p{L})|(?<=\p{L}_)\p{L}+/gu
  const found = [...text.matchAll(capitalised), ...text.matchAll(identifiers)]
  return new Set(found.flatMap(([name]) => listContentWords(name)).map(({ value }) => value))
}

/** With grouped digits joined and words of identifiers apart: `1,248` is 1248, `cabinClass` is cabin Class. */
function splitIdentifiers(line: string): string {
  return line
    .normalize('NFC')
    .replace(/^\s*\d{1,2}[.)] |\(\d\)/g, ' ')
    .replace(/(?<![\d.,])\d{1,3}(?:[,_'’\u00A0\u202F]\d{3})+(?!,?\d)/g, (number) => number.replace(/\D/g, ''))
    .replace(/(?<=[\p{Ll}\d])(?=\p{Lu})/gu, ' ')
    .replace(/['’]s\b/g, '')
}

/** Versions (2.4.3) and digits beyond the exact range of a number stay as they are. */
function shortenNumber(digits: string): string {
  return digits.length > 15 || digits.split('.').length > 2 ? digits : String(Number(digits))
}

/** Removes the endings of plurals and of -ing, -ed, -ly forms; the result need not be a word. */
export function stemWord(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word
  const singular = word
    .replace(/ie(?:s|d)$/, 'y')
    .replace(/(?<=x|ch|sh|ss|zz)es$/, '')
    .replace(/(?<![suio])s$/, '')
  const base = singular
    .replace(/(?<=[aeiouy][a-z]*[a-z])(?:ing|ed)$/, '')
    .replace(/(?<=[a-z]{4})ly$/, '')
    .replace(/([bdgmnprt])\1$/, '$1')
  return base.length > 3 ? base.replace(/e$/, '') : base
}

const stopWordList =
  'a an the and or but nor if then else than that this these those it its is are was were be been being am do does did doing done have ' +
  'has had having not no yes of in on at by for with without to from into onto over under out up down off about above below after ' +
  'before between through during again once here there where when while why how what which who whom whose all any both each few more ' +
  'most other others some such only own same so too very can could will would shall should may might must just also as i me my we us ' +
  'our you your he him his she her they them their itself ourselves yourself because until against per via etc like get gets got let ' +
  'lets go goes use uses used using see seen make makes take takes give gives put say says said want wants need needs ask asks'

const stopWords: ReadonlySet<string> = new Set(stopWordList.split(' '))

/** Stems that at least 6% of 241 public SKILL.md files have, in the form of `stemWord`. */
const commonStemList =
  'accept acceptanc access accessibility account accuracy across act action actionabl activ activation actual ad adapt add additional ' +
  'address adjacent affect agent ai allow alon already alternativ alway ambiguous analysis analyz anchor another answer anthropic anti ' +
  'anyth api apis app appear append applicabl application apply approach appropriat approv approval architect architectur area argument ' +
  'artifact ask asset assign assum assumption attempt audit auth author authority authoriz auto automatical automation availabl avoid ' +
  'axis back background backlog bad bas baselin bash batch becom behavior belong best better beyond block blocker body bound boundary ' +
  'branch brand break brief broad broken browser budget bug build built bundl burn business button cach calibration call caller ' +
  'candidat cannot canonical cap capability captur card carry cas cat catalog catch category caus chain challeng chang chat check ' +
  'checklist checkout checkpoint choic choos chosen ci cit claim clarification clarity class classify claud clean cleanup clear cli ' +
  'client clos cod codebas collect color com combin command comment commit common compar comparison compatibility complet completion ' +
  'complex complexity complianc component comput con concept concern concret condition confidenc config configur configuration confirm ' +
  'confirmation conflict consider consistency consistent constraint consum contain content context contextual continu contract ' +
  'contributor control convention conversation convert copy cor coroboros correct correction correctness cost count cover coverag creat ' +
  'creation creativ credential criteria criterion critical cross css current custom cut cycl dashboard dat data databas day de debug ' +
  'decid decision declar deep deeper default defect defer defin definition degradation delegat delet deliberat deliver deliverabl ' +
  'delivery delta demand depend dependency deploy deployment depth describ description design desktop detail detect detection determin ' +
  'deterministic dev development diagram diff different dimension dir direct direction directory disabl discover discovery distinct div ' +
  'doc document documentation domain downstream dr draft drift driven drop dry duplicat echo edg edit effect effectiv effort either ' +
  'element email emit empty en enabl end endpoint enforc engin engineer enough ensur entir entry environment epic equivalent error ' +
  'escalat establish estimat eval evaluat evaluation even event every everyth evidenc exact exampl exception execut execution exist ' +
  'exit expand expect expert explain explicit explor export expos external extract extraction fac fact factual fail failur fall ' +
  'fallback fals fast featur feedback feel fetch field fil fill filter final find finish first fit fix fixtur flag flow focus follow ' +
  'font forc fork form format forward found fram framework fre frequency fresh frontmatter full fully function further gap gat gather ' +
  'general generat generation generic genuin gh git github glob goal good googl graceful graph green grep ground group guess guid ' +
  'guidanc hand handl handoff happen hard harden harness hash head header help hid hidden hierarchy high highest hint history hit hold ' +
  'hook host hplan html http hub human id idea identify identity ignor imag immediat impact implement implementation import important ' +
  'improv improvement includ independent index infer info information init injection inlin input insid inspect install instead ' +
  'instruction intak integration intent interaction interactiv interfac internal invent invocation invok isolat issu item iterat ' +
  'iteration javier job js json judg judgment keep key keyword know knowledg known kpi lab label land languag larg last latency later ' +
  'launch layer layout lead learn least leav legacy level library licens lifecycl limit lin link lint list lit liv llm load local ' +
  'location lock log logic long look lookup loop los low machin main maintain major manag management manager manifest manual many map ' +
  'mark markdown market match material matrix matter max mcp md mean measur mechanical medium meet memory mention mer merg mermaid ' +
  'messag meta metadata method metric mid migration min minimal minimum miss mit mix mod model modify modul monitor month motion mov ' +
  'multi multipl nam narrow nativ natural navigation need negativ network never new next nnn nod non normal not noth now null number ' +
  'object objectiv observ observation obvious off offlin old onboard one open operat operation operational opportunity optimiz ' +
  'optimization option optional opus orchestration orchestrator order org origin original otherwis outcom output outsid overlap overrid ' +
  'overview own owner ownership packag pad pag pair paragraph parallel parameter parc parent pars part partial pass past patch path ' +
  'pattern payload perform performanc permission persistenc personal phas pick pipelin plac placeholder plain plan platform playwright ' +
  'plugin plus pm point policy polish position positiv possibl post pr practic prd pre prefer preferenc present preserv prevent pric ' +
  'primary principl print prior prioritiz priority privat prob problem proc procedur proceed process produc product production profil ' +
  'progress project prompt propos proposal pros protocol provenanc provid provider public publish pull pur purpos push py python ' +
  'quality query question quick quot rang rank rat rather rational raw re reach react read readabl readiness readm ready real reason ' +
  'receiv recommend recommendation record recovery red redesign redirect reduc ref refactor referenc regression reject relat releas ' +
  'relevant reliability remain remov render repeat replac repo report repository request requir requirement research resolution resolv ' +
  'resourc respons responsiv rest result resum retry return reus reusabl review reviewer rewrit right risk roadmap rol rollback root ' +
  'round rout router row rubric rul run runtim saa saf safety sav scal scan scenario schema scop scor scratch screen screenshot script ' +
  'scroll search second secondary secret section security see select selection self semantic send sensitiv sentenc separat sequenc ' +
  'sequential server servic session set setup severity sh shap shar shell ship short show sibl sid sign signal silent simpl singl sit ' +
  'siz skill skip slug small smallest smok solution someth sonnet sourc spac spawn spec specializ specific specification specify speed ' +
  'split src stabl stack stag stal standard start stat statement static status stay step still stop stor story strategy strict string ' +
  'strip strong structur structural styl sub subagent success suggest suggestion suit summary sup support surfac switch sync syntax ' +
  'synthesis system tabl tag target task team technical tell templat term test text thing threshold tier tim timeout titl tk tmp token ' +
  'ton tool top topic total touch trac track trad transition tre treat triag trigger troubleshoot tru trust truth try ts turn txt typ ' +
  'ui unavailabl understand uniqu unit unknown unless unrelat unresolv unverify updat url usag useful user ux vagu valid validat ' +
  'validation validator valu variabl variant verdict verification verify version view visibl visual vs wait warn weak web week weight ' +
  'well whenever whether whol win window within word work workflow workspac worktre worth writ written wrong yaml'

const commonStems: ReadonlySet<string> = new Set(commonStemList.split(' '))
