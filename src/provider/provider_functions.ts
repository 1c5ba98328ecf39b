import { resolveFeatureLayer, resolveResource } from '../api/resolve_resource.ts'
import { problem } from '../contract/problems.ts'
import { findHint } from '../core/suggest.ts'
import type { Values } from './property_values.ts'
import { packageName } from './resource_type.ts'
import type { Connection } from './write_resource.ts'

type Spec = Readonly<Record<string, unknown>>

interface ProviderFunction {
  readonly description: string
  /** Outputs besides those of `getResource`. */
  readonly outputs: Readonly<Record<string, Spec>>
  read(connection: Connection, name: string): Promise<Values>
}

/** Outputs of all functions. */
export const resourceOutputs: Readonly<Record<string, Spec>> = {
  resource_id: { type: 'integer', description: 'Id on the server.' },
  cls: { type: 'string', description: 'Class.' },
  key: { type: 'string', description: 'Keyname; absent if the resource has none.' },
  display_name: { type: 'string', description: 'Display name.' },
}

/** Outputs that a function always has. */
export const requiredOutputs = ['resource_id', 'cls', 'display_name']

const numbers: Spec = { type: 'object', additionalProperties: { type: 'number' } }

/** Functions of the package, by name. */
export const providerFunctions: Readonly<Record<string, ProviderFunction>> = {
  getResource: {
    description: 'Finds a resource by key, id, or path of display names.',
    outputs: {},
    read: async ({ api, signal }, name) => describe(await resolveResource(api, name, signal)),
  },
  getLayer: {
    description: 'Finds a layer with features by key, id, or path, and counts its features.',
    outputs: {
      features: { type: 'integer', description: 'Number of features.' },
      extent: { ...numbers, description: 'Bounds of the features in degrees; empty without features.' },
    },
    read: async ({ api, signal }, name) => {
      const found = await resolveFeatureLayer(api, name, signal)
      const { id } = found.resource
      const [{ total_count }, { extent }] = await Promise.all([
        api.call('feature.count', { params: { id }, signal }),
        api.call('layer.extent', { params: { id }, signal }),
      ])
      const known = Object.entries(extent).filter(([, value]) => value !== null)
      return { ...describe(found), features: total_count, extent: Object.fromEntries(known) }
    },
  },
  getPermissions: {
    description:
      'Finds a resource by key, id, or path, and the permissions of the account of the provider on it.',
    outputs: {
      permissions: {
        type: 'object',
        additionalProperties: { type: 'object', additionalProperties: { type: 'boolean' } },
        description: 'Whether each permission is granted, by scope and permission.',
      },
    },
    read: async ({ api, signal }, name) => {
      const found = await resolveResource(api, name, signal)
      const permissions = await api.call('resource.permission', {
        params: { id: found.resource.id },
        signal,
      })
      return { ...describe(found), permissions }
    },
  },
}

type Found = Awaited<ReturnType<typeof resolveResource>>

function describe({ resource: { id, cls, keyname, display_name } }: Found): Values {
  const key = typeof keyname === 'string' ? { key: keyname } : {}
  return { resource_id: id, cls, ...key, display_name: display_name ?? '' }
}

/** Returns the token of a function: `landform:index:getLayer`. */
export function functionToken(name: string): string {
  return `${packageName}:index:${name}`
}

/**
 * Calls a function.
 *
 * @throws {Problem} usage/bad-argument, resource/not-found with a suggestion, and errors of the server
 */
export function callFunction(connection: Connection, token: string, { name }: Values): Promise<Values> {
  const called = Object.entries(providerFunctions).find(([own]) => functionToken(own) === token)
  if (called === undefined)
    throw problem('usage/bad-argument', `There is no function ${token}.`, {
      hint: findHint(token, Object.keys(providerFunctions).map(functionToken)),
    })
  if (typeof name !== 'string' || name === '')
    throw problem('usage/bad-argument', 'name: expected a key, an id or a path.')
  return called[1].read(connection, name)
}
