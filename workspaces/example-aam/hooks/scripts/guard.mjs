// Keeps closed books closed: exit code 2 blocks the call, and stderr tells the agent why.
import { readFileSync } from 'node:fs'

const { toolInput = {} } = JSON.parse(readFileSync(0, 'utf8'))
if (/(^|\/)closed\//.test(toolInput.file_path ?? '')) {
  console.error(`blocked: ${toolInput.file_path} is a closed book`)
  process.exit(2)
}
