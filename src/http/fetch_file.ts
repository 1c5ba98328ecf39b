import { createExternalClient, type ExternalRequest } from './external_client.ts'

/** A request to an external service whose URL a user has entered. */
export interface FetchRequest extends ExternalRequest {
  /** Whether private networks are allowed. Otherwise a user could probe the server's own network. */
  readonly allowPrivate: boolean
}

/** The response of a service, with its complete body. */
export interface ExternalResponse {
  readonly status: number
  /** Media type from the Content-Type header; empty if the header is absent. */
  readonly contentType: string
  readonly body: Buffer
}

/**
 * Fetches a URL that a user has entered, with a timeout, a size limit and a check for private networks. Follows
 * redirects within the same limits; only the first origin receives the credentials.
 *
 * @throws {Problem} external/unreachable, external/answer, external/refused, pipeline/interrupted
 */
export async function fetchExternal({ allowPrivate, ...request }: FetchRequest): Promise<ExternalResponse> {
  const client = createExternalClient({
    connectTimeoutMs: request.timeoutMs,
    allowsPrivate: () => allowPrivate,
  })
  try {
    return await client.get(request, async ({ status, contentType, body }) => ({
      status,
      contentType,
      body: Buffer.concat(await Array.fromAsync(body)),
    }))
  } finally {
    await client.close()
  }
}
