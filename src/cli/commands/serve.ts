import { resolve } from 'node:path'
import { Option } from 'commander'
import { clientLimits } from '../../contract/limits.ts'
import { problem } from '../../contract/problems.ts'
import { isProblem } from '../../core/problem.ts'
import type { LogLevel } from '../../server/log.ts'
import type { RunningServer } from '../../server/server.ts'
import type { CommandSpec } from '../command.ts'
import { administrator, defaultDataFolder, defaultListen } from '../connect.ts'
import { collect, parseBytes, parseDatabase, parseListen } from '../options.ts'
import { type Terminal, writeLine } from '../terminal.ts'
import { programVersion } from '../version.ts'

/** How a server is to run. */
export interface ServeSettings {
  /** `host:port`. */
  readonly listen: string
  /** Folder; relative to the working directory. */
  readonly data: string
  readonly database?: string | undefined
  readonly dialect?: 'document' | 'sister' | undefined
  readonly plain?: boolean | undefined
  readonly corsOrigins?: readonly string[] | undefined
  readonly trustedProxies?: readonly string[] | undefined
  /** Whether services in private networks may be asked. */
  readonly allowPrivateAddresses?: boolean | undefined
  /** Size of the largest JSON body, such as `64MiB`. */
  readonly bodyLimit?: string | undefined
  /** Size of the largest upload. */
  readonly uploadLimit?: string | undefined
  /** Size of all that guests from one network upload within a day. */
  readonly guestUploadQuota?: string | undefined
  /** Least bytes per second of a client. */
  readonly minRate?: string | undefined
  /** Seconds over which that rate is measured. */
  readonly clientTimeout?: string | undefined
  readonly logLevel?: LogLevel | undefined
}

/**
 * Reads the administrator's password from the environment; undefined where there is none, and one is generated.
 *
 * @throws {Problem} usage/bad-argument where the server would not accept it
 */
export async function readAdminPassword({ env }: Pick<Terminal, 'env'>): Promise<string | undefined> {
  const password = env.LANDFORM_ADMIN_PASSWORD || undefined
  if (password === undefined) return undefined
  const { checkPassword } = await import('../../server/auth/password.ts')
  try {
    checkPassword(password, administrator)
  } catch (error) {
    if (!isProblem(error)) throw error
    throw problem('usage/bad-argument', `LANDFORM_ADMIN_PASSWORD is not accepted. ${error.message}`, {
      hint: 'Choose another, or unset it: it is read at the first start only, which otherwise generates one.',
    })
  }
  return password
}

/**
 * Starts a server; the caller stops it.
 *
 * @throws {Problem} server/listen, database/*, usage/bad-argument
 */
export async function startServer(
  settings: ServeSettings,
  { env, cwd }: Pick<Terminal, 'env' | 'cwd'>,
): Promise<RunningServer> {
  const adminPassword = await readAdminPassword({ env })
  // Only who serves waits until the server with its database is loaded.
  const { createServer } = await import('../../server/server.ts')
  const { createLog } = await import('../../server/log.ts')
  return createServer({
    listen: parseListen(settings.listen),
    dataFolder: resolve(cwd, settings.data),
    databaseUrl: settings.database === undefined ? undefined : parseDatabase(settings.database),
    adminPassword,
    dialect: settings.dialect,
    plain: settings.plain,
    corsOrigins: settings.corsOrigins,
    trustedProxies: settings.trustedProxies,
    secretKey: env.LANDFORM_SECRET_KEY || undefined,
    allowPrivateAddresses: settings.allowPrivateAddresses,
    bodyLimitBytes: readSize(settings.bodyLimit, '--body-limit'),
    uploadLimitBytes: readSize(settings.uploadLimit, '--upload-limit'),
    guestUploadBytes: readSize(settings.guestUploadQuota, '--guest-upload-quota'),
    minRate: readSize(settings.minRate, '--min-rate'),
    clientTimeoutSeconds: readSeconds(settings.clientTimeout, '--client-timeout'),
    log: createLog(settings.logLevel ?? 'info'),
    version: programVersion(),
  })
}

async function runServe(settings: ServeSettings, terminal: Terminal): Promise<number> {
  const server = await startServer(settings, terminal)
  writeLine(terminal.err, `landform ${programVersion()} listens on ${server.url}`)
  showFirstPassword(server, terminal)
  await aborted(terminal.interrupt)
  writeLine(terminal.err, 'Stopping: running requests are finished.')
  await Promise.race([server.stop(), aborted(terminal.halt)])
  return 0
}

/** Shows the administrator's password on the start that has generated it. */
export function showFirstPassword({ adminPassword }: RunningServer, { err }: Terminal): void {
  if (adminPassword === undefined) return
  writeLine(err, `login ${administrator}, password ${adminPassword} (shown this once)`)
}

