/** The first screen: the verdict in one line, its picture, what is missing, the cases from worst to best, the configurations. */
import type { Model } from '../../data/model.ts'
import { Facts } from '../../parts/run/facts.tsx'
import type { Route } from '../../route.ts'
import { Cases } from '../case/cases.tsx'
import { PlanDifferences, TurnedStatements } from '../compare/two_benchmarks.tsx'
import { ArmsTable } from './arms.tsx'
import { Changes } from './changes.tsx'
import { isSimilarCases, isUnreadNote, splitHeadline } from './headline.ts'
import { MissingParts } from './missing.tsx'
import { Notes } from './notes.tsx'
import { isPriceSentence, PriceView } from './price.tsx'
import { SkillsRead } from './skills_read.tsx'
import { SuspiciousNotice } from './suspicious.tsx'
import { UnreadNotice } from './unread.tsx'
import { hasVerdictPicture, VerdictPicture } from './verdict_picture.tsx'
import { VerdictsView } from './verdicts.tsx'

export function Overview({ model, route }: { model: Model; route: Route }) {
  const { said, benchmark, compared } = model.page
  const isEval = model.page.extras.evaluation !== undefined
  const hasPicture = hasVerdictPicture(model)
  const { verdict, sample, advice } = splitHeadline(said.headline, hasPicture)
  // the banner, the picture and the section on the price say the others
  const more = said.sureness.filter(
    (one) => !isUnreadNote(one) && !(hasPicture && isSimilarCases(one)) && !isPriceSentence(one),
  )
  return (
    <>
      <header class="lead">
        <p class="eyebrow">
          {compared !== undefined ? 'Two benchmarks, A and B' : isEval ? 'Eval' : 'Skill benchmark'} ·{' '}
          <bdi>{benchmark.metadata.skill_name}</bdi>
        </p>
        <h1>
          {verdict} {sample !== '' && <small>{sample}</small>}
        </h1>
        {advice !== '' && <p class="hint">{advice}</p>}
      </header>
      <SuspiciousNotice model={model} />
      <PlanDifferences model={model} />
      <MissingParts model={model} />
      {hasPicture && <VerdictPicture model={model} />}
      <UnreadNotice model={model} />
      {more.map((sentence) => (
        <p class="hint" key={sentence}>
          {sentence}
        </p>
      ))}
      {!isEval && <Cases model={model} route={route} />}
      <Changes model={model} />
      <VerdictsView model={model} route={route} />
      <ArmsTable model={model} withRates={!hasPicture} />
      <PriceView model={model} />
      <SkillsRead model={model} />
      <TurnedStatements model={model} />
      {!isEval && <Notes model={model} />}
      <Provenance model={model} />
    </>
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
