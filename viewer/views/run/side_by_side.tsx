/** Shows two runs of a case side by side: their final answers and files, or the lines that differ. */
import type { RunDetail } from '../../../schemas/page.ts'
import { finalAnswer } from '../../data/answer.ts'
import { loadDetail } from '../../data/load_on_demand.ts'
import type { Model, Run } from '../../data/model.ts'
import { noteId, ownCaseNoteId } from '../../data/review/feedback.ts'
import { whyNoAnswer } from '../../data/why_missing.ts'
import { displayArm, revealHidden } from '../../format.ts'
import { Output } from '../../parts/content/output.tsx'
import { Text } from '../../parts/content/text.tsx'
import { Diff, FilesDiff } from '../../parts/content/text_diff.tsx'
import { Choice } from '../../parts/layout/dropdown.tsx'
import { useAsync } from '../../parts/page/delayed.ts'
import { amendRoute, type Route } from '../../route.ts'

export function SideBySide({ model, index, route }: { model: Model; index: number; route: Route }) {
  const runs = model.ofCase(index).map((run) => model.run(run))
  const failing = runs.find(({ graded, rate }) => graded && rate < 1)
  const inOrder = model.page.arms.flatMap((_arm, place) => {
    const own = runs.filter((run) => run.armIndex === place)
    return own.find((run) => run.number === failing?.number) ?? own[0] ?? []
  })
  // what changed from A to B
  const firsts = model.page.compared === undefined ? inOrder : inOrder.slice(0, 2).reverse()
  const chosen = (name: 'a' | 'b', place: number) =>
    runs.find((run) => `${run.index}` === route.query[name]) ?? firsts[place] ?? runs[place]
  const [a, b] = [chosen('a', 0), chosen('b', 1)]
  const details = [useDetail(model, a), useDetail(model, b)] as const
  if (a === undefined || b === undefined || a === b) return null
  const isDiff = route.query.as === 'diff'
  return (
    <section aria-labelledby="beside">
      <div class="section-head">
        <h2 id="beside">Side by side</h2>
        <button
          type="button"
          aria-pressed={isDiff}
          onClick={() => amendRoute(route, { as: isDiff ? undefined : 'diff' })}
        >
          {isDiff ? 'Whole texts' : 'Differences'}
        </button>
      </div>
      <div class="beside">
        {[a, b].map((run, place) => (
          <Chooser
            key={place === 0 ? 'a' : 'b'}
            run={run}
            runs={runs}
            choose={(value) => amendRoute(route, { [place === 0 ? 'a' : 'b']: value })}
          />
        ))}
      </div>
      {model.page.compared !== undefined && <Notes model={model} runs={[a, b]} />}
      {details.every((one) => one !== undefined) && <Pairs runs={[a, b]} details={details} isDiff={isDiff} />}
    </section>
  )
}

function Chooser({ run, runs, choose }: { run: Run; runs: Run[]; choose(value: string): void }) {
  return (
    <Choice
      label="Run"
      options={runs.map((one) => [`${one.index}`, `${displayArm(one.arm)}, run ${one.number}`] as const)}
      value={`${run.index}`}
      choose={choose}
    >
      <i class={`dot arm-${run.armIndex}`} />
    </Choice>
  )
}

/** People's notes on each run and on its case, from its own benchmark. */
function Notes({ model, runs }: { model: Model; runs: readonly Run[] }) {
  const said = (id: string) => model.page.feedback.find((one) => one.run_id === id && one.feedback.trim() !== '')
  const found = runs.map((run) => [
    { of: 'note on the run', note: said(noteId(run)) },
    { of: 'note on the case', note: said(ownCaseNoteId(run)) },
  ])
  if (found.flat().every(({ note }) => note === undefined)) return null
  return (
    <article class="pair">
      <h3>notes</h3>
      <div class="beside">
        {found.map((notes, place) => (
          <div key={place === 0 ? 'a' : 'b'}>
            {notes.map(({ of, note }) =>
              note === undefined ? null : (
                <blockquote key={of} class="text">
                  <small>{of}</small> {note.feedback}
                </blockquote>
              ),
            )}
            {notes.every(({ note }) => note === undefined) && <p class="empty">no note</p>}
          </div>
        ))}
      </div>
    </article>
  )
}

/** undefined: still loading; null: there is none. */
function useDetail(model: Model, run: Run | undefined): RunDetail | null | undefined {
  const index = run?.index
  const found = useAsync(async () => (index === undefined ? null : await loadDetail(model, index)), [model, index])
  return found === undefined ? undefined : 'problem' in found ? null : found.value
}

const answer = 'final answer'

interface PairsProps {
  runs: readonly Run[]
  details: readonly (RunDetail | null | undefined)[]
  isDiff: boolean
}

function Pairs({ runs, details, isDiff }: PairsProps) {
  const names = [...new Set([answer, ...details.flatMap((one) => one?.outputs.map(({ path }) => path) ?? [])])]
  return (
    <>
      {names.map((name) => {
        const texts = isDiff ? textDifference(details, name) : null
        return (
          <article key={name} class="pair">
            {(isDiff || name === answer) && (
              <h3>
                <bdi>{revealHidden(name)}</bdi>
              </h3>
            )}
            {texts ?? (
              <div class="beside">
                {runs.map((run, place) => (
                  <div key={place === 0 ? 'a' : 'b'}>{side(run, details[place] ?? null, name)}</div>
                ))}
              </div>
            )}
          </article>
        )
      })}
    </>
  )
}

function side(run: Run, detail: RunDetail | null, name: string) {
  if (name === answer) {
    const text = finalAnswer(detail) ?? ''
    return text.trim() === '' ? (
      <p class="empty">
        <bdi>{revealHidden(whyNoAnswer(run, detail))}</bdi>
      </p>
    ) : (
      <Text text={text} />
    )
  }
  const file = detail?.outputs.find(({ path }) => path === name)
  return file === undefined ? <p class="empty">no such file</p> : <Output file={file} folder={run.folder} />
}

/** null: one of them is not text. */
function textDifference(details: PairsProps['details'], name: string) {
  if (name === answer) {
    const [before, after] = details.map((one) => finalAnswer(one ?? null))
    return typeof before === 'string' && typeof after === 'string' ? <Diff before={before} after={after} /> : null
  }
  const [before, after] = details.map((one) => one?.outputs.find(({ path }) => path === name))
  return before?.as === 'text' && after?.as === 'text' ? <FilesDiff before={before} after={after} /> : null
}
