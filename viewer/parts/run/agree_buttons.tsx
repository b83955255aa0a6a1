/** Buttons to agree or disagree with the judge; a second press removes the label. */

import type { Model } from '../../data/model.ts'
import { type MarkableDecision, saveMarks, useMarks } from '../../data/review/marks.ts'
import { isServed } from '../../data/review/send_or_save.ts'
import { displayPlural } from '../../format.ts'

export function MarkButtons({ model, one }: { model: Model; one: MarkableDecision }) {
  const { metOf, mark } = useMarks(model)
  const met = metOf(one.id)
  const button = (isRight: boolean) => {
    const wanted = isRight === one.passed
    const isPressed = met === wanted
    return (
      <button type="button" aria-pressed={isPressed} onClick={() => mark(one, isPressed ? null : wanted)}>
        {isRight ? 'Agree' : 'Disagree'}
      </button>
    )
  }
  return (
    <fieldset class="mark">
      <legend>Do you agree?</legend>
      {button(true)}
      {button(false)}
    </fieldset>
  )
}

/** The result of the last save; on a page from a file also the download. */
export function MarksState({ model }: { model: Model }) {
  const { state, waiting } = useMarks(model)
  return (
    <p class="marks-state">
      <small role="status">{state}</small>
      {waiting > 0 && !isServed && (
        <button type="button" onClick={() => saveMarks(model)}>
          Download {displayPlural(waiting, 'mark')}
        </button>
      )}
    </p>
  )
}
