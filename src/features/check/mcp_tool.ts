/** The tool `check` of the MCP server: as many problems as fit into an agent's context. */
import * as z from 'zod'
import { noSandboxWish } from '../../base/sandbox/choose.ts'
import { type McpTool, mcpPlace } from '../../flows/mcp_tools.ts'
import { formatPlural } from '../../phases/4-report/text/format.ts'
import { checkSkills } from './check.ts'

const mostProblems = 30

const input = z.strictObject({
  skill: mcpPlace.describe('folder with SKILL.md'),
  suite: mcpPlace.optional().describe('suite file; default: evals/evals.json of the skill'),
})

export const checkTool: McpTool = {
  title: 'Check a skill',
  description: 'Find problems in a skill and its eval suite. Asks no model, starts nothing.',
  input,
  output: { problems: z.array(z.looseObject({ rule: z.string(), severity: z.string() })) },
  async call(given, places, context) {
    const { skill, suite } = input.parse(given)
    const request = {
      skills: [await places.resolveSkill(skill)],
      suite: suite === undefined ? null : await places.resolve(suite),
      ...{ trials: [], judge: null, sandbox: noSandboxWish },
    }
    const { skills, counts } = await checkSkills(request, context)
    const all = skills.flatMap(({ problems }) => problems)
    const { error, warning, info } = counts
    return {
      sentence: `${formatPlural(error, 'error')}, ${formatPlural(warning, 'warning')}, ${info} notes.`,
      counts,
      problems: all.slice(0, mostProblems),
      ...(all.length > mostProblems && { left_out: all.length - mostProblems }),
      next: error > 0 ? 'Fix the errors, then call plan.' : 'Call plan.',
    }
  },
}
