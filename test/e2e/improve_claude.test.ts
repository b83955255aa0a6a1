/** improve with the real Claude Code CLI, as engine and as proposer. */
import { claudeBinary } from '../require.ts'
import { testRealCrew } from './improve_real.ts'

const binary = claudeBinary()
testRealCrew({
  name: 'claude',
  binary,
  engine: 'claude-code:claude-practice-1',
  env: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'practice', WHETSTONE_CLAUDE: binary ?? '' }),
  agent: String.raw`
  - name: takes the skill
    when: { user: '^What is', turn: 1, tool: '^Skill$', system: '^- adder: ' }
    tool_calls: { name: Skill, input: { skill: adder } }
  - name: runs its script
    when:
      user: '^What is (?<a>\d+) plus (?<b>\d+)'
      result: 'Base directory for this skill: (?<folder>\S+)'
      not_called: '^Bash'
    tool_calls: { name: Bash, input: { command: 'sh {{folder}}/scripts/add.sh {{a}} {{b}}', description: add } }
  - name: answers
    when: { user: '^What is', called: '^Bash' }
    text: 'It is {{trim lastResult}}'
  - name: has nothing to go on
    text: I can not add.
`,
  proposer: String.raw`
  - name: mends
    when: { user: '^You improve an agent skill', turn: 1 }
    tool_calls: { name: Bash, input: { command: "sed -i 's/a - b/a + b/' adder/scripts/add.sh", description: mend } }
  - name: speaks
    when: { user: '^You improve an agent skill' }
    text: "SUMMARY: mends the script\nWHY: the sums were wrong"
`,
})
