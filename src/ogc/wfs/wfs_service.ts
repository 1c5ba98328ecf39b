import type { FeatureType } from './feature_type.ts'
import { typePrefix } from './feature_type.ts'
import type { WfsProtocol } from './wfs_protocol.ts'

/** A service, as a caller sees it. */
export interface WfsService {
  readonly title: string
  /** Description in plain text, in documents that state it. */
  readonly abstract?: string | undefined
  /** Address of the service, without a query. */
  readonly url: string
  /** Namespace of the feature types and their properties. */
  readonly namespace: string
  /** EPSG codes of further reference systems in which all feature types are offered. */
  readonly systems: readonly number[]
  /** Feature types that the caller may read. */
  readonly types: readonly FeatureType[]
}

/** Returns the namespace of the feature types of a service, which does not depend on its address. */
export function namespaceOf(resourceId: number): string {
  return `urn:landform:resource:${resourceId}`
}

/** Maximum number of features in a response if the request does not state one. */
export const defaultCount = 1_000_000

/** Returns the qualified name of a feature type or property. */
export function qualified(name: string): string {
  return `${typePrefix}:${name}`
}

/** Returns the address that describes feature types. */
export function schemaUrl(
  { url }: WfsService,
  { version }: WfsProtocol,
  types: readonly FeatureType[],
): string {
  const query = new URLSearchParams({ SERVICE: 'WFS', VERSION: version, REQUEST: 'DescribeFeatureType' })
  query.set(
    version.startsWith('2') ? 'TYPENAMES' : 'TYPENAME',
    types.map(({ name }) => qualified(name)).join(','),
  )
  return `${url}?${query}`
}

/** Namespace of `xsi:schemaLocation`. */
export const xsi = 'http://www.w3.org/2001/XMLSchema-instance'
