/** One row per installed skill: how often it gets its own queries, and which skills it takes queries from or loses them to. */
import type { MatrixSkill } from '../../../schemas/trigger_matrix.ts'
import type { TriggerShare } from '../../../schemas/triggers.ts'
import { displayPercent } from '../../format.ts'
import { ListTable } from '../../parts/layout/data_table.tsx'

const columns = ['skill', 'queries', 'runs', 'recall', 'precision', 'false triggers', 'loses to', 'takes from']

export function SkillTable({ skills }: { skills: readonly MatrixSkill[] }) {
  return (
    <section aria-labelledby="skills">
      <h2 id="skills">
        Skills <small>with 95% CI; intervals count queries, not runs</small>
      </h2>
      <ListTable columns={columns} words={['skill', 'loses to', 'takes from']} kind="stacks">
        {skills.map((skill) => (
          <SkillRow key={skill.name} skill={skill} />
        ))}
      </ListTable>
      <p class="hint">
        recall: share of runs of its own queries that read it first · precision: share of its reads that were for its
        own queries · false triggers: share of runs of queries that should not read it, if its set has any
      </p>
    </section>
  )
}

const notes: Record<MatrixSkill['ended'], string | null> = {
  decided: null,
  limit: 'undecided',
  open: 'undecided',
  no_queries: 'only competes',
}

function SkillRow({ skill }: { skill: MatrixSkill }) {
  const { name, queries, runs, recall, precision, false_trigger_rate, loses_to, takes_from, ended } = skill
  const note = notes[ended]
  return (
    <tr>
      <th scope="row">
        <bdi>{name}</bdi> {note !== null && <em class="tag warn">{note}</em>}
      </th>
      <td data-column="queries">{queries}</td>
      <td data-column="runs">{runs}</td>
      <td data-column="recall">
        <Interval share={recall} />
      </td>
      <td data-column="precision">
        <Interval share={precision} />
      </td>
      <td data-column="false triggers">
        <Interval share={false_trigger_rate} />
      </td>
      <td class={`left wrap ${loses_to.length > 0 ? 'worse' : ''}`} data-column="loses to">
        {loses_to.length > 0 && <bdi>{loses_to.join(', ')}</bdi>}
      </td>
      <td class={`left wrap ${takes_from.length > 0 ? 'worse' : ''}`} data-column="takes from">
        {takes_from.length > 0 && <bdi>{takes_from.join(', ')}</bdi>}
      </td>
    </tr>
  )
}

function Interval({ share }: { share: TriggerShare | null }) {
  if (share === null) return null
  return (
    <span>
      {displayPercent(share.value)}{' '}
      <small class="quiet">
        {displayPercent(share.ci_low)} to {displayPercent(share.ci_high)}
      </small>
    </span>
  )
}
