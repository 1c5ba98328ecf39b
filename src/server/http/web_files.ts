import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { problem } from '../../contract/problems.ts'

/** Where the browser finds the code of the pages. */
export interface WebBundle {
  readonly script: string
  readonly stylesheet: string
}

/** The built pages: beside the program where it is packed, else where the set-up of a checkout builds them. */
const folder = new URL(
  extname(import.meta.url) === '.ts' ? '../../../.cache/web/' : '../../web/',
  import.meta.url,
)

const mediaTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

/**
 * Finds the built pages. Read each time: in a checkout they may be built anew while the server runs.
 *
 * @throws {Problem} server/no-pages where they have not been built
 */
export async function findWebBundle(): Promise<WebBundle> {
  const { version } = await readVersion()
  return { script: `/static/web/${version}/page.js`, stylesheet: `/static/web/${version}/page.css` }
}

/** Serves the built pages. Their addresses hold a digest of them, so that a browser never has to ask again. */
export function addWebFiles(app: FastifyInstance): void {
  app.route<{ Params: { version: string; file: string } }>({
    method: ['GET', 'HEAD'],
    url: '/static/web/:version/:file',
    config: { template: '/static/web/{version}/{file}' },
    handler: ({ params, headers }, reply) =>
      sendFile(reply, params, String(headers['accept-encoding'] ?? '')),
  })
}

interface FileAddress {
  readonly version: string
  readonly file: string
}

async function sendFile(
  reply: FastifyReply,
  { version, file }: FileAddress,
  accepted: string,
): Promise<FastifyReply> {
  const mediaType = mediaTypes[extname(file)]
  const known = /^[0-9a-f]{16}$/.test(version) && /^[a-z]+\.[a-z]+$/.test(file) && mediaType !== undefined
  const packed = /\bbr\b/.test(accepted)
  const bytes = known ? await find(`${version}/${file}${packed ? '.br' : ''}`) : undefined
  if (bytes === undefined) throw problem('request/not-found', `There is nothing at ${reply.request.url}.`)
  if (packed) reply.header('content-encoding', 'br')
  return reply
    .headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' })
    .type(mediaType ?? '')
    .send(bytes)
}

async function readVersion(): Promise<{ version: string }> {
  const bytes = await find('current.json')
  if (bytes === undefined) throw problem('server/no-pages', 'The pages of this server have not been built.')
  return JSON.parse(bytes.toString('utf8')) as { version: string }
}

async function find(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(new URL(path, folder))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
