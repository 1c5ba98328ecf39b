import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Api, type ApiOptions, createApi } from '../api/api.ts'
import { administrator } from '../contract/principal.ts'
import { problem } from '../contract/problems.ts'
import type { Credentials, Token } from '../http/authorize.ts'
import { readProxySettings } from '../http/proxy.ts'
import { serverSettings } from '../server/settings/server_settings.ts'
import type { Terminal } from './terminal.ts'
import { programVersion } from './version.ts'

/** Default URL of the server: that of a server with default settings. */
export const defaultServer = `http://${serverSettings.listen.defaultHelp}`

const { dataFolder, adminPassword } = serverSettings

/** Options of the connection to a server. */
export interface ServerSettings {
  readonly server?: string | undefined
  readonly user?: string | undefined
  readonly data?: string | undefined
  /** Timeout in seconds. */
  readonly timeout?: number | undefined
}

/**
 * Opens an API client for the server in options and environment. Sends no request.
 *
 * @throws {Problem} usage/bad-argument, auth/bad-credentials if a login has no password
 */
export async function connect(settings: ServerSettings, terminal: Terminal): Promise<Api> {
  const url = urlOf(settings, terminal)
  return createApi({
    ...connectionOf(url, settings, terminal),
    credentials: await findCredentials(settings, terminal),
  })
}

/** Opens an API client without credentials for another address that the server names. Sends no request. */
export function connectAsGuest(url: string, settings: ServerSettings, terminal: Terminal): Api {
  return createApi(connectionOf(url, settings, terminal))
}

function connectionOf(url: string, { timeout }: ServerSettings, { env }: Terminal): ApiOptions {
  // A proxy cannot reach this machine.
  const proxy = isLoopback(url) ? undefined : readProxySettings(env)
  return {
    url,
    userAgent: `landform/${programVersion()}`,
    ...(timeout === undefined ? {} : { timeoutMs: timeout * 1000 }),
    ...(proxy ? { proxy } : {}),
  }
}

function urlOf({ server }: ServerSettings, { env }: Pick<Terminal, 'env'>): string {
  return server ?? textOf(env.LANDFORM_SERVER) ?? defaultServer
}

/**
 * Finds the credentials: `--user` with its password, else the token of the environment, else its login and password,
 * else the administrator of a server on this machine with the generated password, else a guest.
 *
 * @throws {Problem} auth/bad-credentials if a login has no password
 */
export async function findCredentials(
  settings: ServerSettings,
  terminal: Terminal,
): Promise<Credentials | Token | undefined> {
  const { user, data } = settings
  const { env, cwd } = terminal
  const token = textOf(env.LANDFORM_TOKEN)
  if (user === undefined && token !== undefined) return { token }
  const login = user ?? textOf(env.LANDFORM_USER)
  const password = textOf(env.LANDFORM_PASSWORD)
  if (password !== undefined) return { login: login ?? administrator, password }
  const folder = resolve(cwd, data ?? textOf(env[dataFolder.variable]) ?? dataFolder.default)
  // The generated password never leaves its machine.
  const first = isOnThisMachine(settings, terminal)
    ? ((await findGeneratedPassword(folder)) ?? textOf(env[adminPassword.variable]))
    : undefined
  if (first !== undefined && (login ?? administrator) === administrator)
    return { login: administrator, password: first }
  if (login === undefined) return undefined
  throw problem('auth/bad-credentials', `No password for user "${login}".`, {
    exit: 3,
    hint: 'Set LANDFORM_PASSWORD, or LANDFORM_TOKEN alone.',
  })
}

/** Reads the generated password of the administrator from a data directory. */
export async function findGeneratedPassword(folder: string): Promise<string | undefined> {
  try {
    return textOf((await readFile(join(folder, 'admin-password'), 'utf8')).trim())
  } catch {
    return undefined
  }
}

function isOnThisMachine(settings: ServerSettings, terminal: Pick<Terminal, 'env'>): boolean {
  return isLoopback(urlOf(settings, terminal))
}

/** Tells whether a URL is that of this machine. */
export function isLoopback(url: string): boolean {
  const host = URL.parse(url)?.hostname.replace(/^\[|\]$/g, '') ?? ''
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host)
}

function textOf(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text
}
