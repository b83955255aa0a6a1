/** When a skill counts as read. */
import { describe, expect, test } from 'vitest'
import { followSkillReads } from '../../../src/engines/answers/skill_read.ts'
import type { EmittedEvent } from '../../../src/engines/engine.ts'

const skills = [
  { name: 'pdf', description: '', path: '/room/work/.claude/skills/pdf' },
  { name: 'pdf-forms', description: '', path: '/room/work/.claude/skills/pdf-forms' },
]

function readBy(name: string, input: unknown, isError = false): string[] {
  const events: EmittedEvent[] = []
  const emit = followSkillReads({ skills, skillsFolder: '.claude/skills', emit: (event) => events.push(event) })
  emit({ type: 'tool_call', step: 3, id: 'a', name, input })
  expect(events).toHaveLength(1)
  emit({ type: 'tool_result', step: 3, id: 'a', name, output: '', is_error: isError })
  return events.flatMap((event) => (event.type === 'skill_read' ? [event.skill] : []))
}

describe('reads', () => {
  test.each([
    ['Skill', { skill: 'pdf' }, ['pdf']],
    ['Skill', { skill: 'plugin:pdf' }, ['pdf']],
    ['Skill', { skill: 'other' }, []],
    ['Read', { file_path: '/room/work/.claude/skills/pdf/SKILL.md' }, ['pdf']],
    ['Read', { file_path: '.claude/skills/pdf/SKILL.md' }, ['pdf']],
    ['Read', { file_path: './.claude/skills/pdf-forms/SKILL.md' }, ['pdf-forms']],
    ['Bash', { command: 'cat .claude/skills/pdf/SKILL.md | head' }, ['pdf']],
    ['Bash', { command: 'cd .claude/skills/pdf && cat SKILL.md' }, ['pdf']],
    ['Bash', { command: 'cat .claude/skills/*/SKILL.md' }, ['pdf', 'pdf-forms']],
    ['Grep', { pattern: 'x', options: { paths: ['.claude/skills/pdf/SKILL.md'] } }, ['pdf']],
    ['Read', { file_path: '.claude/skills/pdf/reference.md' }, []],
    ['Read', { file_path: 'docs/SKILL.md' }, []],
    ['Glob', { pattern: '.claude/skills/pdf/SKILL.md' }, []],
    ['Write', { file_path: 'a', content: 'see .claude/skills/pdf/SKILL.md' }, []],
    ['Bash', { command: 'ls .claude/skills/pdf' }, []],
    ['Read', null, []],
  ])('%s %j: %j', (name, input, names) => expect(readBy(name, input)).toEqual(names))

  test('a call that failed read nothing', () => expect(readBy('Skill', { skill: 'pdf' }, true)).toEqual([]))
})
