import { type Api, createApi } from '../api/api.ts'
import { problem } from '../contract/problems.ts'
import { isProblem } from '../core/problem.ts'
import { findHint } from '../core/suggest.ts'
import { type Properties, unknownValue, type Values } from './property_values.ts'
import { configProperties } from './provider_schema.ts'
import type { InputFault } from './resource_manifest.ts'

/** Environment variables of settings. */
const variables = {
  server: 'LANDFORM_SERVER',
  user: 'LANDFORM_USER',
  password: 'LANDFORM_PASSWORD',
  token: 'LANDFORM_TOKEN',
} as const

/** Settings of the provider. */
export interface ProviderConfig {
  readonly server: string
  readonly credentials:
    | { readonly login: string; readonly password: string }
    | { readonly token: string }
    | undefined
  /** Id of the manifest; derived from the stack if absent. */
  readonly manifest: string | undefined
  readonly allowDelete: ReadonlySet<string>
  readonly allowUndeclared: boolean
}

/** Settings that the engine adds. */
const engineSettings = ['version', '__internal', '__defaults', 'pluginDownloadURL']

/** Checks the settings of a program. */
export function checkConfig({ values, unknowns }: Properties, env: NodeJS.ProcessEnv): InputFault[] {
  const names = Object.keys(configProperties)
  const faults = Object.keys(values).flatMap((name) =>
    names.includes(name) || engineSettings.includes(name) ? [] : [unknownSetting(name, names)],
  )
  if (unknowns.length > 0) return faults
  const texts = names.flatMap((name) =>
    !textSettings.includes(name) || values[name] === undefined || typeof values[name] === 'string'
      ? []
      : [{ property: name, reason: 'expected a string' }],
  )
  const server = textOf(values, 'server', env)
  if (server === undefined) faults.push({ property: 'server', reason: missingServer })
  else if (!/^https?:$/.test(URL.parse(server)?.protocol ?? ''))
    faults.push({ property: 'server', reason: `"${server}" is not a URL; write http://HOST or https://HOST` })
  if (textOf(values, 'user', env) !== undefined && credentialsOf(values, env) === undefined)
    faults.push({ property: 'password', reason: 'missing; set it, or LANDFORM_PASSWORD, or a token instead' })
  const manifest = values.manifest
  if (typeof manifest === 'string' && !/^[A-Za-z0-9._-]+$/.test(manifest))
    faults.push({
      property: 'manifest',
      reason: `"${manifest}" is not an id: use letters, digits, ., _ and -`,
    })
  if (listOf(values.allow_delete) === undefined)
    faults.push({ property: 'allow_delete', reason: 'expected a list of keys' })
  if (![undefined, true, false, 'true', 'false', ''].includes(values.allow_undeclared as string))
    faults.push({ property: 'allow_undeclared', reason: 'expected true or false' })
  return [...faults, ...texts]
}

const textSettings = [...Object.keys(variables), 'manifest']

const missingServer = 'missing; set it with "pulumi config set landform:server URL", or LANDFORM_SERVER'

function unknownSetting(name: string, names: readonly string[]): InputFault {
  const hint = findHint(name, names) ?? `valid settings: ${names.join(', ')}`
  return { property: name, reason: `unknown setting "${name}"; ${hint}` }
}

/**
 * Reads checked settings.
 *
 * @throws {Problem} usage/bad-argument
 */
export function readConfig(properties: Properties, env: NodeJS.ProcessEnv): ProviderConfig {
  const [fault] = checkConfig(properties, env)
  if (fault !== undefined) throw problem('usage/bad-argument', `landform:${fault.property}: ${fault.reason}.`)
  const { values } = properties
  return {
    server: textOf(values, 'server', env) ?? '',
    credentials: credentialsOf(values, env),
    manifest: textOf(values, 'manifest', env),
    allowDelete: new Set([...(listOf(values.allow_delete) ?? []), ...listedIn(env.LANDFORM_ALLOW_DELETE)]),
    allowUndeclared: String(values.allow_undeclared) === 'true',
  }
}

/** Opens a client of the server. Sends no request. */
export function openApi({ server, credentials }: ProviderConfig, version: string): Api {
  return createApi({ url: server, credentials, userAgent: `landform-pulumi/${version}` })
}

/** Tries the credentials on their server. One that is away is reported by the first request that needs it. */
export async function tryCredentials(config: ProviderConfig, version: string): Promise<InputFault[]> {
  const { credentials, server } = config
  if (credentials === undefined) return []
  const api = openApi(config, version)
  try {
    await api.call('auth.current_user')
    return []
  } catch (error) {
    if (!isProblem(error) || error.status !== 401) return []
    if ('token' in credentials)
      return [{ property: 'token', reason: `${server} refuses it; set another one, or LANDFORM_TOKEN` }]
    const reason = `${server} refuses it for the user "${credentials.login}"; set landform:user and landform:password, or LANDFORM_USER and LANDFORM_PASSWORD`
    return [{ property: 'password', reason }]
  } finally {
    await api.close()
  }
}

function credentialsOf(values: Values, env: NodeJS.ProcessEnv): ProviderConfig['credentials'] {
  const token = textOf(values, 'token', env)
  const password = textOf(values, 'password', env)
  if (token !== undefined && values.password === undefined) return { token }
  if (password === undefined) return undefined
  return { login: textOf(values, 'user', env) ?? 'administrator', password }
}

function textOf(values: Values, name: string, env: NodeJS.ProcessEnv): string | undefined {
  const given = values[name]
  if (typeof given === 'string' && given !== '' && given !== unknownValue) return given
  const variable = Object.hasOwn(variables, name) ? variables[name as keyof typeof variables] : undefined
  return (variable === undefined ? undefined : env[variable]) || undefined
}

const listedIn = (text = '') =>
  text
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '')

// The engine sends settings that are not strings as JSON.
function listOf(value: unknown): string[] | undefined {
  if (value === undefined || value === unknownValue) return []
  const list = typeof value === 'string' ? parseList(value) : value
  return Array.isArray(list) && list.every((item) => typeof item === 'string') ? list : undefined
}

function parseList(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
