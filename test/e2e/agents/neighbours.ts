/** Two neighbour skills, each with a canary in its description. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** The folder of the neighbours, next to the tested skill's. */
export function makeNeighbours(skill: string): string {
  const folder = path.join(path.dirname(skill), 'others')
  for (const name of ['near', 'far']) {
    mkdirSync(path.join(folder, name), { recursive: true })
    const description = `${name.toUpperCase()}-CANARY does ${name} things.`
    writeFileSync(path.join(folder, name, 'SKILL.md'), `---\nname: ${name}\ndescription: ${description}\n---\nBody.\n`)
  }
  return folder
}
