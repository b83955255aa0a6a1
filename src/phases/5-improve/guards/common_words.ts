/** Words that say nothing of a case: stop words of English, and words that are in many skills. */

const stopWordList =
  'a an the and or but nor if then else than that this these those it its is are was were be been being am do does did doing done have ' +
  'has had having not no yes of in on at by for with without to from into onto over under out up down off about above below after ' +
  'before between through during again once here there where when while why how what which who whom whose all any both each few more ' +
  'most other others some such only own same so too very can could will would shall should may might must just also as i me my we us ' +
  'our you your he him his she her they them their itself ourselves yourself because until against per via etc like get gets got let ' +
  'lets go goes use uses used using see seen make makes take takes give gives put say says said want wants need needs ask asks'

export const stopWords: ReadonlySet<string> = new Set(stopWordList.split(' '))

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

export const commonStems: ReadonlySet<string> = new Set(commonStemList.split(' '))
