/** Connections to Claude on the clouds: the official SDK's clients, which are optional packages. */
import type Anthropic from '@anthropic-ai/sdk'
import { errorMessage, UserError } from '../../base/errors/error.ts'
import { loadPeer } from '../../base/optional_dependency.ts'
import { bedrockRegion, isBedrockAuthSkipped } from '../clouds/bedrock.ts'
import type { CloudCredentials } from '../clouds/cloud.ts'
import { type CloudName, findCloud } from '../clouds/table.ts'
import { isVertexAuthSkipped } from '../clouds/vertex.ts'

/** What a conversation needs of a client; the clouds' clients have no other part of the API in common. */
export interface MessagesClient {
  readonly baseURL: string
  readonly messages: Pick<Anthropic['messages'], 'stream'>
}

/** Settings that all clients share: the address, and how requests are sent. */
export type ClientSettings = Pick<
  ConstructorParameters<typeof Anthropic>[0] & object,
  'baseURL' | 'maxRetries' | 'timeout' | 'fetch' | 'logLevel'
>

type OpenClient = (credentials: CloudCredentials, settings: ClientSettings) => Promise<MessagesClient>

const openers: Readonly<Partial<Record<CloudName, OpenClient>>> = {
  bedrock: openBedrock,
  vertex: openVertex,
  foundry: openFoundry,
}

/** A client with keys and address from `credentials` alone. Throws UserError if the cloud's package is not installed. */
export function openCloudClient(
  cloud: CloudName,
  credentials: CloudCredentials,
  settings: Omit<ClientSettings, 'baseURL'>,
): Promise<MessagesClient> {
  const open = openers[cloud]
  if (open === undefined) throw new Error(`the engine anthropic has no client for ${cloud}`)
  return open(credentials, { ...settings, baseURL: findCloud(cloud).server(credentials) })
}

async function openBedrock(credentials: CloudCredentials, settings: ClientSettings): Promise<MessagesClient> {
  const { AnthropicBedrock } = await loadCloudPackages('bedrock', () => import('@anthropic-ai/bedrock-sdk'))
  const { AWS_BEARER_TOKEN_BEDROCK: token, AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = credentials
  const shared = { ...settings, awsRegion: bedrockRegion(credentials), skipAuth: isBedrockAuthSkipped(credentials) }
  // null: the client would read what is left out from the harness's environment
  if (token) return new AnthropicBedrock({ ...shared, apiKey: token.trim() })
  if (!id || !secret) return new AnthropicBedrock({ ...shared, apiKey: null })
  const awsSessionToken = credentials.AWS_SESSION_TOKEN?.trim() ?? null
  const keys = { awsAccessKey: id.trim(), awsSecretKey: secret.trim(), awsSessionToken }
  return new AnthropicBedrock({ ...shared, apiKey: null, ...keys })
}

async function openVertex(credentials: CloudCredentials, settings: ClientSettings): Promise<MessagesClient> {
  const { AnthropicVertex } = await loadCloudPackages('vertex', () => import('@anthropic-ai/vertex-sdk'))
  const { GoogleAuth, PassThroughClient } = await loadCloudPackages('vertex', () => import('google-auth-library'))
  const { ANTHROPIC_VERTEX_PROJECT_ID: projectId = null, CLOUD_ML_REGION: region = null } = credentials
  const place = { ...settings, projectId, region }
  if (isVertexAuthSkipped(credentials)) return new AnthropicVertex({ ...place, authClient: new PassThroughClient() })
  const keyFile = credentials.GOOGLE_APPLICATION_CREDENTIALS ?? ''
  const auth = new GoogleAuth({ keyFile, scopes: 'https://www.googleapis.com/auth/cloud-platform' })
  try {
    return new AnthropicVertex({ ...place, authClient: await auth.getClient() })
  } catch (error) {
    const what = `GOOGLE_APPLICATION_CREDENTIALS: ${keyFile} is not a file with Google credentials`
    throw new UserError(`${what} (${errorMessage(error)})`, 'set it to the JSON key file of a service account')
  }
}

async function openFoundry(credentials: CloudCredentials, settings: ClientSettings): Promise<MessagesClient> {
  const { AnthropicFoundry } = await loadCloudPackages('foundry', () => import('@anthropic-ai/foundry-sdk'))
  const apiKey = (credentials.ANTHROPIC_FOUNDRY_API_KEY ?? '').trim()
  // the address already contains the resource's name; an empty one keeps the client from reading it from the environment
  return new AnthropicFoundry({ ...settings, apiKey, resource: '' })
}

function loadCloudPackages<M>(cloud: CloudName, load: () => Promise<M>): Promise<M> {
  const { title, packages } = findCloud(cloud)
  return loadPeer(load, { by: title, names: packages })
}
