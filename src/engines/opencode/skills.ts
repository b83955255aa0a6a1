/** Lists the skills that opencode offers its model, as it reports them itself. */
import * as z from 'zod'
import { runProcess } from '../../base/process/spawn.ts'
import type { CliLaunch } from '../cli/headless_cli.ts'

const list = z.array(z.looseObject({ name: z.string() }))

/** Runs `opencode debug skill` as the run itself is started; null: it gave no list. Rejects only when aborted, or when it can't start. */
export async function listOfferedSkills(launch: CliLaunch): Promise<string[] | null> {
  const end = await runProcess({ ...launch, args: ['debug', 'skill', '--pure'] })
  try {
    return list.parse(JSON.parse(end.stdout)).map(({ name }) => name)
  } catch {
    return null
  }
}
