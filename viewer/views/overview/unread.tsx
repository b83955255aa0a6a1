/** A banner if the skill was not read in runs that had it: the most common cause of a skill that does not help. */
import type { Model } from '../../data/model.ts'
import { displayPlural } from '../../format.ts'
import { routeLink } from '../../route.ts'
import { isUnreadNote } from './headline.ts'

export function UnreadNotice({ model }: { model: Model }) {
  const { said, runs } = model.page
  const unread = runs.read.filter((one) => one === 0).length
  if (unread === 0) return null
  const sentence =
    said.sureness.find(isUnreadNote) ?? `The skill was not read in ${displayPlural(unread, 'run')} that had it.`
  return (
    <section class="banner" aria-label="Skill not read">
      <p>
        {sentence}{' '}
        <a href={routeLink(['runs'], { q: 'is:unread' })}>Show {unread === 1 ? 'the run' : `the ${unread} runs`}</a>
      </p>
    </section>
  )
}
