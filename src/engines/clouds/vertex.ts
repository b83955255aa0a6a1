/** Claude on Google Vertex AI. The variables are those of Claude Code (https://code.claude.com/docs/en/google-vertex-ai). */
import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { readSwitch } from './bedrock.ts'
import { claudeModelVariables } from './claude_settings.ts'
import type { Cloud, CloudCredentials, CloudGap } from './cloud.ts'

const address = 'ANTHROPIC_VERTEX_BASE_URL'
const keyFile = 'GOOGLE_APPLICATION_CREDENTIALS'
const skipAuth = 'CLAUDE_CODE_SKIP_VERTEX_AUTH'

/** Whether a gateway signs the requests. */
export function isVertexAuthSkipped(credentials: CloudCredentials): boolean {
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
  title: 'Google Vertex AI',
  engines: ['anthropic', 'claude-code'],
  variables: ['ANTHROPIC_VERTEX_PROJECT_ID', 'CLOUD_ML_REGION', address, keyFile, skipAuth, ...claudeModelVariables],
  address,
  keys: [keyFile],
  server: (credentials) => credentials[address] || regionalServer(credentials.CLOUD_ML_REGION ?? ''),
  findGap,
  prices: 'google',
  aliases: { sonnet: 'claude-sonnet-5-5', opus: 'claude-opus-5-5', haiku: 'claude-haiku-4-5@20251001' },
  packages: ['@anthropic-ai/vertex-sdk', 'google-auth-library'],
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
  try {
    return googleCredentials.safeParse(JSON.parse(readFileSync(file, 'utf8'))).success
  } catch {
    return false
  }
}
