/** What Claude Code runs does not get the credentials of the user. */
import { expect, test } from 'vitest'
import { practice } from '../../engines/stage.ts'
import { claudeBinary, needs } from '../../require.ts'
import { benched, key, run, scenario } from './leaking.ts'

const claude = claudeBinary()
needs(
  'the claude CLI',
  claude !== null,
  'npm run agents',
)('what Claude Code runs', () => {
  const look = 'ls -a ~; cat ~/.key* 2>&1; cat /proc/$PPID/environ'
  const told = async (name: string) => {
    await using server = await practice(scenario(look))
    const env = { ANTHROPIC_BASE_URL: server.url, [name]: key, WHETSTONE_CLAUDE: claude ?? '' }
    const { end, holding } = await benched({ engine: 'claude-code:claude-practice-1', env })
    const agents = server.requests.filter((one) => one.rule === 'looks' || one.rule === 'tells')
    return { end, holding, shown: JSON.stringify(agents) }
  }
  test('does not get its API key', async () => {
    const { end, holding, shown } = await told('ANTHROPIC_API_KEY')
    expect(end.code, end.stderr).toBe(0)
    expect(shown).toContain('CLAUDE_CONFIG_DIR=')
    expect(shown).not.toContain(key)
    expect(holding(key)).toEqual([])
  })
  test('gets a placeholder of a token, which is redacted', async () => {
    const { holding, shown } = await told('ANTHROPIC_AUTH_TOKEN')
    expect(shown).toContain('ANTHROPIC_AUTH_TOKEN=placeholder-')
    expect(shown).not.toContain(key)
    expect(holding(key)).toEqual([])
    expect(holding('ANTHROPIC_AUTH_TOKEN=[redacted:placeholder]')).toContain(`${run}/transcript.jsonl`)
  })
})
