/** Google credentials of a workload that name their own token endpoint, as a key of a service account can't. */
import { once } from 'node:events'
import type { Server } from 'node:http'

/** The content of a file for GOOGLE_APPLICATION_CREDENTIALS. `subject`: the file that proves who the workload is. */
export function workloadCredentials(tokenUrl: string, subject: string) {
  return {
    type: 'external_account',
    audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: tokenUrl,
    credential_source: { file: subject },
  }
}

/** The URL of a server on a free port. */
export async function listenOnLoopback(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port')
  return `http://127.0.0.1:${address.port}`
}
