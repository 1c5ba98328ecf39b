import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { problem } from '../../contract/problems.ts'
import type { Log } from '../../core/log.ts'

/** URLs of the script and stylesheet of the web pages. */
export interface WebBundle {
  readonly script: string
  readonly stylesheet: string
}

/** Folder of the built web pages: next to the program in a package, `.cache/web` in a checkout. */
const folder = new URL(
  extname(import.meta.url) === '.ts' ? '../../../.cache/web/' : '../../web/',
  import.meta.url,
)

const mediaTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

/** Folder of the checkout, whose files the pages were built of. */
const root = new URL('../../../', import.meta.url)

/** What was built, and of which files. */
interface WebBuild {
  readonly version: string
  /** Digest of the files, as the builder computes it. */
  readonly sources: string
  readonly files?: readonly string[]
}

/** Logs by which it was checked whether the pages are current. */
const checked = new WeakSet<Log>()

/**
 * Warns once if the web pages of a checkout are older than their sources, as after an update without `npm`: new pages of the
 * server would run old scripts.
 */
export async function warnOfOldPages(log: Log, build: WebBuild): Promise<void> {
  if (checked.has(log) || extname(import.meta.url) !== '.ts') return
  checked.add(log)
  if ((await hashSources(build)) === build.sources) return
  log.warn(
    { version: build.version },
    'the web pages are older than their sources: run node scripts/build-web.mjs',
  )
}

/** Returns the digest of the files that pages were built of, as they are now; undefined if one is missing. */
async function hashSources({ files = [] }: WebBuild): Promise<string | undefined> {
  const sum = createHash('sha256')
  try {
    for (const path of files)
      sum
        .update(`${path}\0`)
        .update(await readFile(new URL(path, root)))
        .update('\0')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  return sum.digest('hex')
}

/**
 * Finds the current build of the web pages. Not cached, because a checkout may rebuild them while the server runs.
 *
 * @throws {Problem} server/no-pages if they have not been built
 */
export async function findWebBundle(log: Log): Promise<WebBundle> {
  const build = await findCurrent(log)
  if (build === undefined) throw problem('server/no-pages', 'The web pages have not been built.')
  const { version } = build
  return { script: `/static/web/${version}/page.js`, stylesheet: `/static/web/${version}/page.css` }
}

/** Finds the URL of a file of the current build of the web pages; undefined if they have not been built. */
export async function findWebFile(file: string, log: Log): Promise<string | undefined> {
  const build = await findCurrent(log)
  return build && `/static/web/${build.version}/${file}`
}

async function findCurrent(log: Log): Promise<WebBuild | undefined> {
  const bytes = await find('current.json')
  if (bytes === undefined) return undefined
  const build = JSON.parse(bytes.toString('utf8')) as WebBuild
  await warnOfOldPages(log, build)
  return build
}

/** Serves the web pages. Their URLs contain a digest of the content, so that browsers cache them forever. */
export function addWebFiles(app: FastifyInstance): void {
  app.route<{ Params: { version: string; file: string } }>({
    method: ['GET', 'HEAD'],
    url: '/static/web/:version/:file',
    config: { template: '/static/web/{version}/{file}' },
    handler: ({ params, headers }, reply) =>
      sendFile(reply, params, String(headers['accept-encoding'] ?? '')),
  })
}

interface WebFile {
  readonly version: string
  readonly file: string
}

async function sendFile(
  reply: FastifyReply,
  { version, file }: WebFile,
  accepted: string,
): Promise<FastifyReply> {
  const mediaType = mediaTypes[extname(file)]
  const isValid = /^[0-9a-f]{16}$/.test(version) && /^[a-z]+\.[a-z]+$/.test(file) && mediaType !== undefined
  const isCompressed = /\bbr\b/.test(accepted)
  const bytes = isValid ? await find(`${version}/${file}${isCompressed ? '.br' : ''}`) : undefined
  if (bytes === undefined) throw problem('request/not-found', `No route matches ${reply.request.url}.`)
  if (isCompressed) reply.header('content-encoding', 'br')
  return reply
    .headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' })
    .type(mediaType ?? '')
    .send(bytes)
}

async function find(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(new URL(path, folder))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
