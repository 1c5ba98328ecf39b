import { type Input, type InvokeOptions, type Output, output, runtime } from '@pulumi/pulumi'
import { functionToken } from '../provider/provider_functions.ts'

/** What to look up. */
export interface NameArgs {
  /** Key, id, or path of display names such as `City/Roads`. */
  readonly name: string
}

/** What to look up, also by outputs of resources. */
export interface NameInputs {
  /** Key, id, or path of display names such as `City/Roads`. */
  readonly name: Input<string>
}

/** A resource on the server. */
export interface ResourceResult {
  readonly resource_id: number
  readonly cls: string
  /** Absent if the resource has no keyname. */
  readonly key?: string
  readonly display_name: string
}

/** A layer on the server. */
export interface LayerResult extends ResourceResult {
  /** Number of features. */
  readonly features: number
  /** Bounds of the features in degrees; empty without features. */
  readonly extent: Readonly<Partial<Record<'minLon' | 'minLat' | 'maxLon' | 'maxLat', number>>>
}

/** Permissions on a resource. */
export interface PermissionsResult extends ResourceResult {
  /** Whether each permission is granted to the account of the provider, by scope and permission. */
  readonly permissions: Readonly<Record<string, Readonly<Record<string, boolean>>>>
}

/** Finds a resource by key, id, or path. */
export function getResource(args: NameArgs, options?: InvokeOptions): Promise<ResourceResult> {
  return call('getResource', args, options)
}

/** Finds a layer with features by key, id, or path, and counts its features. */
export function getLayer(args: NameArgs, options?: InvokeOptions): Promise<LayerResult> {
  return call('getLayer', args, options)
}

/** Finds a resource by key, id, or path, and the permissions of the account of the provider on it. */
export function getPermissions(args: NameArgs, options?: InvokeOptions): Promise<PermissionsResult> {
  return call('getPermissions', args, options)
}

/** Finds a resource, whose name may be an output. */
export function getResourceOutput({ name }: NameInputs, options?: InvokeOptions): Output<ResourceResult> {
  return output(name).apply((known) => getResource({ name: known }, options))
}

/** Finds a layer, whose name may be an output. */
export function getLayerOutput({ name }: NameInputs, options?: InvokeOptions): Output<LayerResult> {
  return output(name).apply((known) => getLayer({ name: known }, options))
}

/** Finds the permissions on a resource, whose name may be an output. */
export function getPermissionsOutput(
  { name }: NameInputs,
  options?: InvokeOptions,
): Output<PermissionsResult> {
  return output(name).apply((known) => getPermissions({ name: known }, options))
}

function call<T>(name: string, args: NameArgs, options: InvokeOptions | undefined): Promise<T> {
  return runtime.invoke(functionToken(name), { ...args }, options ?? {}) as Promise<T>
}
