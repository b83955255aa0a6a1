/** The folder of a CLI's settings and session, below the home. Judges share a home, so that each of their sessions has one. */
import path from 'node:path'
import type { EngineTask } from '../engine.ts'

export type FolderTask = Pick<EngineTask, 'env' | 'sessionId' | 'ownsHome'>

export function findOwnFolder({ env, sessionId, ownsHome }: FolderTask, name: string): string {
  return path.join(env.HOME ?? '', name, ownsHome ? 'session' : sessionId)
}
