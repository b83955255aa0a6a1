/** A prompt that states the skill's own steps is named, in whatever shape; one that only asks for the task is not. */
import { describe, expect, test } from 'vitest'
import type { Problem } from '../../../../schemas/check_report.ts'
import { checkSkill } from '../../../../src/phases/1-plan/check/check_skill.ts'
import { findLeakedSteps, readSkillSteps } from '../../../../src/phases/1-plan/check/text/leaked_steps.ts'
import { folderOf } from '../folder.ts'
import { type PlantedSkill, plantedSkills, skillsWithFiles } from './planted/leaking_prompts.ts'

async function findLeaks(
  { name, description, body, files = {} }: PlantedSkill,
  prompts: readonly string[],
): Promise<Problem[]> {
  const evals = prompts.map((prompt, at) => ({ id: at + 1, prompt, expectations: ['The result is there'] }))
  const root = folderOf({
    [`${name}/SKILL.md`]: `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`,
    ...Object.fromEntries(Object.entries(files).map(([file, text]) => [`${name}/${file}`, text])),
    [`${name}/evals/evals.json`]: JSON.stringify({ skill_name: name, evals }),
  })
  const { problems } = await checkSkill(`${root}/${name}`)
  return problems.filter(({ rule }) => rule === 'prompt-states-skill')
}

describe.each([...plantedSkills, ...skillsWithFiles])('$name', (skill) => {
  test.each(Object.entries(skill.leaking))('%s is a leak', async (_, prompt) => {
    expect(await findLeaks(skill, [prompt])).toMatchObject([{ eval_id: 1, at: '$.evals[0].prompt' }])
  })
  test('a user who does not know the skill gives nothing away', async () => {
    expect(await findLeaks(skill, skill.clean)).toEqual([])
  })
})

test('a step in a further message or in a fact of the user is a leak as well', async () => {
  const userWith = (fact: string) => ({ goal: 'order', facts: [fact] })
  const root = folderOf({
    'tidy/SKILL.md': `---\nname: tidy\ndescription: Tidies rooms.\n---\nPut the chairs on the tables before you sweep the floor.\n`,
    'tidy/evals/evals.json': JSON.stringify({
      skill_name: 'tidy',
      evals: [
        { id: 1, prompt: 'Tidy up', turns: ['And put the chairs on the tables before you sweep the floor'] },
        { id: 2, prompt: 'Tidy up', user: userWith('Chairs go on the tables before you sweep the floor') },
        { id: 3, prompt: 'Tidy up', user: userWith('There are six chairs') },
      ].map((one) => ({ ...one, expectations: ['The room is clean'] })),
    }),
  })
  const { problems } = await checkSkill(`${root}/tidy`)
  const found = problems.flatMap(({ rule, message }) => (rule === 'prompt-states-skill' ? [message] : []))
  expect(found).toEqual([
    expect.stringContaining('message 2 of the user states what SKILL.md says'),
    expect.stringContaining('fact 1 of the user states what SKILL.md says'),
  ])
})

describe('what is no step', () => {
  const stated = (body: string, prompt: string) =>
    findLeakedSteps(prompt, readSkillSteps(body.split('\n'), 'tidy Tidies rooms')).map(({ text }) => text)
  const step = 'Put the chairs on the tables before you sweep the floor.'
  const filler = 'It is a nice room and so on. '.repeat(9)
  const prompt = 'Put the chairs on the tables before you sweep the floor'
  test.each<[string, string, string, string[]]>([
    ['a step', step, prompt, [step]],
    ['a sentence over two lines', step.replace(' before', '\nbefore'), prompt, [step]],
    ['an example', `## Examples\n\n${step}`, prompt, []],
    ['a section after an example', `## Examples\n\nx\n\n## Steps\n\n${step}`, prompt, [step]],
    ['what a user says', `- "${step}"`, prompt, []],
    ['a row of a table', `| ${step} | yes |`, prompt, []],
    ['data in a block', '```json\n{ "chairs": "tables", "sweep": "floor" }\n```', 'chairs tables sweep floor', []],
    ['a comment in a block', '```sh\n# put chairs on tables, sweep floor\n```', prompt, []],
    ['the contrary', 'Never put the chairs on the tables before you sweep.', prompt, []],
    [
      'the same words far apart',
      step,
      `Put on music. ${filler} The chairs are new. ${filler} Tables came before. ${filler} You sweep the floor`,
      [],
    ],
    ['the topic alone', 'Tidy the rooms.', 'Tidy the rooms', []],
  ])('%s', (_, body, asked, expected) => expect(stated(body, asked)).toEqual(expected))
})

describe('commands and files of the skill', () => {
  const files = {
    'tidy/SKILL.md':
      '---\nname: tidy\ndescription: Tidies rooms.\n---\n```sh\nbroom sweep --deep --room <name>\ngit push\n```\nSee `scripts/sweep.py`.\n',
    'tidy/scripts/sweep.py': '',
    'tidy/references/rooms.md': '',
    'tidy/evals/files/sweep.py': '',
  }
  const findMessages = async (one: object) => {
    const evals = [{ id: 1, expectations: ['The hall is clean'], ...one }]
    const root = folderOf({ ...files, 'tidy/evals/evals.json': JSON.stringify({ skill_name: 'tidy', evals }) })
    const { problems } = await checkSkill(`${root}/tidy`)
    return problems.flatMap(({ rule, message }) => (rule === 'prompt-states-skill' ? [message.split('): ')[1]] : []))
  }
  const command = ['states what SKILL.md says: "broom sweep --deep --room <name>"']
  const script = ['names scripts/sweep.py, a file of the skill']
  test.each<[string, object, string[]]>([
    ['a command to run', { prompt: 'Please run `broom sweep --deep --room hall`.' }, command],
    ['a command that fails', { prompt: '`broom sweep --deep --room hall` fails in our hall. Why?' }, []],
    ['a command that everybody uses', { prompt: 'Clean the hall, then run git push.' }, []],
    ['a script by its path', { prompt: 'Clean the hall (scripts/sweep.py).' }, script],
    ['a script to run by its name', { prompt: 'Clean the hall. Run the script sweep.py' }, script],
    ['a script of that name that is not to be run', { prompt: 'Clean up sweep.py' }, []],
    ['an input of that name', { prompt: 'Run scripts/sweep.py', files: ['evals/files/sweep.py'] }, []],
    ['a repository that may have it', { prompt: 'Run scripts/sweep.py', setup: 'git init -q' }, []],
  ])('%s', async (_, one, expected) => expect(await findMessages(one)).toEqual(expected))
})
