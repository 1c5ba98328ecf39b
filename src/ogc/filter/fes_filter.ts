import type { Comparison, SpatialOperator } from '../../store/feature/filter_expression.ts'
import type { GmlGeometry } from '../gml/read_gml.ts'

/** A property of a feature type, by its name in the request, or a string. */
export type FesOperand = { readonly property: string } | { readonly literal: string }

/** A filter of a request, before its names are resolved. @see OGC 02-059, OGC 04-095, OGC 09-026r2 */
export type FesFilter =
  | { readonly kind: 'and' | 'or'; readonly items: readonly FesFilter[] }
  | { readonly kind: 'not'; readonly item: FesFilter }
  | {
      readonly kind: 'compare'
      readonly operator: Comparison
      readonly left: FesOperand
      readonly right: FesOperand
      readonly matchCase: boolean
    }
  | { readonly kind: 'between'; readonly property: string; readonly lower: string; readonly upper: string }
  | {
      readonly kind: 'like'
      readonly property: string
      /** Pattern of SQL, with a backslash as the escape character. */
      readonly pattern: string
      readonly matchCase: boolean
    }
  | { readonly kind: 'null'; readonly property: string }
  /** Features by their identifiers, such as `roads.1`. */
  | { readonly kind: 'ids'; readonly ids: readonly string[] }
  | {
      readonly kind: 'spatial'
      readonly operator: SpatialOperator
      /** Undefined for the geometry of the feature. */
      readonly property: string | undefined
      readonly target: GmlGeometry
    }
  | {
      readonly kind: 'distance'
      readonly isWithin: boolean
      readonly property: string | undefined
      readonly target: GmlGeometry
      readonly distance: number
      readonly unit: 'metre' | 'srs'
    }
