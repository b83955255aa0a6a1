/** The first screen: the verdict and how sure it is, what is missing, the arms, the cases from worst to best. */
import type { Scope } from '../../schemas/benchmark_statistics.ts'
import type { Model } from '../data/model.ts'
import { Facts } from '../parts/facts.tsx'
import { Forest } from '../parts/forest.tsx'
import type { Route } from '../route.ts'
import { points } from '../words.ts'
import { Arms } from './arms.tsx'
import { Cases } from './cases.tsx'
import { Missing } from './missing.tsx'
import { Differs, Turned } from './two.tsx'
import { Verdicts } from './verdicts.tsx'

const verdictWords = {
  helps: 'Helps',
  hurts: 'Hurts',
  no_difference: 'No difference',
  inconclusive: 'Not decided',
} satisfies Record<Scope['verdict'], string>

export function Overview({ model, route }: { model: Model; route: Route }) {
  const { said, benchmark, compared } = model.page
  const scopes = benchmark.statistics?.scopes ?? null
  const [, , ...more] = said.sureness
  const isEval = model.page.extras.evaluation !== undefined
  const words = compared === undefined ? verdictWords : { ...verdictWords, helps: 'B is better', hurts: 'B is worse' }
  return (
    <>
      <header class="lead">
        <p class="eyebrow">
          {compared !== undefined ? 'Two benchmarks, A and B' : isEval ? 'Eval' : 'Skill benchmark'} ·{' '}
          <bdi>{benchmark.metadata.skill_name}</bdi>
        </p>
        <h1>{said.headline}</h1>
      </header>
      <Differs model={model} />
      <Missing model={model} />
      {scopes !== null && scopes.these_cases.difference.mean !== null && (
        <div class="scopes">
          <ScopeCard title="On these cases" scope={scopes.these_cases} words={words} />
          <ScopeCard title="For cases like these" scope={scopes.cases_like_these} words={words} />
        </div>
      )}
      {more.map((sentence) => (
        <p class="hint" key={sentence}>
          {sentence}
        </p>
      ))}
      <Verdicts model={model} route={route} />
      <Arms model={model} />
      <Turned model={model} />
      {!isEval && <Cases model={model} route={route} />}
      {!isEval && <Notes notes={benchmark.notes} />}
      <Provenance model={model} />
    </>
  )
}

function ScopeCard({ title, scope, words }: { title: string; scope: Scope; words: typeof verdictWords }) {
  const { mean, ci_low, ci_high } = scope.difference
  return (
    <section class="card scope">
      <div class="scope-head">
        <h2>{title}</h2>
        <span class={`chip ${scope.verdict}`}>{words[scope.verdict]}</span>
      </div>
      <p class="figure">
        {mean === null ? '–' : points(mean)} <small>points</small>
        {ci_low !== null && ci_high !== null && (
          <span class="range">
            {points(ci_low)} to {points(ci_high)}
          </span>
        )}
      </p>
      <Forest mean={mean} low={ci_low} high={ci_high} large />
      <p class="scale" aria-hidden="true">
        <span>−100</span>
        <span>0</span>
        <span>+100</span>
      </p>
      {scope.sentence !== '' && <p class="sentence">{scope.sentence}</p>}
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
