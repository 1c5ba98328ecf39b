import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Api, createApi } from '../api/api.ts'
import { problem } from '../contract/problems.ts'
import type { Credentials } from '../http/authorize.ts'
import type { Terminal } from './terminal.ts'
import { programVersion } from './version.ts'

/** Folder a server on this machine keeps its data in, unless it is told otherwise. */
export const defaultDataFolder = '.landform/data'

/** Where a server listens, unless it is told otherwise. */
export const defaultListen = '127.0.0.1:8080'

/** Where a server is, unless something else is said. */
export const defaultServer = 'http://127.0.0.1:8080'

/** What was said about the server. */
export interface ServerSettings {
  readonly server?: string | undefined
  readonly user?: string | undefined
  readonly data?: string | undefined
  /** Seconds. */
  readonly timeout?: number | undefined
}

/**
 * Connects to the server that options and environment name. Nothing is sent yet.
 *
 * @throws {Problem} usage/bad-argument, auth/bad-credentials where a login has no password
 */
export async function connect(settings: ServerSettings, terminal: Terminal): Promise<Api> {
  const url = settings.server ?? textOf(terminal.env.LANDFORM_SERVER) ?? defaultServer
  const credentials = await findCredentials(url, settings, terminal)
  const timeout = settings.timeout === undefined ? {} : { timeoutMs: settings.timeout * 1000 }
  return createApi({ url, credentials, userAgent: `landform/${programVersion()}`, ...timeout })
}

const administrator = 'administrator'

async function findCredentials(
  url: string,
  { user, data }: ServerSettings,
  { env, cwd }: Terminal,
): Promise<Credentials | undefined> {
  const login = user ?? textOf(env.LANDFORM_USER)
  const password = textOf(env.LANDFORM_PASSWORD)
  if (password !== undefined) return { login: login ?? administrator, password }
  const folder = resolve(cwd, data ?? textOf(env.LANDFORM_DATA) ?? defaultDataFolder)
  // The generated password never leaves the machine it was made on.
  const generated = isLoopback(url) ? await findGeneratedPassword(folder) : undefined
  if (generated !== undefined && (login ?? administrator) === administrator)
    return { login: administrator, password: generated }
  if (login === undefined) return undefined
  throw problem('auth/bad-credentials', `There is no password for "${login}".`, {
    exit: 3,
    hint: 'Set LANDFORM_PASSWORD.',
  })
}

async function findGeneratedPassword(folder: string): Promise<string | undefined> {
  try {
    return textOf((await readFile(join(folder, 'admin-password'), 'utf8')).trim())
  } catch {
    return undefined
  }
}

/** Tells whether an address is that of this machine. */
export function isLoopback(url: string): boolean {
  const host = URL.parse(url)?.hostname.replace(/^\[|\]$/g, '') ?? ''
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host)
}

function textOf(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text
}
