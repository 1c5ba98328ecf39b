import {
  type Input,
  type InvokeOptions,
  type InvokeOutputOptions,
  type Output,
  runtime,
} from '@pulumi/pulumi'
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

/** Finds a resource, once the resources that its name depends on exist. */
export function getResourceOutput(args: NameInputs, options?: InvokeOutputOptions): Output<ResourceResult> {
  return callLater('getResource', args, options)
}

/** Finds a layer, once the resources that its name depends on exist. */
export function getLayerOutput(args: NameInputs, options?: InvokeOutputOptions): Output<LayerResult> {
  return callLater('getLayer', args, options)
}

/** Finds the permissions on a resource, once the resources that its name depends on exist. */
export function getPermissionsOutput(
  args: NameInputs,
  options?: InvokeOutputOptions,
): Output<PermissionsResult> {
  return callLater('getPermissions', args, options)
}

function call<T>(name: string, args: NameArgs, options: InvokeOptions | undefined): Promise<T> {
  return runtime.invoke(functionToken(name), { ...args }, options ?? {}).catch(rethrowPlainly) as Promise<T>
}

/** Calls a function whose result is unknown in a preview while a resource of its arguments does not exist. */
function callLater<T>(name: string, args: NameInputs, options: InvokeOutputOptions | undefined): Output<T> {
  const found = runtime.invokeOutput<T>(functionToken(name), { ...args }, options ?? {})
  // Not of the public interface: without it, failures have their stack.
  const { promise } = found as { promise?: () => Promise<T> }
  promise?.call(found).catch(markAsPlain)
  return found
}

function rethrowPlainly(error: unknown): never {
  markAsPlain(error)
  throw error
}

/** Makes the program end with the message of an error, without its stack: it is not one of the program. */
function markAsPlain(error: unknown): void {
  if (error instanceof Error) Object.defineProperty(error, runErrorMark, { value: true })
}

/** What `RunError.isInstance` looks for. */
const runErrorMark = '__pulumiRunError'
