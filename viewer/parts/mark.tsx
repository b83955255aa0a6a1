/** Whether the judge is right, as this reader says; pressed again it is taken back. */
import { type Marked, saveMarks, useMarks } from '../data/marks.ts'
import type { Model } from '../data/model.ts'
import { isServed } from '../data/out.ts'
import { plural } from '../words.ts'

export function Mark({ model, one }: { model: Model; one: Marked }) {
  const { metOf, mark } = useMarks(model)
  const met = metOf(one.id)
  const button = (isRight: boolean) => {
    const wanted = isRight === one.passed
    const isPressed = met === wanted
    return (
      <button type="button" aria-pressed={isPressed} onClick={() => mark(one, isPressed ? null : wanted)}>
        {isRight ? 'right' : 'wrong'}
      </button>
    )
  }
  return (
    <fieldset class="mark">
      <legend>The judge is</legend>
      {button(true)}
      {button(false)}
    </fieldset>
  )
}

/** How it went with what was marked, and from a file the way out. */
export function MarksState({ model }: { model: Model }) {
  const { state, waiting } = useMarks(model)
  return (
    <p class="marks-state">
      <small role="status">{state}</small>
      {waiting > 0 && !isServed && (
        <button type="button" onClick={() => saveMarks(model)}>
          Download {plural(waiting, 'mark')}
        </button>
      )}
    </p>
  )
}
