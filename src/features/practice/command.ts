/** `whetstone practice`: serves the practice model, to test a suite's setup at no cost. */
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Argv } from 'yargs'
import { typedCommand } from '../../base/package_root.ts'
import { text, whole } from '../../cli/commands/options/flag.ts'
import type { SetExitCode } from '../../cli/commands/options/run_flow.ts'
import { exitCodes } from '../../cli/exit_codes.ts'
import { listenForInterrupts } from '../../cli/terminal/interrupt.ts'

function practiceOptions(args: Argv) {
  return args
    .options({
      scenario: {
        ...text,
        default: fileURLToPath(new URL('./any_skill.yaml', import.meta.url)),
        defaultDescription: 'answers for any skill',
        describe: 'YAML file with the answers of the model',
      },
      port: { ...whole('port', 0, 65535), default: 0, describe: 'port on 127.0.0.1 (0: a free one)' },
      log: { ...text, describe: 'append each request to this file as a JSON line' },
    })
    .usage(
      '$0 practice [options]\n\nServe the practice model: the APIs of Anthropic, OpenAI and Gemini on 127.0.0.1.\n\nSet ANTHROPIC_BASE_URL=http://127.0.0.1:PORT ANTHROPIC_API_KEY=practice, or OPENAI_BASE_URL=http://127.0.0.1:PORT/v1 OPENAI_API_KEY=practice, or GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:PORT GEMINI_API_KEY=practice. Format: docs/reference/practice.md',
    )
    .example('$0 practice --port 8123', 'serve until Ctrl-C; then try your own skill')
    .example('$0 practice --scenario my.yaml', 'with your own answers')
}

export function addPractice(args: Argv, done: SetExitCode): Argv {
  return args.command(
    'practice',
    'advanced: serve the practice model',
    practiceOptions,
    async ({ scenario, port, log }) => {
      const { loadScenario } = await import('./scenario/scenario.ts')
      const { startPractice } = await import('./server.ts')
      using interrupts = listenForInterrupts(() => {})
      const server = await startPractice({
        scenario: await loadScenario(scenario),
        port,
        ...(log === undefined ? {} : { logFile: log }),
      })
      process.stdout.write(`${server.url}\n`)
      process.stderr.write(
        `practice model on ${server.url}; use it with\n  ANTHROPIC_BASE_URL=${server.url} ANTHROPIC_API_KEY=practice\n  OPENAI_BASE_URL=${server.url}/v1 OPENAI_API_KEY=practice\n  GOOGLE_GEMINI_BASE_URL=${server.url} GEMINI_API_KEY=practice\ntry a skill: ${typedCommand()} bench SKILL --engine anthropic:practice-1\nCtrl-C ends it.\n`,
      )
      await once(interrupts.drain, 'abort')
      await server.close()
      done(exitCodes.done)
    },
  )
}
