/** improve with the real Codex CLI, as engine and as proposer. */
import { cliBinary } from '../require.ts'
import { testRealCrew } from './improve_real.ts'

const binary = cliBinary('codex')
testRealCrew({
  name: 'codex',
  binary,
  engine: 'codex:gpt-5.5',
  env: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'practice', WHETSTONE_CODEX: binary ?? '' }),
  agent: String.raw`
  - name: takes the skill
    when:
      user: '^What is'
      turn: 1
      system: ['^- .(?<root>r\d+). = .(?<folder>\S+/work/\.agents/skills).$', '^- adder: ']
    tool_calls: { name: exec_command, input: { cmd: 'cat {{folder}}/adder/SKILL.md' } }
  - name: runs its script
    when: { user: '^What is (?<a>\d+) plus (?<b>\d+)', called: 'cat (?<folder>\S+)/SKILL\.md', turn: 2 }
    tool_calls: { name: exec_command, input: { cmd: 'sh {{folder}}/scripts/add.sh {{a}} {{b}}' } }
  - name: answers
    when: { user: '^What is', turn: 3 }
    text: 'It is {{nthLine -1 (trim lastResult)}}'
  - name: has nothing to go on
    text: I can not add.
`,
  proposer: String.raw`
  - name: mends
    when: { user: '^You improve an agent skill', turn: 1 }
    tool_calls: { name: exec_command, input: { cmd: "sed -i 's/a - b/a + b/' adder/scripts/add.sh" } }
  - name: speaks
    when: { user: '^You improve an agent skill' }
    text: "SUMMARY: mends the script\nWHY: the sums were wrong"
`,
})
