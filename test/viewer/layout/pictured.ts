/** Pages that the program itself writes, for the pictures: an audit, two benchmarks, a workspace without one; the address of each. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { runMain } from '../../cli/run_main.ts'
import { fresh } from '../../e2e/program.ts'
import { folderOf, graded } from '../../store/folder_of.ts'
import { descriptionFile, triggersFile } from '../artefacts.ts'
import { historyFile } from '../session_history.ts'
import { benchJudged, listDecisions } from '../views/audited.ts'

const plain = (text: string) => text

/** The judge's decisions on two cases, one of which a person holds to be wrong. */
export async function audited(): Promise<string> {
  const { workspace, folder, report } = (await benchJudged())()
  const [one, other] = await listDecisions(workspace)
  await runMain(['audit', workspace, '--label', `${one?.id}=agree`, '--label', `${other?.id}=disagree`])
  await runMain(['view', folder, '--no-open'])
  return `file://${report}`
}

/** Of another tool, in which a case got better and another worse; a note on a run of the old one. */
export async function two(): Promise<string> {
  const cwd = fresh()
  const put = (name: string, passed: readonly [number, number]) => {
    const runs = passed.flatMap((number, at) =>
      ['with_skill', 'without_skill'].map((arm) => [
        `case-${at + 1}/${arm}/run-1`,
        graded(arm === 'with_skill' ? number : 1, 3, name),
      ]),
    )
    const gradings = runs.map(([run, grading]) => [`${run}/grading.json`, grading])
    const outputs = runs.map(([run]) => [`${run}/outputs/answer.md`, `# Answer\n\nof the ${name} skill\n`])
    cpSync(folderOf(Object.fromEntries([...gradings, ...outputs])), path.join(cwd, name), { recursive: true })
  }
  put('old', [3, 0])
  put('new', [1, 3])
  const notes = { 'case-1-with_skill-run-1': 'This was right, and is wrong now.', 'case-1': 'The hardest of them.' }
  writeFileSync(path.join(cwd, 'old/feedback.json'), JSON.stringify(notes))
  const end = await runMain(['view', '--compare', 'old', 'new', '--json'], { cwd })
  return `file://${JSON.parse(end.stdout).page}`
}

/** What was measured of triggers and descriptions, and versions of a skill that nobody benched. */
export async function alone(): Promise<string> {
  const workspace = path.join(fresh(), 'pdf')
  const artefacts = {
    'history.json': historyFile(plain),
    'triggers/2026-01-15T11-00-00Z/triggers.json': triggersFile(plain),
    'descriptions/2026-01-15T11-00-00Z/description.json': descriptionFile(plain),
  }
  for (const [name, text] of Object.entries(artefacts)) {
    mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true })
    writeFileSync(path.join(workspace, name), text)
  }
  const end = await runMain(['view', workspace, '--json'])
  return `file://${JSON.parse(end.stdout).page}`
}
