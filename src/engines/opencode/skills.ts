/** The skills that opencode offers its model, by its own word. */
import { z } from 'zod'
import { runProcess } from '../../base/spawn.ts'
import type { Launch } from '../opencode.ts'

const list = z.array(z.looseObject({ name: z.string() }))

/** Asks `opencode debug skill` in the run's own world; null: it gave no list. Rejects only when aborted, or when it can't start. */
export async function skillsOffered(launch: Launch): Promise<string[] | null> {
  const end = await runProcess({ ...launch, args: ['debug', 'skill', '--pure'] })
  try {
    return list.parse(JSON.parse(end.stdout)).map(({ name }) => name)
  } catch {
    return null
  }
}
