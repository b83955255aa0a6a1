/** Which skills were read, by configuration, where other skills were next to the tested one. */
import type { Model } from '../../data/model.ts'
import { displayArm } from '../../format.ts'
import { ListTable } from '../../parts/layout/data_table.tsx'

export function SkillsRead({ model }: { model: Model }) {
  const all = model.page.benchmark.skills_read ?? []
  if (all.length === 0) return null
  const arms = [...new Set(all.map(({ configuration }) => configuration))]
  const skills = [...new Set(all.map(({ skill }) => skill))]
  const cell = (skill: string, arm: string) => {
    const found = all.find((one) => one.skill === skill && one.configuration === arm)
    return found === undefined ? '–' : `${found.read} of ${found.runs} runs`
  }
  return (
    <section aria-labelledby="skills-read">
      <h2 id="skills-read">Skills read</h2>
      <ListTable columns={['skill', ...arms.map(displayArm)]} words={['skill']}>
        {skills.map((skill) => (
          <tr key={skill}>
            <th scope="row">
              <bdi>{skill}</bdi>
            </th>
            {arms.map((arm) => (
              <td key={arm}>{cell(skill, arm)}</td>
            ))}
          </tr>
        ))}
      </ListTable>
    </section>
  )
}
