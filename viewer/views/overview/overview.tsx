/** The first screen: the verdict and its confidence, what is missing, the configurations, the cases from worst to best. */
import type { ComponentChildren } from 'preact'
import type { Scope } from '../../../schemas/benchmark_statistics.ts'
import type { PageDifference } from '../../../schemas/page.ts'
import type { Model } from '../../data/model.ts'
import { Forest } from '../../parts/charts/difference_chart.tsx'
import { Facts } from '../../parts/run/facts.tsx'
import type { Route } from '../../route.ts'
import { Cases } from '../case/cases.tsx'
import { PlanDifferences, TurnedStatements } from '../compare/two_benchmarks.tsx'
import { ArmsTable } from './arms.tsx'
import { MissingParts } from './missing.tsx'
import { SuspiciousNotice } from './suspicious.tsx'
import { VerdictsView } from './verdicts.tsx'

const verdictWords = {
  helps: 'Helps',
  hurts: 'Hurts',
  too_easy: 'Too easy',
  too_hard: 'Too hard',
  no_difference: 'No difference',
  inconclusive: 'Inconclusive',
  not_comparable: 'Not comparable',
} satisfies Record<Scope['verdict'], string>

export function Overview({ model, route }: { model: Model; route: Route }) {
  const { said, benchmark, compared } = model.page
  const scopes = benchmark.statistics?.scopes ?? null
  // in older files the stored sentence is another one
  const similar = said.sureness.find((sentence) => sentence.startsWith('Similar cases:'))
  const more = said.sureness.filter((sentence) => sentence !== similar)
  const { verdict, advice } = splitHeadline(said.headline)
  const isEval = model.page.extras.evaluation !== undefined
  const words = compared === undefined ? verdictWords : { ...verdictWords, helps: 'B is better', hurts: 'B is worse' }
  return (
    <>
      <header class="lead">
        <p class="eyebrow">
          {compared !== undefined ? 'Two benchmarks, A and B' : isEval ? 'Eval' : 'Skill benchmark'} ·{' '}
          <bdi>{benchmark.metadata.skill_name}</bdi>
        </p>
        <h1>{verdict}</h1>
        {advice !== '' && <p class="hint">{advice}</p>}
      </header>
      <SuspiciousNotice model={model} />
      <PlanDifferences model={model} />
      <MissingParts model={model} />
      {scopes !== null && scopes.these_cases.difference.mean !== null && (
        <div class="scopes">
          <ScopeCard title="These cases" scope={scopes.these_cases} shown={said.scopes?.these_cases} words={words} />
          <ScopeCard
            title="Similar cases"
            scope={scopes.cases_like_these}
            shown={said.scopes?.cases_like_these}
            words={words}
          >
            {similar !== undefined && <p class="sentence">{similar}</p>}
          </ScopeCard>
        </div>
      )}
      {more.map((sentence) => (
        <p class="hint" key={sentence}>
          {sentence}
        </p>
      ))}
      <VerdictsView model={model} route={route} />
      <ArmsTable model={model} />
      <TurnedStatements model={model} />
      {!isEval && <Cases model={model} route={route} />}
      {!isEval && <Notes notes={benchmark.notes} />}
      <Provenance model={model} />
    </>
  )
}

/** The sentence of the verdict, which ends with its sample in brackets, and what follows it. */
function splitHeadline(headline: string): { verdict: string; advice: string } {
  const end = headline.indexOf(').')
  if (end < 0) return { verdict: headline, advice: '' }
  return { verdict: headline.slice(0, end + 2), advice: headline.slice(end + 2).trim() }
}

interface ScopeCardProps {
  title: string
  scope: Scope
  shown: PageDifference | undefined
  words: typeof verdictWords
  children?: ComponentChildren
}

function ScopeCard({ title, scope, shown, words, children }: ScopeCardProps) {
  const { mean, ci_low, ci_high } = scope.difference
  return (
    <section class="card scope">
      <div class="scope-head">
        <h2>{title}</h2>
        <span class={`chip ${scope.verdict}`}>{words[scope.verdict]}</span>
      </div>
      <p class="figure">
        {shown?.points || '–'} <small>points</small>
        {shown !== undefined && shown.interval !== '' && <span class="range">{shown.interval}</span>}
      </p>
      {shown !== undefined && shown.points !== '' && (
        <>
          <Forest mean={mean} low={ci_low} high={ci_high} shown={shown} large />
          <p class="scale" aria-hidden="true">
            <span>−100</span>
            <span>0</span>
            <span>+100</span>
          </p>
        </>
      )}
      {children}
    </section>
  )
}

function Notes({ notes }: { notes: readonly string[] }) {
  if (notes.length === 0) return null
  return (
    <section aria-labelledby="notes">
      <h2 id="notes">Notes</h2>
      <ul class="notes">
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </section>
  )
}

function Provenance({ model }: { model: Model }) {
  const { said, left_out } = model.page
  return (
    <Facts id="provenance" title="Provenance" facts={said.facts}>
      {left_out.map((text) => (
        <p class="hint" key={text}>
          {text}
        </p>
      ))}
    </Facts>
  )
}
