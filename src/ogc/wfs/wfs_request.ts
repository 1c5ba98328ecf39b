import type { FesFilter } from '../filter/fes_filter.ts'
import type { WfsProtocol } from './wfs_protocol.ts'

/** A property to sort by. */
export interface SortKey {
  readonly property: string
  readonly isDescending: boolean
}

/** Features of one type to read. */
export interface FeatureQuery {
  readonly typeName: string
  /** Names of the properties to return; undefined for all. */
  readonly properties: readonly string[] | undefined
  readonly srsName: string | undefined
  readonly filter: FesFilter | undefined
  readonly sortBy: readonly SortKey[]
}

/** A request for features. */
export interface GetFeature {
  readonly operation: 'GetFeature'
  readonly protocol: WfsProtocol
  readonly queries: readonly FeatureQuery[]
  /** Maximum number of features. */
  readonly count: number | undefined
  readonly startIndex: number
  readonly resultType: 'results' | 'hits'
  readonly outputFormat: string | undefined
  /** Property whose values are requested, of `GetPropertyValue`. */
  readonly valueReference?: string | undefined
  /** Whether the answer is the feature itself, not a collection. @see OGC 09-025r2 clause 7.9.3.6 */
  readonly isSingle?: boolean | undefined
}

/** A request, except for a transaction, whose actions are read one by one. */
export type WfsRequest =
  | { readonly operation: 'GetCapabilities'; readonly protocol: WfsProtocol }
  | {
      readonly operation: 'DescribeFeatureType'
      readonly protocol: WfsProtocol
      /** Empty for all. */
      readonly typeNames: readonly string[]
    }
  | GetFeature
  | { readonly operation: 'ListStoredQueries'; readonly protocol: WfsProtocol }
  | {
      readonly operation: 'DescribeStoredQueries'
      readonly protocol: WfsProtocol
      /** Empty for all. */
      readonly ids: readonly string[]
    }

/** Maximum number of queries in a request. */
export const maxQueries = 100

/** Maximum number of properties to sort by. */
export const maxSortKeys = 20

/** Identifier of the stored query that every service has. @see OGC 09-025r2 clause 7.9.3.6 */
export const getFeatureById = 'urn:ogc:def:query:OGC-WFS::GetFeatureById'
