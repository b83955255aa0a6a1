/** Shows an artefact that fits no known schema, as it is. */
import { JsonValueTree } from './json_tree.tsx'

/** `title` null: another title is above it. */
export function UnknownForm({ title, file, raw }: { title: string | null; file: string; raw: unknown }) {
  return (
    <>
      {title !== null && (
        <header class="lead">
          <h1>{title}</h1>
        </header>
      )}
      <p class="banner">{file} is not of a known form; here it is as it is.</p>
      <JsonValueTree value={raw} />
    </>
  )
}
