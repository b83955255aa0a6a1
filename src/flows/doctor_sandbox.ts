/** What doctor finds about isolation: whether a sandbox works, and whether it can limit processes. */
import { probeSandbox } from '../base/sandbox/choose.ts'
import { type ProcessLimit, processLimit } from '../base/sandbox/process_limit.ts'
import type { FlowContext } from './context.ts'
import type { Finding } from './doctor.ts'

export async function sandboxFindings({ env }: Pick<FlowContext, 'env'>): Promise<Finding[]> {
  const found = await probeSandbox(env.PATH ?? '')
  if (found.ok) return [{ name: 'sandbox', state: 'ok', detail: found.detail, fix: null }, limitFinding(processLimit())]
  const detail = `none: agents run as you, and can read and change what you can (${found.message})`
  const fix = `${found.fix}; until then bench what you do not trust in a container or a virtual machine`
  return [{ name: 'sandbox', state: 'warning', detail, fix }]
}

function limitFinding(limit: ProcessLimit): Finding {
  const name = 'process limit'
  switch (limit.kind) {
    case 'cgroup':
      return { name, state: 'ok', detail: `a pids cgroup for each sandbox, below ${limit.folder}`, fix: null }
    case 'user':
      return { name, state: 'ok', detail: 'by user, in the namespace of each sandbox', fix: null }
    case 'none':
      return { name, state: 'warning', detail: `none, a fork bomb is not held: ${limit.why}`, fix: limit.fix }
  }
}
