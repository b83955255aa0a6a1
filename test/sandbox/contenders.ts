/** The engines as the escape tests start them: each runs `sh ./attempt.sh > said.txt` in its working folder. */
import path from 'node:path'
import type { Engine, EngineTask } from '../../src/engines/engine.ts'
import { engineNamed } from '../../src/engines/table.ts'
import type { PracticeServer } from '../../src/practice/server.ts'
import { keysFor } from '../engines/stage.ts'
import { claudeBinary, cliBinary } from '../require.ts'

export interface Contender {
  engine: Engine
  needed: { name: string; present: boolean; fix: string }
  needs(server: PracticeServer): Partial<EngineTask>
  /** What it needs besides to have no sandbox of its own outside of ours: a program, and its environment. */
  freed?: { credentials: Record<string, string>; env: Record<string, string> }
}

const nothing = { name: 'nothing', present: true, fix: '' }

export const contenders: Record<string, Contender> = {
  command: {
    engine: engineNamed('command'),
    needed: nothing,
    needs: () => ({ command: `sh -c 'sh ./attempt.sh > said.txt 2>&1; true'` }),
  },
  anthropic: {
    engine: engineNamed('anthropic'),
    needed: nothing,
    needs: (server) => ({ credentials: keysFor(server), model: 'claude-sonnet-5-5' }),
  },
  'claude-code': {
    engine: engineNamed('claude-code'),
    needed: { name: 'the claude CLI', present: claudeBinary() !== null, fix: 'npm run agents' },
    needs: (server) => ({
      credentials: { ...keysFor(server), WHETSTONE_CLAUDE: claudeBinary() ?? 'claude' },
      model: 'sonnet',
    }),
  },
  codex: {
    engine: engineNamed('codex'),
    needed: { name: 'the codex CLI', present: cliBinary('codex') !== null, fix: 'npm run agents' },
    needs: (server) => ({
      credentials: { ...keysFor(server), WHETSTONE_CODEX: cliBinary('codex') ?? 'codex' },
      model: 'gpt-5.5',
    }),
    freed: {
      credentials: { WHETSTONE_CODEX: path.join(import.meta.dirname, '../fixtures/programs/unconfined.mjs') },
      env: { REAL_CODEX: cliBinary('codex') ?? 'codex' },
    },
  },
}
