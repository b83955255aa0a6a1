/** Reads Tessl's scenarios: a folder for each, with task.md and criteria.json. https://docs.tessl.io */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { listEntries } from '../../base/fs/files.ts'
import { tryParseJson } from '../../base/json/json.ts'
import { isJsonObject } from '../../phases/1-plan/formats/evals_json/fields.ts'
import { readNamedFile } from './named_text.ts'
import { dropEmpty, hasItems, type OtherSystem, readEachCase } from './other_suite.ts'

/** The document is made of the folders. */
export const tessl: OtherSystem = {
  title: 'Tessl',
  signs: [
    { words: 'folders with task.md and criteria.json', holds: (document) => hasItems(document, ['folders'], ['task']) },
  ],
  async read(fields, { base, warn }) {
    const cases = await readEachCase(fields.list('folders'), warn, (of, one) => {
      const name = of.text('folder')
      const checklist = of.items('checklist').flatMap((item) => {
        const [label, description] = [item.text('name'), item.text('description')]
        const text = description ?? label
        if (description !== null && label !== null) item.notes.keep(`${item.at}.name`, label)
        const found = text === null ? [] : [dropEmpty({ text, weight: item.number('max_score') })]
        item.rest('an item of the checklist', ['name', 'description', 'max_score'])
        return item.requireCriteria(found, 'an item of the checklist')
      })
      one.object = dropEmpty({ eval_key: name, name, prompt: of.text('task')?.trim() ?? null, assertions: checklist })
      if (of.flag('fixture'))
        of.notes.refuse(`${name}/scenario.json has a "fixture": write its files into an evals.json`)
      for (const { value, at } of of.list('broken')) of.notes.refuse(`${at}: ${String(value)}`)
      for (const other of of.texts('others')) warn(one.at, `${other} is not read`)
      of.rest('criteria.json', ['checklist'], { context: 'a judge reads the prompt and the outcome' })
    })
    return { skillName: null, base, cases }
  },
}

export function listScenarios(folder: string): string[] {
  const has = (name: string, file: string) => existsSync(path.join(folder, name, file))
  const found = listEntries(folder).flatMap(({ name }) =>
    has(name, 'task.md') || has(name, 'criteria.json') ? [name] : [],
  )
  return found.some((name) => has(name, 'task.md') && has(name, 'criteria.json')) ? found.sort() : []
}

export async function readScenarios(folder: string) {
  const folders = listScenarios(folder).map(async (name) => {
    const place = path.join(folder, name)
    const [task, criteria, scenario] = await Promise.all(
      ['task.md', 'criteria.json', 'scenario.json'].map((file) => readNamedFile(file, place)),
    )
    const value = tryParseJson(criteria ?? '')
    const more = tryParseJson(scenario ?? '')
    return {
      ...(isJsonObject(value)
        ? value
        : { broken: `${name}/criteria.json is ${criteria === null ? 'missing' : 'not a JSON object'}` }),
      ...{ folder: name, task, fixture: isJsonObject(more) && (more.fixture ?? null) !== null },
      others: listEntries(place).flatMap((one) =>
        /^(?:task\.md|(?:criteria|scenario)\.json)$/.test(one.name) ? [] : [one.name],
      ),
    }
  })
  return { folders: await Promise.all(folders) }
}

/** The evals folder of a skill or tile with scenarios, or the folder itself; null: neither has any. */
export function findScenarios(folder: string): string | null {
  return [path.join(folder, 'evals'), folder].find((one) => listScenarios(one).length > 0) ?? null
}

/** The scenarios of a tile, also of the one that a skill is in, at most three folders above. */
export function findTileScenarios(folder: string): string | null {
  const above = existsSync(path.join(folder, 'SKILL.md')) ? ['..', '../..', '../../..'] : ['.']
  return above.map((up) => findScenarios(path.resolve(folder, up))).find((one) => one !== null) ?? null
}
