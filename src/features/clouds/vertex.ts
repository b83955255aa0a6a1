/** Claude on Google Vertex AI. The variables are those of Claude Code (https://code.claude.com/docs/en/google-vertex-ai). */
import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { attempt } from '../../base/errors/attempt.ts'
import { errorMessage, UserError } from '../../base/errors/error.ts'
import { loadPeer } from '../../base/optional_dependency.ts'
import type { ClientSettings, Cloud, CloudCredentials, CloudGap, MessagesClient } from '../../engines/clouds/table.ts'
import { claudeModelVariables, readSwitch } from './bedrock.ts'

const address = 'ANTHROPIC_VERTEX_BASE_URL'
const keyFile = 'GOOGLE_APPLICATION_CREDENTIALS'
const skipAuth = 'CLAUDE_CODE_SKIP_VERTEX_AUTH'
const title = 'Google Vertex AI'

/** Whether a gateway signs the requests. */
function isVertexAuthSkipped(credentials: CloudCredentials): boolean {
  return readSwitch(credentials[skipAuth])
}

/** The host of a region, as the SDK chooses it. */
function regionalServer(region: string): string {
  if (region === 'global') return 'https://aiplatform.googleapis.com/v1'
  const isMulti = region === 'us' || region === 'eu'
  return isMulti
    ? `https://aiplatform.${region}.rep.googleapis.com/v1`
    : `https://${region}-aiplatform.googleapis.com/v1`
}

export const vertex: Cloud = {
  title,
  engines: ['anthropic', 'claude-code'],
  variables: ['ANTHROPIC_VERTEX_PROJECT_ID', 'CLOUD_ML_REGION', address, keyFile, skipAuth, ...claudeModelVariables],
  address,
  keys: [keyFile],
  keyIsFile: true,
  server: (credentials) => credentials[address] || regionalServer(credentials.CLOUD_ML_REGION ?? ''),
  findGap,
  prices: 'google',
  aliases: { sonnet: 'claude-sonnet-5-5', opus: 'claude-opus-5-5', haiku: 'claude-haiku-4-5@20251001' },
  openClient,
  claude: {
    switch: { CLAUDE_CODE_USE_VERTEX: '1' },
    replaceable: [],
    requests: [],
    withheld: () => [],
    alsoReaches: (credentials) => (isVertexAuthSkipped(credentials) ? [] : ['https://oauth2.googleapis.com']),
    files: ({ [keyFile]: file }) => (file === undefined ? [] : [file]),
  },
}

function findGap(credentials: CloudCredentials): CloudGap | null {
  const { ANTHROPIC_VERTEX_PROJECT_ID: project, CLOUD_ML_REGION: region, [keyFile]: file } = credentials
  if (!project) {
    const fix = 'export ANTHROPIC_VERTEX_PROJECT_ID=… (the id of your Google Cloud project)'
    return { message: 'ANTHROPIC_VERTEX_PROJECT_ID is not set', fix }
  }
  if (!region) {
    return { message: 'CLOUD_ML_REGION is not set', fix: 'export CLOUD_ML_REGION=global, or the region of your models' }
  }
  if (isVertexAuthSkipped(credentials)) return null
  const fix = `export ${keyFile}=FILE (a service account's key, or ~/.config/gcloud/application_default_credentials.json)`
  if (!file) return { message: `${keyFile} is not set (no run can read the login of gcloud)`, fix }
  return isKeyFile(file) ? null : { message: `${keyFile}: not a readable file with Google credentials: "${file}"`, fix }
}

/** service_account, authorized_user, external_account, … */
const googleCredentials = z.looseObject({ type: z.string() })

function isKeyFile(file: string): boolean {
  return attempt(() => googleCredentials.safeParse(JSON.parse(readFileSync(file, 'utf8'))).success, false)
}

async function openClient(credentials: CloudCredentials, settings: ClientSettings): Promise<MessagesClient> {
  const packages = { by: title, names: ['@anthropic-ai/vertex-sdk', 'google-auth-library'] }
  const { AnthropicVertex } = await loadPeer(() => import('@anthropic-ai/vertex-sdk'), packages)
  const { GoogleAuth, PassThroughClient } = await loadPeer(() => import('google-auth-library'), packages)
  const { ANTHROPIC_VERTEX_PROJECT_ID: projectId = null, CLOUD_ML_REGION: region = null } = credentials
  const place = { ...settings, projectId, region }
  if (isVertexAuthSkipped(credentials)) return new AnthropicVertex({ ...place, authClient: new PassThroughClient() })
  const file = credentials[keyFile] ?? ''
  const auth = new GoogleAuth({ keyFile: file, scopes: 'https://www.googleapis.com/auth/cloud-platform' })
  try {
    return new AnthropicVertex({ ...place, authClient: await auth.getClient() })
  } catch (error) {
    const what = `${keyFile}: ${file} is not a file with Google credentials`
    throw new UserError(`${what} (${errorMessage(error)})`, 'set it to the JSON key file of a service account')
  }
}
