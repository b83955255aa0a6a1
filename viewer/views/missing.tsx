/** What is missing from the numbers, before any of them: it must not be overlooked. */
import type { Model } from '../data/model.ts'
import { link } from '../route.ts'
import { plural } from '../words.ts'

export function Missing({ model }: { model: Model }) {
  const { said, benchmark } = model.page
  const reasons = new Map<string, number>()
  for (const status of model.runs.status) {
    if (status !== 'graded') reasons.set(status, (reasons.get(status) ?? 0) + 1)
  }
  const problems = benchmark.problems?.length ?? 0
  if (said.incomplete === null && reasons.size === 0 && problems === 0) return null
  return (
    <section class="banner" aria-labelledby="missing">
      <h2 id="missing">{said.incomplete === null ? 'Left out of the rates' : 'Incomplete'}</h2>
      {said.incomplete !== null && <p>{said.incomplete}</p>}
      {reasons.size > 0 && (
        <p class="chips">
          {[...reasons].map(([status, number]) => (
            <a key={status} class="chip plain" href={link(['runs'], { q: `status:${quoted(status)}` })}>
              {plural(number, 'run')} {status.replaceAll('_', ' ')}
            </a>
          ))}
        </p>
      )}
      {problems > 0 && <p>{plural(problems, 'file')} could not be read; the notes say which.</p>}
    </section>
  )
}

function quoted(text: string): string {
  return /\s/.test(text) ? `"${text}"` : text
}
