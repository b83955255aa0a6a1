/** Google credentials of a workload that name their own token endpoint, as a key of a service account can't. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { serveHttp } from './stage.ts'

/** Starts a token endpoint. `file`: for GOOGLE_APPLICATION_CREDENTIALS; `asked`: the paths of its requests. */
export async function openTokens(folder: string) {
  const asked: string[] = []
  const tokens = await serveHttp((request, response) => {
    asked.push(request.url ?? '')
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ access_token: 'practice-key', expires_in: 3600, token_type: 'Bearer' }))
  })
  const [file, subject] = [path.join(folder, 'account.json'), path.join(folder, 'subject.txt')]
  writeFileSync(subject, 'who it is')
  const credentials = {
    type: 'external_account',
    audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: `${tokens.url}/token`,
    credential_source: { file: subject },
  }
  writeFileSync(file, JSON.stringify(credentials))
  return { file, asked, [Symbol.asyncDispose]: () => tokens[Symbol.asyncDispose]() }
}