/** Waits until a signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done()
    else signal.addEventListener('abort', () => done(), { once: true })
  })
}

function readSize(text: string | undefined, option: string): number | undefined {
  return text === undefined ? undefined : parseBytes(text, option)
}

function readSeconds(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined
  const seconds = Number(text)
  // Timers count milliseconds in 31 bits.
  if (seconds > 0 && seconds <= 86_400) return seconds
  throw problem('usage/bad-argument', `${option} "${text}" is not a number of seconds.`, {
    hint: 'Give a number of seconds from above 0 to 86400.',
  })
}

function readList(option: unknown, variable: string | undefined): readonly string[] {
  return (option as readonly string[] | undefined) ?? collect(variable ?? '')
}

/** The command `serve`. */
export const serveCommand: CommandSpec = {
  name: 'serve',
  summary: 'run a server',
  examples: [
    'landform serve',
    'landform serve --listen 0.0.0.0:8080 --data /var/lib/landform',
    'landform serve --database postgres://gis@db.example.org/gis',
    'landform serve --trust-proxy loopback --cors-origin https://maps.example.net',
    'landform serve --upload-limit 2GiB --body-limit 16MiB',
  ],
  declare: (command) =>
    command
      .option('--listen <address>', `address to listen on (LANDFORM_LISTEN, else ${defaultListen})`)
      .option('--data <folder>', 'folder of everything that is kept (LANDFORM_DATA)')
      .option('--database <url>', 'PostgreSQL with PostGIS (LANDFORM_DATABASE); embedded where absent')
      .option(
        '--trust-proxy <addresses>',
        'proxies whose X-Forwarded headers are believed (LANDFORM_TRUST_PROXY): addresses, networks, or loopback, linklocal, uniquelocal',
        collect,
      )
      .option(
        '--cors-origin <origin>',
        'site whose pages may ask, with the session of who is logged in; may be repeated (LANDFORM_CORS_ORIGIN)',
        collect,
      )
      .option(
        '--allow-private-addresses',
        'let connections to services elsewhere name addresses in private networks',
      )
      .option('--body-limit <size>', 'largest JSON body (LANDFORM_BODY_LIMIT, else 64MiB)')
      .option('--upload-limit <size>', 'largest upload (LANDFORM_UPLOAD_LIMIT, else 8GiB)')
      .option(
        '--guest-upload-quota <size>',
        'guest uploads a day from one network; all networks: 4 times that (LANDFORM_GUEST_UPLOAD_QUOTA, else the upload limit)',
      )
      .option(
        '--min-rate <bytes>',
        `least bytes per second from and to a client (LANDFORM_MIN_RATE, else ${clientLimits.minRate})`,
      )
      .option(
        '--client-timeout <seconds>',
        `longest time below that rate (LANDFORM_CLIENT_TIMEOUT, else ${clientLimits.seconds})`,
      )
      .addOption(
        new Option('--dialect <name>', 'names that are emitted; ngw for the sister names')
          .choices(['document', 'ngw'])
          .default('document'),
      )
      .option('--plain', 'behave like the original, without extras: to test clients against')
      .addOption(
        new Option('--log-level <level>', 'how much is logged to standard error')
          .choices(['debug', 'info', 'warn', 'error'])
          .default('info'),
      ),
  run: ({ options }, terminal) =>
    runServe(
      {
        listen: (options.listen as string | undefined) ?? (terminal.env.LANDFORM_LISTEN || defaultListen),
        data: (options.data as string | undefined) ?? (terminal.env.LANDFORM_DATA || defaultDataFolder),
        database: (options.database as string | undefined) ?? (terminal.env.LANDFORM_DATABASE || undefined),
        trustedProxies: readList(options.trustProxy, terminal.env.LANDFORM_TRUST_PROXY),
        allowPrivateAddresses: options.allowPrivateAddresses === true,
        corsOrigins: readList(options.corsOrigin, terminal.env.LANDFORM_CORS_ORIGIN),
        bodyLimit:
          (options.bodyLimit as string | undefined) ?? (terminal.env.LANDFORM_BODY_LIMIT || undefined),
        uploadLimit:
          (options.uploadLimit as string | undefined) ?? (terminal.env.LANDFORM_UPLOAD_LIMIT || undefined),
        guestUploadQuota:
          (options.guestUploadQuota as string | undefined) ??
          (terminal.env.LANDFORM_GUEST_UPLOAD_QUOTA || undefined),
        minRate: (options.minRate as string | undefined) ?? (terminal.env.LANDFORM_MIN_RATE || undefined),
        clientTimeout:
          (options.clientTimeout as string | undefined) ??
          (terminal.env.LANDFORM_CLIENT_TIMEOUT || undefined),
        dialect: options.dialect === 'ngw' ? 'sister' : 'document',
        plain: options.plain === true,
        logLevel: options.logLevel as LogLevel,
      },
      terminal,
    ),
}
