/** The head of a table with a column for A and one for B. */
export function HeadAB({ first = null }: { first?: string | null }) {
  return (
    <thead>
      <tr>
        {first === null ? <td /> : <th scope="col">{first}</th>}
        <th scope="col">A</th>
        <th scope="col">B</th>
      </tr>
    </thead>
  )
}
