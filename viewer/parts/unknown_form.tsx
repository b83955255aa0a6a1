/** An artefact that fits no schema of ours, shown as it is. */
import { Tree } from './json_tree.tsx'

/** `title`: null: it stands below another. */
export function UnknownForm({ title, file, raw }: { title: string | null; file: string; raw: unknown }) {
  return (
    <>
      {title !== null && (
        <header class="lead">
          <h1>{title}</h1>
        </header>
      )}
      <p class="banner">{file} is not of a known form; here it is as it is.</p>
      <Tree value={raw} />
    </>
  )
}
