import { resolve } from 'node:path'
import { administrator } from '../../contract/principal.ts'
import type { RunningServer } from '../../server/server.ts'
import { completeSettings, type GivenSettings, readSettings } from '../../server/settings/server_settings.ts'
import type { CommandSpec } from '../command.ts'
import { type ServerOptions, settingOptions, textsOfOptions } from '../server_options.ts'
import { type Terminal, writeLine } from '../terminal.ts'
import { programVersion } from '../version.ts'

type Place = Pick<Terminal, 'env' | 'cwd'>

/**
 * Reads the configuration of a server from options and environment; paths are relative to the working directory.
 *
 * @param defaults values of a command that differ from those of the settings
 * @throws {Problem} usage/bad-argument
 */
export function readServerConfig(
  options: ServerOptions,
  { env, cwd }: Place,
  defaults: Pick<GivenSettings, 'logLevel'> = {},
) {
  const given = { ...defaults, ...readSettings(textsOfOptions(options), env) }
  const complete = completeSettings(given)
  return { ...given, ...complete, dataFolder: resolve(cwd, complete.dataFolder) }
}

/** Configuration read by `readServerConfig`. */
export type ReadConfig = ReturnType<typeof readServerConfig>

/**
 * Starts a server; the caller stops it.
 *
 * @throws {Problem} server/listen, database/*
 */
export async function startServer(config: ReadConfig): Promise<RunningServer> {
  // A dynamic import, so that other commands do not load the server and its database.
  const { createServer } = await import('../../server/server.ts')
  const { createLog } = await import('../../server/log.ts')
  return createServer({ ...config, log: createLog(config.logLevel), version: programVersion() })
}

async function runServe(config: ReadConfig, terminal: Terminal): Promise<number> {
  const server = await startServer(config)
  writeLine(terminal.err, `landform ${programVersion()} listening on ${server.url}`)
  showFirstPassword(server, terminal)
  await aborted(terminal.interrupt)
  writeLine(terminal.err, 'Stopping after the running requests.')
  await Promise.race([server.stop(), aborted(terminal.halt)])
  return 0
}

/** Shows the administrator's password on the start that generated it. */
export function showFirstPassword({ adminPassword }: RunningServer, { err }: Terminal): void {
  if (adminPassword === undefined) return
  writeLine(err, `login ${administrator}, password ${adminPassword} (shown only once)`)
}

/** Resolves when a signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done()
    else signal.addEventListener('abort', () => done(), { once: true })
  })
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
  declare: settingOptions,
  run: async ({ options }, terminal) => runServe(readServerConfig(options, terminal), terminal),
}
